#include "groth16/circuits/sparse_tree.hpp"

#include <utility>

#include "groth16/circuits/poseidon_hash.hpp"

namespace groth16::circuits {

SparseTree::SparseTree(TreeShape shape, Level leaves, const Filler& filler) : shape_(std::move(shape)) {
  levels_.push_back(std::move(leaves));
  for (std::size_t level = 0; level < shape_.size(); ++level) {
    const unsigned arity = shape_[level];
    Level above;
    for (const auto& [index, value] : levels_[level]) above.emplace(index / arity, Fr::zero());
    for (auto& [parent, value] : above) {
      std::vector<Fr> children;
      for (std::uint64_t index = parent * arity; index < (parent + 1) * arity; ++index) {
        const auto found = levels_[level].find(index);
        const Fr child = found != levels_[level].end() ? found->second : filler(level, index);
        if (found == levels_[level].end()) levels_[level].emplace(index, child);
        children.push_back(child);
      }
      value = poseidon_hash(poseidon_constants(arity), children);
    }
    levels_.push_back(std::move(above));
  }
}

MerklePath SparseTree::path(std::uint64_t leaf_index) const {
  MerklePath path{leaf_index, {}};
  std::uint64_t index = leaf_index;
  for (std::size_t level = 0; level < shape_.size(); ++level) {
    const std::uint64_t first = index - index % shape_[level];
    for (std::uint64_t sibling = first; sibling < first + shape_[level]; ++sibling) {
      if (sibling != index) path.siblings.push_back(levels_[level].at(sibling).to_uint());
    }
    index /= shape_[level];
  }
  return path;
}

}  // namespace groth16::circuits
