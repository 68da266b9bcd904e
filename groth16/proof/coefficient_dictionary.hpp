// CoefficientDictionary: the different coefficients of a constraint system, by number in the order of their first
// occurrence. 1 has number 0 and -1 number 1, whether they occur or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace groth16 {

template <class Fr>
class CoefficientDictionary {
 public:
  CoefficientDictionary() {
    index_of(Fr::one());
    index_of(-Fr::one());
  }

  // The coefficient's number; a new one gets the next. Neighbouring terms mostly share a coefficient, or have 1 or -1:
  // three comparisons spare most look-ups.
  std::uint32_t index_of(const Fr& coefficient) {
    for (const std::uint32_t likely : {std::uint32_t{0}, std::uint32_t{1}, last_}) {
      if (likely < values_.size() && values_[likely] == coefficient) return likely;
    }
    const auto [found, is_new] = numbers_.try_emplace(coefficient, static_cast<std::uint32_t>(values_.size()));
    if (is_new) values_.push_back(coefficient);
    return last_ = found->second;
  }

  std::span<const Fr> values() const { return values_; }

 private:
  struct Hash {
    std::size_t operator()(const Fr& value) const {
      std::uint64_t hash = 0;
      for (const std::uint64_t limb : value.limbs().limb) hash = (hash ^ limb) * 0x9e3779b97f4a7c15;
      return hash ^ (hash >> 29);
    }
  };

  std::vector<Fr> values_;
  std::unordered_map<Fr, std::uint32_t, Hash> numbers_;
  std::uint32_t last_ = 0;
};

}  // namespace groth16
