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

Scalar integer_of(const Bytes32& bytes) { return Scalar::from_le_bytes(std::as_bytes(std::span(bytes))); }

Result<PartitionInput> partition_of(std::string_view file, const PorepStatement& statement, VanillaPartition proofs) {
  PartitionInput partition{integer_of(statement.replica_id), integer_of(statement.comm_d), integer_of(statement.comm_r),
                           proofs[0].own.inclusion.root,     proofs[0].replica.root,       {}};
  for (std::size_t i = 0; i < proofs.size(); ++i) {
    const std::string place = std::string(file) + ": challenge " + std::to_string(i) + " of a partition: ";
    if (proofs[i].node >= statement.proof.sector.nodes) {
      return failure(
          ErrorCode::malformed, "c1.node",
          place + "node " + std::to_string(proofs[i].node) + " of " + std::to_string(statement.proof.sector.nodes));
    }
    if (const auto tree = other_root(proofs[i], partition); !tree.empty()) {
      return failure(ErrorCode::malformed, "c1.roots", place + "a path does not end in " + std::string(tree));
    }
    partition.challenges.push_back(challenge_of(std::move(proofs[i])));
  }
  return partition;
}

}  // namespace

PathVariant path_variant(const SectorShape& shape) {
  if (shape.arities.top != 0) return PathVariant::top;
  return shape.arities.sub != 0 ? PathVariant::sub : PathVariant::single;
}

Result<C1> assemble_c1(std::string_view file, const PorepStatement& statement, const Bytes32& ticket,
                       std::vector<VanillaPartition> partitions) {
  if (const auto checked = check_statement(statement); !checked) return tl::unexpected(checked.error());
  if (partitions.size() != statement.proof.partitions()) {
    return failure(ErrorCode::malformed, "c1.count",
                   std::string(file) + ": " + std::to_string(partitions.size()) + " partitions, expected " +
                       std::to_string(statement.proof.partitions()));
  }
  C1 c1{statement, ticket, std::nullopt, {}};
  for (VanillaPartition& proofs : partitions) {
    auto partition = partition_of(file, statement, std::move(proofs));
    if (!partition) return tl::unexpected(partition.error());
    c1.partitions.push_back(std::move(*partition));
  }
  return c1;
}

}  // namespace groth16::circuits
