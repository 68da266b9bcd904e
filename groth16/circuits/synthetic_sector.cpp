#include "groth16/circuits/synthetic_sector.hpp"

#include <set>
#include <utility>

#include "groth16/circuits/label.hpp"
#include "groth16/circuits/node_label.hpp"
#include "groth16/circuits/poseidon_hash.hpp"
#include "groth16/circuits/stacked_graph.hpp"

namespace groth16::circuits {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

Bytes32 bytes_of(const Fr& value) {
  Bytes32 bytes;
  value.to_uint().to_le_bytes(std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

// An arbitrary number that its name decides.
Fr arbitrary(const std::string& name) {
  Bytes32 digest = groth16d::sha256(name);
  digest.back() &= 0x3f;
  return Fr::from_uint(Scalar::from_le_bytes(std::as_bytes(std::span(digest))));
}

SparseTree::Filler arbitrary_nodes(const std::string& tree) {
  return [tree](std::size_t level, std::uint64_t index) {
    return arbitrary(tree + ":" + std::to_string(level) + ":" + std::to_string(index));
  };
}

using Columns = std::map<std::uint64_t, std::vector<Fr>>;

Columns arbitrary_columns(const std::set<std::uint64_t>& challenged, const StackedGraph& graph, std::uint32_t layers) {
  std::set<std::uint64_t> nodes = challenged;
  for (const std::uint64_t node : challenged) {
    for (const std::uint64_t parent : graph.base_parents(node)) nodes.insert(parent);
    for (const std::uint64_t parent : graph.expander_parents(node)) nodes.insert(parent);
  }
  Columns columns;
  for (const std::uint64_t node : nodes) {
    for (std::uint32_t layer = 1; layer <= layers; ++layer) {
      columns[node].push_back(arbitrary("col:" + std::to_string(node) + ":" + std::to_string(layer)));
    }
  }
  return columns;
}

// A challenged node may be the parent of another: base parents are smaller nodes, expander parents count with the layer
// before, so rising order within each layer is enough.
void label_challenged(Columns& columns, const std::set<std::uint64_t>& challenged, const StackedGraph& graph,
                      const Bytes32& replica_id, std::uint32_t layers) {
  for (std::uint32_t layer = 1; layer <= layers; ++layer) {
    for (const std::uint64_t node : challenged) {
      std::vector<Bytes32> parents;
      for (const std::uint64_t parent : graph.base_parents(node)) {
        parents.push_back(bytes_of(columns.at(parent)[layer - 1]));
      }
      for (const std::uint64_t parent : graph.expander_parents(node)) {
        if (layer > 1) parents.push_back(bytes_of(columns.at(parent)[layer - 2]));
      }
      const Bytes32 label = node_label(replica_id, layer, node, parents);
      columns.at(node)[layer - 1] = Fr::from_uint(Scalar::from_le_bytes(std::as_bytes(std::span(label))));
    }
  }
}

}  // namespace

SyntheticSector::SyntheticSector(PorepStatement statement, Bytes32 ticket,
                                 std::vector<std::vector<std::uint64_t>> challenges, Columns columns,
                                 SparseTree column_tree, SparseTree replica_tree)
    : statement_(std::move(statement)),
      ticket_(ticket),
      challenges_(std::move(challenges)),
      columns_(std::move(columns)),
      column_tree_(std::move(column_tree)),
      replica_tree_(std::move(replica_tree)) {}

Result<SyntheticSector> SyntheticSector::create(const SyntheticRequest& request) {
  if (request.proof.rule != ChallengeRule::interactive) {
    return failure(ErrorCode::malformed, "synthetic.rule",
                   "a sector that is not sealed has valid proofs of interactive challenges only");
  }
  const SectorShape& shape = request.proof.sector;
  PorepStatement statement{request.proof, {}, zero_data_commitment(shape.data_tree().size()), {}, request.seed};
  statement.replica_id = replica_id(prover_id_of_actor(request.actor), request.sector_id, request.ticket,
                                    statement.comm_d, request.proof.porep_id);
  std::vector<std::vector<std::uint64_t>> drawn;
  std::set<std::uint64_t> challenged;
  for (std::uint32_t k = 0; k < request.proof.partitions(); ++k) {
    drawn.push_back(challenges(statement, k));
    challenged.insert(drawn.back().begin(), drawn.back().end());
  }

  const StackedGraph graph(shape.nodes, request.proof.porep_id, request.proof.graph);
  Columns columns = arbitrary_columns(challenged, graph, shape.layers);
  label_challenged(columns, challenged, graph, statement.replica_id, shape.layers);

  SparseTree::Level column_hashes, encoded;
  for (const auto& [node, column] : columns) {
    column_hashes.emplace(node, poseidon_hash(poseidon_constants(shape.layers), column));
  }
  for (const std::uint64_t node : challenged) encoded.emplace(node, columns.at(node).back());  // plus data: zero
  SparseTree column_tree(shape.replica_tree(), std::move(column_hashes), arbitrary_nodes("c"));
  SparseTree replica_tree(shape.replica_tree(), std::move(encoded), arbitrary_nodes("r"));
  statement.comm_r =
      bytes_of(poseidon_hash(poseidon_constants(2), std::array{column_tree.root(), replica_tree.root()}));
  return SyntheticSector(std::move(statement), request.ticket, std::move(drawn), std::move(columns),
                         std::move(column_tree), std::move(replica_tree));
}

}  // namespace groth16::circuits
