// VanillaProof: what the first commit phase proves of one challenge, without a circuit; and how such proofs become the
// input of a partition.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "groth16/circuits/stacked_circuit.hpp"

namespace groth16::circuits {

struct TreeProof {
  Scalar root{}, leaf{};
  MerklePath path;
};

struct ColumnProof {
  std::vector<Scalar> rows;
  TreeProof inclusion;
};

struct VanillaProof {
  TreeProof data, replica;  // in tree D and in tree R
  ColumnProof own;          // the challenged node's
  std::array<ColumnProof, kBaseParents> base_parents;
  std::array<ColumnProof, kExpanderParents> expander_parents;
  std::uint64_t node = 0;
};

// Which trees a path leads through: Single, Sub or Top, in upstream's words.
enum class PathVariant { single, sub, top };
PathVariant path_variant(const SectorShape& shape);

// The partition of these proofs; comm_c and comm_r_last are their common roots. The proofs fit the shape. Errors
// (malformed): c1.roots (two proofs of a tree end in different roots, or data proofs not in comm_d), c1.node.
groth16d::Result<PartitionInput> partition_of(std::string_view file, const Scalar& replica_id, const Scalar& comm_d,
                                              const Scalar& comm_r, std::vector<VanillaProof> proofs,
                                              const SectorShape& shape);

}  // namespace groth16::circuits
