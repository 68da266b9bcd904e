// TracedWord: a 32-bit word of a circuit, held as a machine word. For each bit it knows what the description's Bit
// knows: its value, whether it is constant, and whether it is a variable's negation. So the gates on 32 bits at once
// allocate exactly the variables that the description's gates allocate bit by bit, and their values are words as well.
#pragma once

#include <cstdint>

#include "groth16/circuits/witness_stream.hpp"

namespace groth16::circuits {

struct TracedWord {
  std::uint32_t value = 0;
  std::uint32_t constant = ~std::uint32_t{0};  // mask
  std::uint32_t negated = 0;                   // mask; 0 where constant

  static constexpr TracedWord of_constant(std::uint32_t value) { return {value, ~std::uint32_t{0}, 0}; }
  static constexpr TracedWord of_variables(std::uint32_t value) { return {value, 0, 0}; }
  constexpr bool is_constant() const { return constant == ~std::uint32_t{0}; }
  constexpr TracedWord operator~() const { return {~value, constant, negated ^ ~constant}; }
};

constexpr TracedWord rotate_right(const TracedWord& word, unsigned count) {
  const auto turned = [count](std::uint32_t bits) { return bits >> count | bits << (32 - count); };
  return {turned(word.value), turned(word.constant), turned(word.negated)};
}
constexpr TracedWord shift_right(const TracedWord& word, unsigned count) {
  return {word.value >> count, ~(~word.constant >> count), word.negated >> count};
}

// The gates of bit.hpp on each bit; what they allocate goes to the stream.
TracedWord xor_gates(WitnessStream& stream, const TracedWord& a, const TracedWord& b);
TracedWord choice_gates(WitnessStream& stream, const TracedWord& a, const TracedWord& b, const TracedWord& c);
TracedWord majority_gates(WitnessStream& stream, const TracedWord& a, const TracedWord& b, const TracedWord& c);

// A sum of words on its way (word32.hpp's add_words): it allocates its bits when it is asked for.
class TracedSum {
 public:
  explicit TracedSum(const TracedWord& first) : first_(first), sum_(first.value), constant_(first.constant) {}

  TracedSum plus(const TracedWord& word) const {
    TracedSum sum = *this;
    sum.sum_ += word.value;
    sum.constant_ &= word.constant;
    ++sum.n_words_;
    return sum;
  }

  TracedWord add_up(WitnessStream& stream) const;

 private:
  TracedWord first_;
  std::uint64_t sum_;
  std::uint32_t constant_;
  unsigned n_words_ = 1;
};

}  // namespace groth16::circuits
