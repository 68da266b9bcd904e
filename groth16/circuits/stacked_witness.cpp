#include "groth16/circuits/stacked_witness.hpp"

#include <array>
#include <vector>

#include "groth16/circuits/native_gadgets.hpp"

namespace groth16::circuits {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

// Each function here is the twin of the one in stacked_circuit.cpp that describes the same part.
class PartitionWriter {
 public:
  PartitionWriter(const SectorShape& shape, WitnessStream& stream)
      : layers_(shape.layers), data_tree_(shape.data_tree()), tree_(shape.replica_tree()), stream_(stream) {}

  void write(const PartitionInput& input) {
    write_public_number(input.replica_id);
    const TracedState replica_id = to_message_words(stream_, input.replica_id);
    write_public_number(input.comm_d);
    write_public_number(input.comm_r);
    stream_.put(input.comm_r_last);
    stream_.put(input.comm_c);
    poseidon(stream_, std::array{Fr::from_uint(input.comm_c), Fr::from_uint(input.comm_r_last)});
    for (const ChallengeInput& challenge : input.challenges) write_challenge(challenge, replica_id);
  }

 private:
  void write_public_number(const Scalar& value) {
    stream_.put(value);
    stream_.put_public(value);
  }

  void write_challenge(const ChallengeInput& input, const TracedState& replica_id) {
    const Fr data_leaf = Fr::from_uint(input.data_leaf);
    stream_.put(input.data_leaf);
    prove_inclusion(stream_, TreeHash::sha256, data_tree_, input.data_path, data_leaf);
    for (const ParentInput& parent : input.parents) write_parent(parent);
    stream_.put_bits(input.node, 64);
    stream_.put_public(Scalar::from_u64(input.node));
    const std::vector<Fr> labels = write_labels(input, replica_id);
    const Fr encoded = labels.back() + data_leaf;
    stream_.put(encoded);
    prove_inclusion(stream_, TreeHash::poseidon, tree_, input.replica_path, encoded);
    prove_inclusion(stream_, TreeHash::poseidon, tree_, input.column_path, poseidon(stream_, labels));
  }

  void write_parent(const ParentInput& parent) {
    std::vector<Fr> column;
    for (const Scalar& row : parent.column) {
      stream_.put(row);
      column.push_back(Fr::from_uint(row));
    }
    prove_inclusion(stream_, TreeHash::poseidon, tree_, parent.path, poseidon(stream_, column));
  }

  std::vector<Fr> write_labels(const ChallengeInput& input, const TracedState& replica_id) {
    std::vector<Fr> labels;
    for (std::uint32_t layer = 1; layer <= layers_; ++layer) {
      std::vector<TracedState> parents;
      for (std::size_t i = 0; i < kBaseParents; ++i) {
        parents.push_back(to_message_words(stream_, input.parents[i].column[layer - 1]));
      }
      for (std::size_t i = kBaseParents; i < kParents && layer > 1; ++i) {
        parents.push_back(to_message_words(stream_, input.parents[i].column[layer - 2]));
      }
      labels.push_back(Fr::from_uint(label(stream_, replica_id, parents, layer, input.node)));
    }
    return labels;
  }

  std::uint32_t layers_;
  TreeShape data_tree_, tree_;
  WitnessStream& stream_;
};

}  // namespace

void put_stacked_witness(WitnessStream& stream, const SectorShape& shape, const PartitionInput& input) {
  PartitionWriter(shape, stream).write(input);
}

Result<void> write_stacked_witness(const SectorShape& shape, const PartitionInput& input,
                                   const ConstraintSystem<Bls12_381>& system, std::span<std::byte> out) {
  if (!(system.sizes() == shape.system_sizes())) {
    return failure(ErrorCode::mismatch, "circuit.mismatch",
                   "the constraint system has " + std::to_string(system.n_vars()) + " wires, that of a " +
                       sector_name(shape.sector_bytes()) + " partition " + std::to_string(shape.system_sizes().n_vars));
  }
  const auto arrays = lay_out_packed_witness(system, out);
  if (!arrays) return tl::unexpected(arrays.error());
  WitnessStream stream(*arrays);
  put_stacked_witness(stream, shape, input);
  return stream.finish(system);
}

}  // namespace groth16::circuits
