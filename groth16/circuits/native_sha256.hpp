// The native witness of the SHA-256 gadgets: the same steps on machine words.
#pragma once

#include <array>
#include <span>

#include "groth16/circuits/traced_word.hpp"

namespace groth16::circuits {

using TracedState = std::array<TracedWord, 8>;  // a digest, or 256 bits of a message

// As sha256() of sha256_gadget.hpp, of a message of whole words.
TracedState sha256(WitnessStream& stream, std::span<const TracedWord> message);

// The 255 bits of a number, put to the stream, as message words.
TracedState to_message_words(WitnessStream& stream, const Scalar& number);

// The number that a digest is packed into, put to the stream: its two most significant bits are dropped.
Scalar pack_digest(WitnessStream& stream, const TracedState& digest);

// As sha256_pair().
Scalar sha256_pair(WitnessStream& stream, const Scalar& left, const Scalar& right);

}  // namespace groth16::circuits
