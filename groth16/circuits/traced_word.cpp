#include "groth16/circuits/traced_word.hpp"

#include <bit>

namespace groth16::circuits {

namespace {

constexpr std::uint32_t kAll = ~std::uint32_t{0};

// What 32 gates give, and in which places they allocate a variable.
struct Gates {
  TracedWord word;
  std::uint32_t allocated;
};

constexpr std::uint32_t select(std::uint32_t mask, std::uint32_t a, std::uint32_t b) {
  return (a & mask) | (b & ~mask);
}

constexpr Gates select(std::uint32_t mask, const Gates& a, const Gates& b) {
  return {{select(mask, a.word.value, b.word.value), select(mask, a.word.constant, b.word.constant),
           select(mask, a.word.negated, b.word.negated)},
          select(mask, a.allocated, b.allocated)};
}

constexpr std::uint32_t zeros(const TracedWord& word) { return word.constant & ~word.value; }
constexpr std::uint32_t ones(const TracedWord& word) { return word.constant & word.value; }

constexpr Gates unchanged(const TracedWord& word) { return {word, 0}; }
constexpr Gates negation(const Gates& gates) { return {~gates.word, gates.allocated}; }

constexpr Gates and_gates(const TracedWord& a, const TracedWord& b) {
  const std::uint32_t constant = zeros(a) | zeros(b) | (a.constant & b.constant);
  return {{a.value & b.value, constant, (ones(a) & b.negated) | (ones(b) & a.negated)}, ~(a.constant | b.constant)};
}

// The values of the variables: a negated bit's variable holds the opposite.
std::uint32_t variables(const TracedWord& word) { return word.value ^ word.negated; }

// Bit i at place 2 i.
constexpr std::uint64_t spread(std::uint32_t bits) {
  std::uint64_t wide = bits;
  wide = (wide | wide << 16) & 0x0000ffff0000ffff;
  wide = (wide | wide << 8) & 0x00ff00ff00ff00ff;
  wide = (wide | wide << 4) & 0x0f0f0f0f0f0f0f0f;
  wide = (wide | wide << 2) & 0x3333333333333333;
  return (wide | wide << 1) & 0x5555555555555555;
}

}  // namespace

TracedWord xor_gates(WitnessStream& stream, const TracedWord& a, const TracedWord& b) {
  const std::uint32_t constant = a.constant & b.constant;
  const TracedWord result{a.value ^ b.value, constant, (a.negated ^ b.negated ^ ones(a) ^ ones(b)) & ~constant};
  stream.put_masked(variables(result), std::uint32_t{~(a.constant | b.constant)});
  return result;
}

// The rules of choice_gate, the last one first: each overrides those after it.
TracedWord choice_gates(WitnessStream& stream, const TracedWord& a, const TracedWord& b, const TracedWord& c) {
  const std::uint32_t value = select(a.value, b.value, c.value);
  Gates gates{TracedWord::of_variables(value), kAll};
  if ((a.constant | b.constant | c.constant) != 0) {
    gates = select(ones(b), negation(and_gates(~a, ~c)), gates);
    gates = select(ones(c), negation(and_gates(a, ~b)), gates);
    gates = select(zeros(c), and_gates(a, b), gates);
    gates = select(zeros(b), and_gates(~a, c), gates);
    gates = select(zeros(a), unchanged(c), gates);
    gates = select(a.constant & b.constant & c.constant, unchanged(TracedWord::of_constant(value)), gates);
  }
  stream.put_masked(variables(gates.word), gates.allocated);
  return gates.word;
}

// The rules of majority_gate, the last one first. Where no operand is constant, the variable of b & c follows the
// result's.
TracedWord majority_gates(WitnessStream& stream, const TracedWord& a, const TracedWord& b, const TracedWord& c) {
  const std::uint32_t both = b.value & c.value;
  const std::uint32_t value = both | (a.value & (b.value | c.value));
  Gates gates{TracedWord::of_variables(value), kAll};
  const std::uint32_t any_constant = a.constant | b.constant | c.constant;
  if (any_constant != 0) {
    gates = select(ones(a), negation(and_gates(~b, ~c)), gates);
    gates = select(ones(b), negation(and_gates(~a, ~c)), gates);
    gates = select(ones(c), negation(and_gates(~a, ~b)), gates);
    gates = select(zeros(c), and_gates(a, b), gates);
    gates = select(zeros(b), and_gates(a, c), gates);
    gates = select(zeros(a), and_gates(b, c), gates);
    gates = select(a.constant & b.constant & c.constant, unchanged(TracedWord::of_constant(value)), gates);
  }
  stream.put_masked(spread(variables(gates.word)) | spread(both) << 1, spread(gates.allocated) | spread(~any_constant)
                                                                                                     << 1);
  return gates.word;
}

TracedWord TracedSum::add_up(WitnessStream& stream) const {
  if (n_words_ == 1) return first_;
  const auto sum = static_cast<std::uint32_t>(sum_);
  if (constant_ == kAll) return TracedWord::of_constant(sum);
  stream.put_bits(sum_, static_cast<unsigned>(std::bit_width(n_words_ * std::uint64_t{0xffffffff})));
  return TracedWord::of_variables(sum);
}

}  // namespace groth16::circuits
