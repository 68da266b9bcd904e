// The label of a node of the stacked graph: SHA-256 of who seals, which layer, which node, and the labels of the node's
// parents, over and over up to 37.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "groth16/circuits/number.hpp"

namespace groth16::circuits {

inline constexpr std::size_t kBaseParents = 6;
inline constexpr std::size_t kExpanderParents = 8;
inline constexpr std::size_t kParents = kBaseParents + kExpanderParents;
inline constexpr std::size_t kLabelParents = 37;  // with repetitions

// Which of the parents stands at a place among the 37; layer 1 has the first 6 parents only.
constexpr std::size_t label_parent(std::uint32_t layer, std::size_t place) {
  return place % (layer == 1 ? kBaseParents : kParents);
}

// replica_id and parents: 256 message bits each; parents: 6 for layer 1, else 14. node: 64 bits, least significant
// first. Only the layer's number is constant.
Number label(CircuitBuilder& builder, std::span<const Bit> replica_id, std::span<const std::vector<Bit>> parents,
             std::uint32_t layer, std::span<const Bit> node);

}  // namespace groth16::circuits
