// SyntheticSector: a sector that was never sealed and has valid proofs all the same, for tests and benches of any size.
//
// Its data is zero, so comm_d is known at once, and with a seed chosen beforehand so are the challenges. Only the
// challenged nodes and their parents get columns: arbitrary numbers, over which the labels of the challenged nodes are
// computed in rising order; trees C and R are sparse. A chain is not deceived by this: it draws the seed after comm_r.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "groth16/circuits/porep_statement.hpp"
#include "groth16/circuits/sparse_tree.hpp"

namespace groth16::circuits {

struct SyntheticRequest {
  RegisteredProof proof;  // interactive: other challenges follow from comm_r, which follows from them
  std::uint64_t actor = 1000, sector_id = 1;
  Bytes32 ticket{}, seed{};
};

// The same request gives the same sector. Errors (malformed): synthetic.rule.
class SyntheticSector {
 public:
  static groth16d::Result<SyntheticSector> create(const SyntheticRequest& request);

  const PorepStatement& statement() const { return statement_; }

  // SealCommitPhase1Output as JSON, as rust-filecoin-proofs-api writes it. name: of the registered proof.
  std::string c1_json(std::string_view name) const;

 private:
  friend class SyntheticC1Writer;
  using Columns = std::map<std::uint64_t, std::vector<Fr>>;  // a node's labels, layer 1 first

  SyntheticSector(PorepStatement statement, Bytes32 ticket, std::vector<std::vector<std::uint64_t>> challenges,
                  Columns columns, SparseTree column_tree, SparseTree replica_tree);

  PorepStatement statement_;
  Bytes32 ticket_;
  std::vector<std::vector<std::uint64_t>> challenges_;  // of each partition
  Columns columns_;
  SparseTree column_tree_, replica_tree_;
};

}  // namespace groth16::circuits
