#include "groth16/circuits/stacked_graph.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "common/blake2.hpp"
#include "groth16/circuits/chacha.hpp"

namespace groth16::circuits {

namespace {

constexpr std::size_t kBaseSeedBytes = 28;
constexpr unsigned kBaseRounds = 8;
constexpr std::uint64_t kSampledParents = kBaseParents - 1;  // the sixth is the node before

Bytes32 seed_of(std::string_view domain, const Bytes32& porep_id) {
  groth16d::Sha256 hash;
  hash.update(domain);
  hash.update(std::as_bytes(std::span(porep_id)));
  return hash.finish();
}

std::uint64_t load_le(const std::uint8_t* bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
  return value;
}

// The first 8 bytes of BLAKE2b(right, key), all big-endian.
std::uint64_t feistel_function(std::uint64_t right, std::uint64_t key) {
  std::array<std::uint8_t, 16> message;
  for (unsigned i = 0; i < 8; ++i) {
    message[i] = static_cast<std::uint8_t>(right >> (56 - 8 * i));
    message[8 + i] = static_cast<std::uint8_t>(key >> (56 - 8 * i));
  }
  const auto digest = groth16d::blake2b_512(std::as_bytes(std::span(message)));
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value = value << 8 | digest[i];
  return value;
}

}  // namespace

StackedGraph::StackedGraph(std::uint64_t nodes, const Bytes32& porep_id, GraphVersion version)
    : nodes_(nodes), version_(version) {
  const Bytes32 base_seed = seed_of("Filecoin_DRSample", porep_id);
  std::copy_n(base_seed.begin(), kBaseSeedBytes, base_seed_.begin());
  const Bytes32 feistel_seed = seed_of("Filecoin_Feistel", porep_id);
  for (unsigned i = 0; i < kFeistelRounds; ++i) feistel_keys_[i] = load_le(feistel_seed.data() + 8 * i);
  while ((std::uint64_t{1} << (2 * half_bits_)) < kExpanderParents * nodes) ++half_bits_;
}

// A distance is drawn from a random power-of-two bucket, in the graph where each node stands for a chain of five.
std::array<std::uint64_t, kBaseParents> StackedGraph::base_parents(std::uint64_t node) const {
  std::array<std::uint64_t, kBaseParents> parents{};
  if (node < 2) return parents;
  ChaCha::Key key = base_seed_;
  for (unsigned i = 0; i < 4; ++i) key[kBaseSeedBytes + i] = static_cast<std::uint8_t>(node >> (8 * i));
  ChaCha random(key, kBaseRounds);

  const std::uint64_t chain_node = kSampledParents * node;
  const auto n_buckets = static_cast<std::uint64_t>(std::bit_width(chain_node));
  const bool node_before_is_first = version_ == GraphVersion::fixed;
  for (std::size_t i = 0; i < kSampledParents; ++i) {
    const std::uint64_t bucket = random.next_u64() % n_buckets + 1;
    const std::uint64_t largest = std::min(chain_node, std::uint64_t{1} << bucket);
    const std::uint64_t smallest = std::max<std::uint64_t>(2, largest / 2);
    const std::uint64_t distance = smallest + random.next_u64() % (largest - smallest + 1);
    const std::uint64_t parent = (chain_node - distance) / kSampledParents;
    parents[i + (node_before_is_first ? 1 : 0)] = parent == node ? node - 1 : parent;
  }
  parents[node_before_is_first ? 0 : kSampledParents] = node - 1;
  return parents;
}

std::uint64_t StackedGraph::permute_once(std::uint64_t edge) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = edge >> half_bits_ & mask, right = edge & mask;
  for (const std::uint64_t key : feistel_keys_) {
    const std::uint64_t mixed = left ^ (feistel_function(right, key) & mask);
    left = right;
    right = mixed;
  }
  return left << half_bits_ | right;
}

std::array<std::uint64_t, kExpanderParents> StackedGraph::expander_parents(std::uint64_t node) const {
  const std::uint64_t n_edges = kExpanderParents * nodes_;
  std::array<std::uint64_t, kExpanderParents> parents;
  for (std::size_t i = 0; i < kExpanderParents; ++i) {
    std::uint64_t edge = kExpanderParents * node + i;
    do {
      edge = permute_once(edge);
    } while (edge >= n_edges);
    if (version_ == GraphVersion::legacy) edge &= 0xffffffff;
    parents[i] = edge / kExpanderParents;
  }
  return parents;
}

}  // namespace groth16::circuits
