// StackedGraph: the parents of each node. Six base parents by bucket sampling (Alwen, Blocki, Harsha 2017, "Practical
// graphs for optimal side-channel resistant memory-hard functions"), eight expander parents by a Feistel permutation
// of all edges. Neither sorted nor without repetitions.
#pragma once

#include <array>
#include <cstdint>

#include "groth16/circuits/label.hpp"
#include "groth16/circuits/registered_proof.hpp"

namespace groth16::circuits {

class StackedGraph {
 public:
  // nodes: a power of two up to 2^31.
  StackedGraph(std::uint64_t nodes, const Bytes32& porep_id, GraphVersion version);

  // For a node below nodes(); the base parents precede it, but for nodes 0 and 1, whose base parents are 0.
  std::array<std::uint64_t, kBaseParents> base_parents(std::uint64_t node) const;
  std::array<std::uint64_t, kExpanderParents> expander_parents(std::uint64_t node) const;

  std::uint64_t nodes() const { return nodes_; }

 private:
  static constexpr unsigned kFeistelRounds = 3;
  std::uint64_t permute_once(std::uint64_t edge) const;

  std::uint64_t nodes_;
  GraphVersion version_;
  std::array<std::uint8_t, 32> base_seed_{};  // 28 bytes; the node's number fills the last 4
  std::array<std::uint64_t, kFeistelRounds> feistel_keys_{};
  unsigned half_bits_ = 1;  // of an edge's number: 4^half_bits_ covers all edges
};

}  // namespace groth16::circuits
