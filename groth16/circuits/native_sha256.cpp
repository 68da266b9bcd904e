#include "groth16/circuits/native_sha256.hpp"

#include <bit>
#include <vector>

#include "groth16/circuits/sha256_compression.hpp"

namespace groth16::circuits {

namespace {

// What compress_with asks for, on machine words.
struct WordStreamGates {
  WitnessStream& stream;

  TracedWord exclusive_or(const TracedWord& a, const TracedWord& b) const { return xor_gates(stream, a, b); }
  TracedWord choice(const TracedWord& a, const TracedWord& b, const TracedWord& c) const {
    return choice_gates(stream, a, b, c);
  }
  TracedWord majority(const TracedWord& a, const TracedWord& b, const TracedWord& c) const {
    return majority_gates(stream, a, b, c);
  }
  TracedWord constant(std::uint32_t value) const { return TracedWord::of_constant(value); }
  TracedSum sum(const TracedWord& word) const { return TracedSum(word); }
  TracedWord add_up(const TracedSum& sum) const { return sum.add_up(stream); }
};

// SHA-256 reads bytes big-endian, numbers are little-endian.
std::uint32_t swap_bytes(std::uint32_t word) {
  return word >> 24 | (word >> 8 & 0xff00) | (word << 8 & 0xff0000) | word << 24;
}

}  // namespace

TracedState sha256(WitnessStream& stream, std::span<const TracedWord> message) {
  TracedState state;
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = TracedWord::of_constant(kSha256InitialState[i]);
  std::vector<TracedWord> words(message.begin(), message.end());
  words.push_back(TracedWord::of_constant(0x80000000));
  while (words.size() % kSha256BlockWords != kSha256BlockWords - 2) words.push_back(TracedWord::of_constant(0));
  const std::uint64_t message_bits = 32 * message.size();
  words.push_back(TracedWord::of_constant(static_cast<std::uint32_t>(message_bits >> 32)));
  words.push_back(TracedWord::of_constant(static_cast<std::uint32_t>(message_bits)));
  for (std::span<const TracedWord> rest = words; !rest.empty(); rest = rest.subspan(kSha256BlockWords)) {
    compress_with(WordStreamGates{stream}, rest.first<kSha256BlockWords>(), state);
  }
  return state;
}

TracedState to_message_words(WitnessStream& stream, const Scalar& number) {
  for (std::size_t i = 0; i < 3; ++i) stream.put_bits(number.limb[i], 64);
  stream.put_bits(number.limb[3], 63);
  TracedState words;
  for (unsigned i = 0; i < words.size(); ++i) {
    words[i] = TracedWord::of_variables(swap_bytes(number.bits(32 * i, 32)));
  }
  words[7].constant = 0x80;  // bit 255 is no variable: a number has 255
  return words;
}

Scalar pack_digest(WitnessStream& stream, const TracedState& digest) {
  Scalar number{};
  for (unsigned i = 0; i < digest.size(); ++i) {
    number.limb[i / 2] |= std::uint64_t{swap_bytes(digest[i].value)} << (32 * (i % 2));
  }
  number.limb[3] &= ~std::uint64_t{0} >> 2;
  stream.put(number);
  return number;
}

Scalar sha256_pair(WitnessStream& stream, const Scalar& left, const Scalar& right) {
  std::array<TracedWord, 16> message;
  const TracedState first = to_message_words(stream, left), second = to_message_words(stream, right);
  std::copy(first.begin(), first.end(), message.begin());
  std::copy(second.begin(), second.end(), message.begin() + 8);
  return pack_digest(stream, sha256(stream, message));
}

}  // namespace groth16::circuits
