#include "groth16/circuits/stacked_circuit.hpp"

#include "groth16/circuits/inclusion.hpp"
#include "groth16/circuits/poseidon_gadget.hpp"

namespace groth16::circuits {

namespace {

// What all challenges of a partition refer to.
struct Commitments {
  std::vector<Bit> replica_id;  // message bits
  Number comm_d, comm_c, comm_r_last;
};

Number alloc_public_number(CircuitBuilder& builder, const Scalar& value) {
  const Number number = alloc_number(builder, value);
  make_public(builder, number);
  return number;
}

Commitments describe_commitments(CircuitBuilder& builder, const PartitionInput& input) {
  Commitments commitments;
  commitments.replica_id = to_message_bits(builder, alloc_public_number(builder, input.replica_id));
  commitments.comm_d = alloc_public_number(builder, input.comm_d);
  const Number comm_r = alloc_public_number(builder, input.comm_r);
  commitments.comm_r_last = alloc_number(builder, input.comm_r_last);
  commitments.comm_c = alloc_number(builder, input.comm_c);
  enforce_equal(builder, comm_r, poseidon(builder, std::array{commitments.comm_c, commitments.comm_r_last}));
  return commitments;
}

using Columns = std::array<std::vector<Number>, kParents>;

Columns describe_parents(CircuitBuilder& builder, const TreeShape& tree, const ChallengeInput& input,
                         const Number& comm_c) {
  Columns columns;
  for (std::size_t i = 0; i < kParents; ++i) {
    for (const Scalar& row : input.parents[i].column) columns[i].push_back(alloc_number(builder, row));
    const Number hash = poseidon(builder, columns[i]);
    prove_inclusion(builder, TreeHash::poseidon, tree, input.parents[i].path, hash, comm_c);
  }
  return columns;
}

// The labels of the challenged node, layer 1 first. A base parent counts with its label of the same layer, an expander
// parent with that of the layer before.
std::vector<Number> describe_labels(CircuitBuilder& builder, const SectorShape& shape, const Columns& columns,
                                    std::span<const Bit> replica_id, std::span<const Bit> node) {
  std::vector<Number> labels;
  for (std::uint32_t layer = 1; layer <= shape.layers; ++layer) {
    std::vector<std::vector<Bit>> parents;
    for (std::size_t i = 0; i < kBaseParents; ++i) {
      parents.push_back(to_message_bits(builder, columns[i][layer - 1]));
    }
    for (std::size_t i = kBaseParents; i < kParents && layer > 1; ++i) {
      parents.push_back(to_message_bits(builder, columns[i][layer - 2]));
    }
    labels.push_back(label(builder, replica_id, parents, layer, node));
  }
  return labels;
}

void describe_challenge(CircuitBuilder& builder, const SectorShape& shape, const ChallengeInput& input,
                        const Commitments& commitments) {
  const TreeShape tree = shape.replica_tree();
  const Number data_leaf = alloc_number(builder, input.data_leaf);
  prove_inclusion(builder, TreeHash::sha256, shape.data_tree(), input.data_path, data_leaf, commitments.comm_d);
  const Columns columns = describe_parents(builder, tree, input, commitments.comm_c);
  const std::vector<Bit> node = alloc_u64(builder, input.node);
  pack_public(builder, node);
  const std::vector<Number> labels = describe_labels(builder, shape, columns, commitments.replica_id, node);
  const Number encoded = add(builder, labels.back(), data_leaf);
  prove_inclusion(builder, TreeHash::poseidon, tree, input.replica_path, encoded, commitments.comm_r_last);
  const Number column_hash = poseidon(builder, labels);
  prove_inclusion(builder, TreeHash::poseidon, tree, input.column_path, column_hash, commitments.comm_c);
}

}  // namespace

PartitionInput blank_input(const SectorShape& shape) {
  const MerklePath blank_path{0, std::vector<Scalar>(sibling_count(shape.replica_tree()), Scalar{})};
  ChallengeInput challenge;
  challenge.data_path.siblings.resize(sibling_count(shape.data_tree()), Scalar{});
  for (ParentInput& parent : challenge.parents) {
    parent = {std::vector<Scalar>(shape.layers, Scalar{}), blank_path};
  }
  challenge.replica_path = challenge.column_path = blank_path;
  PartitionInput input;
  input.challenges.assign(shape.challenges, challenge);
  return input;
}

void describe_stacked_circuit(CircuitBuilder& builder, const SectorShape& shape, const PartitionInput& input) {
  const Commitments commitments = describe_commitments(builder, input);
  for (const ChallengeInput& challenge : input.challenges) {
    describe_challenge(builder, shape, challenge, commitments);
  }
}

std::vector<Scalar> stacked_public_inputs(const PartitionInput& input) {
  std::vector<Scalar> publics{input.replica_id, input.comm_d, input.comm_r};
  const auto add = [&](std::uint64_t value) { publics.push_back(Scalar::from_u64(value)); };
  for (const ChallengeInput& challenge : input.challenges) {
    add(challenge.data_path.leaf_index);
    for (const ParentInput& parent : challenge.parents) add(parent.path.leaf_index);
    add(challenge.node);
    add(challenge.replica_path.leaf_index);
    add(challenge.column_path.leaf_index);
  }
  return publics;
}

}  // namespace groth16::circuits
