#include "groth16/circuits/vanilla_proof.hpp"

#include <string>
#include <utility>

namespace groth16::circuits {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

ChallengeInput challenge_of(VanillaProof&& proof) {
  ChallengeInput challenge;
  challenge.node = proof.node;
  challenge.data_leaf = proof.data.leaf;
  challenge.data_path = std::move(proof.data.path);
  const auto parent_of = [](ColumnProof& column) {
    return ParentInput{std::move(column.rows), std::move(column.inclusion.path)};
  };
  for (std::size_t i = 0; i < kBaseParents; ++i) challenge.parents[i] = parent_of(proof.base_parents[i]);
  for (std::size_t i = 0; i < kExpanderParents; ++i) {
    challenge.parents[kBaseParents + i] = parent_of(proof.expander_parents[i]);
  }
  challenge.replica_path = std::move(proof.replica.path);
  challenge.column_path = std::move(proof.own.inclusion.path);
  return challenge;
}

// The name of the first tree whose root in the proof is another, or an empty text.
std::string_view other_root(const VanillaProof& proof, const PartitionInput& partition) {
  if (!(proof.data.root == partition.comm_d)) return "comm_d";
  if (!(proof.replica.root == partition.comm_r_last)) return "comm_r_last";
  bool all_columns = proof.own.inclusion.root == partition.comm_c;
  for (const auto& parent : proof.base_parents) {
    all_columns = all_columns && parent.inclusion.root == partition.comm_c;
  }
  for (const auto& parent : proof.expander_parents) {
    all_columns = all_columns && parent.inclusion.root == partition.comm_c;
  }
  return all_columns ? "" : "comm_c";
}

}  // namespace

PathVariant path_variant(const SectorShape& shape) {
  if (shape.arities.top != 0) return PathVariant::top;
  return shape.arities.sub != 0 ? PathVariant::sub : PathVariant::single;
}

Result<PartitionInput> partition_of(std::string_view file, const Scalar& replica_id, const Scalar& comm_d,
                                    const Scalar& comm_r, std::vector<VanillaProof> proofs, const SectorShape& shape) {
  PartitionInput partition{replica_id, comm_d, comm_r, proofs[0].own.inclusion.root, proofs[0].replica.root, {}};
  for (std::size_t i = 0; i < proofs.size(); ++i) {
    const std::string place = std::string(file) + ": challenge " + std::to_string(i) + " of a partition: ";
    if (proofs[i].node >= shape.nodes) {
      return failure(ErrorCode::malformed, "c1.node",
                     place + "node " + std::to_string(proofs[i].node) + " of " + std::to_string(shape.nodes));
    }
    if (const auto tree = other_root(proofs[i], partition); !tree.empty()) {
      return failure(ErrorCode::malformed, "c1.roots", place + "a path does not end in " + std::string(tree));
    }
    partition.challenges.push_back(challenge_of(std::move(proofs[i])));
  }
  return partition;
}

}  // namespace groth16::circuits
