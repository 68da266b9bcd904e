// The shape of a Merkle tree, and the path from one of its leaves to the root.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "groth16/circuits/linear_combination.hpp"

namespace groth16::circuits {

// The number of children of the nodes of each level, the level above the leaves first; each a power of two.
using TreeShape = std::vector<unsigned>;

constexpr unsigned bits_of_level(unsigned arity) { return static_cast<unsigned>(std::countr_zero(arity)); }

// The leaf's index is the mixed-radix number of the places on the way up, the lowest digit at the leaf. siblings: the
// arity - 1 other children of each level, left to right, from the leaf up; plain integers below r.
struct MerklePath {
  std::uint64_t leaf_index = 0;
  std::vector<Scalar> siblings;
};

constexpr std::size_t sibling_count(const TreeShape& shape) {
  std::size_t count = 0;
  for (const unsigned arity : shape) count += arity - 1;
  return count;
}

}  // namespace groth16::circuits
