// SHA-256 (FIPS 180-4) as a circuit: of bits, and of two numbers as the nodes of a binary tree.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "groth16/circuits/number.hpp"
#include "groth16/circuits/word32.hpp"

namespace groth16::circuits {

// The digest's 256 bits, each word's most significant first, of a message of whole bytes.
std::vector<Bit> sha256(CircuitBuilder& builder, std::span<const Bit> message);

// SHA-256 of two numbers' 32 little-endian bytes each, the digest's two most significant bits cleared.
Number sha256_pair(CircuitBuilder& builder, const Number& left, const Number& right);

}  // namespace groth16::circuits
