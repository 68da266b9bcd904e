// WireSet: the wires that occur in a matrix of a constraint system, in order. Their polynomials are the ones that are
// not zero, so they are the wires that a key of bellman's kind holds points for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "groth16/proof/constraint_system.hpp"

namespace groth16 {

class WireSet {
 public:
  template <class C>
  static WireSet of_matrix(const ConstraintSystem<C>& system, MatrixId matrix);

  std::uint64_t count() const { return count_; }

  // Wires by 64: bit i of word w is wire 64 w + i.
  std::span<const std::uint64_t> words() const { return words_; }

  // The number of members below wire 64 w.
  std::uint64_t rank_of_word(std::uint64_t word) const { return ranks_[word]; }

 private:
  explicit WireSet(std::vector<std::uint64_t> words);

  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> ranks_;
  std::uint64_t count_ = 0;
};

extern template WireSet WireSet::of_matrix(const ConstraintSystem<Bn254>&, MatrixId);
extern template WireSet WireSet::of_matrix(const ConstraintSystem<Bls12_381>&, MatrixId);

}  // namespace groth16
