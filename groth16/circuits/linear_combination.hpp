// LinearCombination: a sum of coefficient times variable over the scalar field of BLS12-381, as a circuit's description
// writes it, and the order and merging that make it canonical.
#pragma once

#include <cstdint>
#include <span>

#include <boost/container/small_vector.hpp>

#include "groth16/algebra/bls12_381.hpp"

namespace groth16::circuits {

using Fr = Bls12_381::Fr;
using Scalar = Bls12_381::Scalar;  // a plain integer, canonical when below r

// A public or a private variable; each sort is numbered 0, 1, ... in the order of allocation. Public variable 0 is the
// constant one. The order of variables: public ones first, each sort by number.
class Variable {
 public:
  constexpr Variable() = default;  // the constant one
  static constexpr Variable public_number(std::uint32_t number) { return Variable(number); }
  static constexpr Variable private_number(std::uint32_t number) { return Variable(number | kPrivate); }

  constexpr bool is_private() const { return (code_ & kPrivate) != 0; }
  constexpr std::uint32_t number() const { return code_ & ~kPrivate; }
  friend constexpr auto operator<=>(Variable, Variable) = default;

 private:
  static constexpr std::uint32_t kPrivate = std::uint32_t{1} << 31;
  explicit constexpr Variable(std::uint32_t code) : code_(code) {}
  std::uint32_t code_ = 0;
};

inline constexpr Variable kOne{};

struct Term {
  Variable variable;
  Fr coefficient;
};

// Terms in any order, a variable any number of times, until normalise(). Terms whose coefficients cancel out vanish.
class LinearCombination {
 public:
  LinearCombination() = default;
  LinearCombination(Variable variable) { add(Fr::one(), variable); }

  void add(const Fr& coefficient, Variable variable) { terms_.push_back({variable, coefficient}); }
  void add(const Fr& coefficient, const LinearCombination& other);

  LinearCombination& operator+=(const LinearCombination& other);
  LinearCombination& operator-=(const LinearCombination& other);
  friend LinearCombination operator+(LinearCombination a, const LinearCombination& b) { return a += b, a; }
  friend LinearCombination operator-(LinearCombination a, const LinearCombination& b) { return a -= b, a; }
  friend LinearCombination operator*(const Fr& factor, LinearCombination a) { return a.scale(factor), a; }

  // One term a variable, variables rising, no coefficient zero.
  void normalise();
  std::span<const Term> terms() const { return {terms_.data(), terms_.size()}; }
  void clear() { terms_.clear(); }

 private:
  void scale(const Fr& factor);

  boost::container::small_vector<Term, 4> terms_;  // most rows of a circuit of bits have at most four
};

// 2^exponent, exponent < 255.
const Fr& power_of_two(unsigned exponent);

}  // namespace groth16::circuits
