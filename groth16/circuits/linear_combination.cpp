#include "groth16/circuits/linear_combination.hpp"

#include <algorithm>
#include <array>

namespace groth16::circuits {

void LinearCombination::add(const Fr& coefficient, const LinearCombination& other) {
  terms_.reserve(terms_.size() + other.terms_.size());
  for (const Term& term : other.terms_) terms_.push_back({term.variable, coefficient * term.coefficient});
}

LinearCombination& LinearCombination::operator+=(const LinearCombination& other) {
  terms_.insert(terms_.end(), other.terms_.begin(), other.terms_.end());
  return *this;
}

LinearCombination& LinearCombination::operator-=(const LinearCombination& other) {
  for (const Term& term : other.terms_) terms_.push_back({term.variable, -term.coefficient});
  return *this;
}

void LinearCombination::scale(const Fr& factor) {
  for (Term& term : terms_) term.coefficient *= factor;
}

void LinearCombination::normalise() {
  const auto precedes = [](const Term& a, const Term& b) { return a.variable < b.variable; };
  if (!std::is_sorted(terms_.begin(), terms_.end(), precedes)) std::sort(terms_.begin(), terms_.end(), precedes);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < terms_.size();) {
    Term merged = terms_[i++];
    while (i < terms_.size() && terms_[i].variable == merged.variable) merged.coefficient += terms_[i++].coefficient;
    if (!merged.coefficient.is_zero()) terms_[kept++] = merged;
  }
  terms_.erase(terms_.begin() + static_cast<std::ptrdiff_t>(kept), terms_.end());
}

const Fr& power_of_two(unsigned exponent) {
  static const auto powers = [] {
    std::array<Fr, Fr::Integer::kBits - 1> table;
    table[0] = Fr::one();
    for (std::size_t i = 1; i < table.size(); ++i) table[i] = table[i - 1].doubled();
    return table;
  }();
  return powers[exponent];
}

}  // namespace groth16::circuits
