// Word32: 32 bits of a circuit as one SHA-256 word, and EqualityBatch, which joins the equations of its additions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "groth16/circuits/bit.hpp"

namespace groth16::circuits {

using Word32 = std::array<Bit, 32>;  // least significant first

Word32 constant_word(std::uint32_t value);
Word32 rotate_right(const Word32& word, unsigned count);
Word32 shift_right(const Word32& word, unsigned count);

// 32 bits of a message or digest, most significant first, and back.
Word32 word_of_message(std::span<const Bit, 32> bits);
void append_message(std::vector<Bit>& bits, const Word32& word);

// Bit by bit, least significant first.
Word32 xor_gates(CircuitBuilder& builder, const Word32& a, const Word32& b);
Word32 choice_gates(CircuitBuilder& builder, const Word32& a, const Word32& b, const Word32& c);
Word32 majority_gates(CircuitBuilder& builder, const Word32& a, const Word32& b, const Word32& c);

// Equations between sums below 2^n, n small, share rows of up to 253 bits: each takes the bits above those of the ones
// before it. A full row is told when the next equation begins, or at finish().
class EqualityBatch {
 public:
  explicit EqualityBatch(CircuitBuilder& builder) : builder_(builder) {}

  // Begins an equation of n bits; add() and equals() then name its two sides with coefficients 2^exponent.
  void begin(unsigned n_bits);
  void add(unsigned exponent, const Bit& bit) { bit.add_to(left_, power_of_two(first_bit_ + exponent)); }
  void equals(unsigned exponent, const Bit& bit) { bit.add_to(right_, power_of_two(first_bit_ + exponent)); }

  void finish();

 private:
  CircuitBuilder& builder_;
  LinearCombination left_, right_;
  unsigned first_bit_ = 0, next_bit_ = 0;
};

// The sum modulo 2^32 of 2 to 8 words. It allocates every bit of the exact sum; if all bits of all words are constant,
// the sum is a constant word and nothing is allocated.
Word32 add_words(CircuitBuilder& builder, std::span<const Word32> words, EqualityBatch& batch);

}  // namespace groth16::circuits
