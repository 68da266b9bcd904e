// The hashes of sealing, without a circuit: the label of a node, and the root of a sector of zeros.
#pragma once

#include <cstdint>
#include <span>

#include "groth16/circuits/registered_proof.hpp"

namespace groth16::circuits {

// parents: labels, base parents first; 6 in layer 1, else 14; none for node 0.
Bytes32 node_label(const Bytes32& replica_id, std::uint32_t layer, std::uint64_t node,
                   std::span<const Bytes32> parents);

// Inner node of tree D: SHA-256 of both, the two most significant bits cleared.
Bytes32 data_node(const Bytes32& left, const Bytes32& right);

// The node at this height above leaves of zeros; at the tree's height it is comm_d of a sector of zeros.
Bytes32 zero_data_commitment(std::size_t height);

}  // namespace groth16::circuits
