// Bit: a constant, a private variable that is 0 or 1, or the negation of one; and the boolean gates on all three. A
// gate on a constant costs nothing: it gives a constant, an operand, or an operand's negation, by rules that are part
// of the circuit.
#pragma once

#include "groth16/circuits/circuit_builder.hpp"

namespace groth16::circuits {

class Bit {
 public:
  constexpr Bit() = default;  // the constant 0
  static constexpr Bit constant(bool value) { return Bit(Kind::constant, {}, value); }
  // value: the variable's.
  static constexpr Bit is(Variable variable, bool value) { return Bit(Kind::is, variable, value); }

  constexpr bool value() const { return value_; }
  constexpr bool is_constant() const { return kind_ == Kind::constant; }
  constexpr bool is_constant(bool value) const { return is_constant() && value_ == value; }
  constexpr bool is_negation() const { return kind_ == Kind::is_not; }
  constexpr Variable variable() const { return variable_; }  // not of a constant

  constexpr Bit operator!() const {
    constexpr Kind kNegated[] = {Kind::constant, Kind::is_not, Kind::is};
    return Bit(kNegated[static_cast<int>(kind_)], variable_, !value_);
  }

  // As a linear combination: 0, 1, x or 1 - x.
  void add_to(LinearCombination& sum, const Fr& coefficient) const;
  LinearCombination combination() const;

 private:
  enum class Kind : std::uint8_t { constant, is, is_not };
  constexpr Bit(Kind kind, Variable variable, bool value) : variable_(variable), kind_(kind), value_(value) {}

  Variable variable_;
  Kind kind_ = Kind::constant;
  bool value_ = false;
};

// A variable with the row (1 - x) x = 0.
Bit alloc_bit(CircuitBuilder& builder, bool value);

Bit xor_gate(CircuitBuilder& builder, Bit a, Bit b);
Bit and_gate(CircuitBuilder& builder, Bit a, Bit b);

// SHA-256's choice, a ? b : c, and majority of three.
Bit choice_gate(CircuitBuilder& builder, Bit a, Bit b, Bit c);
Bit majority_gate(CircuitBuilder& builder, Bit a, Bit b, Bit c);

}  // namespace groth16::circuits
