#include "groth16/circuits/bit.hpp"

#include <utility>

namespace groth16::circuits {

namespace {

Fr element(bool value) { return value ? Fr::one() : Fr::zero(); }

Bit alloc_gate(CircuitBuilder& builder, bool value) {
  return Bit::is(builder.alloc(element(value), Storage::bit), value);
}

}  // namespace

void Bit::add_to(LinearCombination& sum, const Fr& coefficient) const {
  if (is_constant()) {
    if (value_) sum.add(coefficient, kOne);
  } else if (is_negation()) {
    sum.add(coefficient, kOne);
    sum.add(-coefficient, variable_);
  } else {
    sum.add(coefficient, variable_);
  }
}

LinearCombination Bit::combination() const {
  LinearCombination sum;
  add_to(sum, Fr::one());
  return sum;
}

Bit alloc_bit(CircuitBuilder& builder, bool value) {
  const Bit bit = alloc_gate(builder, value);
  builder.enforce(LinearCombination(kOne) - bit.variable(), bit.variable(), {});
  return bit;
}

// Of variables x and y: 2x * y = x + y - (x ^ y). The negation of one operand negates the result.
Bit xor_gate(CircuitBuilder& builder, Bit a, Bit b) {
  if (a.is_constant(false)) return b;
  if (b.is_constant(false)) return a;
  if (a.is_constant(true)) return !b;
  if (b.is_constant(true)) return !a;
  const bool is_negated = a.is_negation() != b.is_negation();
  const Variable x = is_negated && a.is_negation() ? b.variable() : a.variable();
  const Variable y = is_negated && a.is_negation() ? a.variable() : b.variable();
  const Bit result = alloc_gate(builder, (a.value() != b.value()) != is_negated);
  LinearCombination doubled;
  doubled.add(power_of_two(1), x);
  builder.enforce(doubled, y, LinearCombination(x) + y - result.variable());
  return is_negated ? !result : result;
}

// Of what is neither constant: a * b = result, the operand that is no negation first.
Bit and_gate(CircuitBuilder& builder, Bit a, Bit b) {
  if (a.is_constant(false) || b.is_constant(false)) return Bit::constant(false);
  if (a.is_constant(true)) return b;
  if (b.is_constant(true)) return a;
  const Bit result = alloc_gate(builder, a.value() && b.value());
  if (a.is_negation() && !b.is_negation()) std::swap(a, b);
  builder.enforce(a.combination(), b.combination(), result.variable());
  return result;
}

Bit choice_gate(CircuitBuilder& builder, Bit a, Bit b, Bit c) {
  const bool value = a.value() ? b.value() : c.value();
  if (a.is_constant() && b.is_constant() && c.is_constant()) return Bit::constant(value);
  if (a.is_constant(false)) return c;
  if (b.is_constant(false)) return and_gate(builder, !a, c);
  if (c.is_constant(false)) return and_gate(builder, a, b);
  if (c.is_constant(true)) return !and_gate(builder, a, !b);
  if (b.is_constant(true)) return !and_gate(builder, !a, !c);
  const Bit result = alloc_gate(builder, value);
  builder.enforce(b.combination() - c.combination(), a.combination(),
                  LinearCombination(result.variable()) - c.combination());
  return result;
}

// Of three that are not constant: (2 bc - b - c) a = bc - result, the result allocated before bc.
Bit majority_gate(CircuitBuilder& builder, Bit a, Bit b, Bit c) {
  const bool value = (a.value() && b.value()) || (a.value() && c.value()) || (b.value() && c.value());
  if (a.is_constant() && b.is_constant() && c.is_constant()) return Bit::constant(value);
  if (a.is_constant(false)) return and_gate(builder, b, c);
  if (b.is_constant(false)) return and_gate(builder, a, c);
  if (c.is_constant(false)) return and_gate(builder, a, b);
  if (c.is_constant(true)) return !and_gate(builder, !a, !b);
  if (b.is_constant(true)) return !and_gate(builder, !a, !c);
  if (a.is_constant(true)) return !and_gate(builder, !b, !c);
  const Bit result = alloc_gate(builder, value);
  const LinearCombination both = and_gate(builder, b, c).combination();
  builder.enforce(both + both - b.combination() - c.combination(), a.combination(),
                  both - LinearCombination(result.variable()));
  return result;
}

}  // namespace groth16::circuits
