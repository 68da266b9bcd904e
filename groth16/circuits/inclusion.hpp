// The gadgets of Merkle trees: insertion of a node among its siblings, and the proof that a leaf belongs to a root.
#pragma once

#include <span>
#include <vector>

#include "groth16/circuits/merkle_path.hpp"
#include "groth16/circuits/number.hpp"

namespace groth16::circuits {

// The 2, 4 or 8 children of a node: element at the index that the bits name (least significant first), its siblings in
// their order around it.
std::vector<Number> insert(CircuitBuilder& builder, const Number& element, std::span<const Bit> index,
                           std::span<const Number> siblings);

enum class TreeHash { sha256, poseidon };  // sha256: binary trees of 254-bit nodes

// Proves that leaf lies in the tree under root, at an index that becomes a public input. path fits the shape.
void prove_inclusion(CircuitBuilder& builder, TreeHash hash, const TreeShape& shape, const MerklePath& path,
                     const Number& leaf, const Number& root);

}  // namespace groth16::circuits
