// SparseTree: a Merkle tree of up to 2^31 leaves of which only the known leaves, their ancestors, and these nodes'
// siblings exist; whatever is missing beside them is filled with values of the caller's choice.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "groth16/circuits/merkle_path.hpp"

namespace groth16::circuits {

class SparseTree {
 public:
  using Level = std::unordered_map<std::uint64_t, Fr>;
  // The value of a missing node: its level (leaves: 0) and its index in the level.
  using Filler = std::function<Fr(std::size_t level, std::uint64_t index)>;

  // Inner nodes are Poseidon hashes. At least one leaf.
  SparseTree(TreeShape shape, Level leaves, const Filler& filler);

  const Fr& root() const { return levels_.back().begin()->second; }
  const Fr& leaf(std::uint64_t index) const { return levels_[0].at(index); }

  // Of a known leaf, or of one that fills a group of one.
  MerklePath path(std::uint64_t leaf_index) const;

 private:
  TreeShape shape_;
  std::vector<Level> levels_;  // leaves first, the root last
};

}  // namespace groth16::circuits
