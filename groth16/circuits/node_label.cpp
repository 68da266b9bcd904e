#include "groth16/circuits/node_label.hpp"

#include "groth16/circuits/label.hpp"

namespace groth16::circuits {

namespace {

constexpr std::uint8_t kKeptBits = 0x3f;  // of the last byte: numbers below 2^254

Bytes32 trimmed(Bytes32 digest) {
  digest.back() &= kKeptBits;
  return digest;
}

}  // namespace

Bytes32 node_label(const Bytes32& replica_id, std::uint32_t layer, std::uint64_t node,
                   std::span<const Bytes32> parents) {
  std::array<std::byte, 32> header{};  // layer and node big-endian, then zeros
  for (unsigned i = 0; i < 4; ++i) header[i] = static_cast<std::byte>(layer >> (24 - 8 * i));
  for (unsigned i = 0; i < 8; ++i) header[4 + i] = static_cast<std::byte>(node >> (56 - 8 * i));
  groth16d::Sha256 hash;
  hash.update(bytes_of(replica_id));
  hash.update(header);
  for (std::size_t place = 0; place < kLabelParents && !parents.empty(); ++place) {
    hash.update(bytes_of(parents[label_parent(layer, place)]));
  }
  return trimmed(hash.finish());
}

Bytes32 data_node(const Bytes32& left, const Bytes32& right) {
  groth16d::Sha256 hash;
  hash.update(bytes_of(left));
  hash.update(bytes_of(right));
  return trimmed(hash.finish());
}

Bytes32 zero_data_commitment(std::size_t height) {
  Bytes32 node{};
  for (std::size_t level = 0; level < height; ++level) node = data_node(node, node);
  return node;
}

}  // namespace groth16::circuits
