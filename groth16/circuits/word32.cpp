#include "groth16/circuits/word32.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace groth16::circuits {

namespace {

constexpr unsigned kRowBits = 254;  // sums of this many bits do not wrap around r

bool is_constant(const Word32& word) {
  return std::ranges::all_of(word, [](const Bit& bit) { return bit.is_constant(); });
}

std::uint32_t value_of(const Word32& word) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 32; ++i) value |= std::uint32_t{word[i].value()} << i;
  return value;
}

}  // namespace

Word32 constant_word(std::uint32_t value) {
  Word32 word;
  for (unsigned i = 0; i < 32; ++i) word[i] = Bit::constant(((value >> i) & 1) != 0);
  return word;
}

Word32 rotate_right(const Word32& word, unsigned count) {
  Word32 rotated;
  std::rotate_copy(word.begin(), word.begin() + count, word.end(), rotated.begin());
  return rotated;
}

Word32 shift_right(const Word32& word, unsigned count) {
  Word32 shifted;  // of constant zeros
  std::copy(word.begin() + count, word.end(), shifted.begin());
  return shifted;
}

Word32 word_of_message(std::span<const Bit, 32> bits) {
  Word32 word;
  std::reverse_copy(bits.begin(), bits.end(), word.begin());
  return word;
}

void append_message(std::vector<Bit>& bits, const Word32& word) { bits.insert(bits.end(), word.rbegin(), word.rend()); }

Word32 xor_gates(CircuitBuilder& builder, const Word32& a, const Word32& b) {
  Word32 result;
  for (unsigned i = 0; i < 32; ++i) result[i] = xor_gate(builder, a[i], b[i]);
  return result;
}

Word32 choice_gates(CircuitBuilder& builder, const Word32& a, const Word32& b, const Word32& c) {
  Word32 result;
  for (unsigned i = 0; i < 32; ++i) result[i] = choice_gate(builder, a[i], b[i], c[i]);
  return result;
}

Word32 majority_gates(CircuitBuilder& builder, const Word32& a, const Word32& b, const Word32& c) {
  Word32 result;
  for (unsigned i = 0; i < 32; ++i) result[i] = majority_gate(builder, a[i], b[i], c[i]);
  return result;
}

void EqualityBatch::begin(unsigned n_bits) {
  if (next_bit_ + n_bits >= kRowBits) finish();
  first_bit_ = next_bit_;
  next_bit_ += n_bits;
}

void EqualityBatch::finish() {
  if (next_bit_ == 0) return;
  builder_.enforce(std::exchange(left_, {}), kOne, std::exchange(right_, {}));
  next_bit_ = 0;
}

Word32 add_words(CircuitBuilder& builder, std::span<const Word32> words, EqualityBatch& batch) {
  std::uint64_t sum = 0;
  for (const Word32& word : words) sum += value_of(word);
  if (std::ranges::all_of(words, is_constant)) return constant_word(static_cast<std::uint32_t>(sum));

  const auto n_bits = static_cast<unsigned>(std::bit_width(words.size() * std::uint64_t{0xffffffff}));
  std::array<Bit, 36> sum_bits;
  for (unsigned i = 0; i < n_bits; ++i) sum_bits[i] = alloc_bit(builder, ((sum >> i) & 1) != 0);

  batch.begin(n_bits);
  for (const Word32& word : words) {
    for (unsigned i = 0; i < 32; ++i) batch.add(i, word[i]);
  }
  for (unsigned i = 0; i < n_bits; ++i) batch.equals(i, sum_bits[i]);
  Word32 result;
  std::copy_n(sum_bits.begin(), 32, result.begin());
  return result;
}

}  // namespace groth16::circuits
