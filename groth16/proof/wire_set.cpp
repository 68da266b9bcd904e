#include "groth16/proof/wire_set.hpp"

#include <bit>
#include <utility>

namespace groth16 {

WireSet::WireSet(std::vector<std::uint64_t> words) : words_(std::move(words)) {
  ranks_.reserve(words_.size());
  for (const std::uint64_t word : words_) {
    ranks_.push_back(static_cast<std::uint32_t>(count_));
    count_ += static_cast<std::uint64_t>(std::popcount(word));
  }
}

template <class C>
WireSet WireSet::of_matrix(const ConstraintSystem<C>& system, MatrixId matrix) {
  std::vector<std::uint64_t> words((system.n_vars() + 63) / 64, 0);
  const SparseMatrix& terms = system.matrix(matrix);
  for (std::uint64_t term = 0; term < terms.n_terms(); ++term) {
    const std::uint32_t wire = terms.wire(term);
    words[wire / 64] |= std::uint64_t{1} << (wire % 64);
  }
  return WireSet(std::move(words));
}

template WireSet WireSet::of_matrix(const ConstraintSystem<Bn254>&, MatrixId);
template WireSet WireSet::of_matrix(const ConstraintSystem<Bls12_381>&, MatrixId);

}  // namespace groth16
