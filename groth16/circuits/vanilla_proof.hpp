// VanillaProof: what the first commit phase proves of one challenge, without a circuit; and how such proofs become a
// C1.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "groth16/circuits/c1.hpp"

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

// A partition's proofs, challenge by challenge.
using VanillaPartition = std::vector<VanillaProof>;

// The last step of every reader: checks the statement, the number of partitions and the roots, and keeps what the
// circuit uses; comm_c and comm_r_last are the common roots of a partition's proofs. The proofs fit the statement's
// sector, and no partition is empty. Errors: those of check_statement; (malformed) c1.count, c1.roots (two proofs of a
// tree end in different roots, or data proofs not in comm_d), c1.node.
groth16d::Result<C1> assemble_c1(std::string_view file, const PorepStatement& statement, const Bytes32& ticket,
                                 std::vector<VanillaPartition> partitions);

}  // namespace groth16::circuits
