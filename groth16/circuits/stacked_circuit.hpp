// The circuit of a Filecoin replication proof (StackedDRG, commit phase 2), one partition of it, and what it is proven
// from.
//
// The prover shows for each challenged node that its data leaf lies under comm_d; that the columns of its 14 parents
// lie under comm_c; that the labels computed from them layer by layer make its own column under comm_c; and that the
// last label plus the data leaf lies under comm_r_last, where comm_r is the hash of comm_c and comm_r_last.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "groth16/circuits/circuit_builder.hpp"
#include "groth16/circuits/label.hpp"
#include "groth16/circuits/merkle_path.hpp"
#include "groth16/circuits/sector_shape.hpp"

namespace groth16::circuits {

struct ParentInput {
  std::vector<Scalar> column;  // the parent's label of each layer, layer 1 first
  MerklePath path;             // of the column's hash in tree C
};

struct ChallengeInput {
  std::uint64_t node = 0;  // the challenge
  Scalar data_leaf{};
  MerklePath data_path;                       // of the data leaf in tree D
  std::array<ParentInput, kParents> parents;  // the base graph's, then the expander's
  MerklePath replica_path;                    // of the encoded node in tree R
  MerklePath column_path;                     // of the node's column hash in tree C
};

// All numbers are plain integers below r.
struct PartitionInput {
  Scalar replica_id{}, comm_d{}, comm_r{}, comm_c{}, comm_r_last{};
  std::vector<ChallengeInput> challenges;
};

// An input of this shape with zeros everywhere, for who wants the constraint system and no witness.
PartitionInput blank_input(const SectorShape& shape);

// Public inputs: replica_id, comm_d, comm_r; then for each challenge its place in tree D, its 14 parents, the challenge
// itself, its place in tree R, its place in tree C. input has the vectors' lengths that the shape asks for.
void describe_stacked_circuit(CircuitBuilder& builder, const SectorShape& shape, const PartitionInput& input);

// The values of these public inputs, x_1 first.
std::vector<Scalar> stacked_public_inputs(const PartitionInput& input);

}  // namespace groth16::circuits
