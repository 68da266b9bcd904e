// The replication proofs that Filecoin knows by name: a size of sector with a version of graph and challenges. All
// variants of a size share one circuit and one key.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/digest.hpp"
#include "groth16/circuits/sector_shape.hpp"

namespace groth16::circuits {

using Bytes32 = groth16d::Digest;
using groth16d::bytes_of;

// Version 1.0.0 of the interface had a graph whose base parents end with the node before; it takes expander parents
// modulo 2^32.
enum class GraphVersion { legacy, fixed };

// How challenges are drawn: from the chain's seed, from a set that replica and commitment fix and the seed chooses
// from, or from replica and commitment alone.
enum class ChallengeRule { interactive, synthetic, non_interactive };

struct RegisteredProof {
  SectorShape sector;
  Bytes32 porep_id{};  // u64 number, u64 nonce 0, little-endian, then zeros
  GraphVersion graph = GraphVersion::fixed;
  ChallengeRule rule = ChallengeRule::interactive;

  // Proofs of one sector: enough partitions for the rule's least number of challenges.
  std::uint32_t partitions() const;
};

// "StackedDrg32GiBV1_1_Feat_SyntheticPoRep". Error (malformed): registered_proof.name.
groth16d::Result<RegisteredProof> registered_proof_of_name(std::string_view name);

// All of a sector's size; none for a size without published parameters.
std::vector<RegisteredProof> registered_proofs_of(const SectorShape& sector);

// The key of the size class in a commit-phase-1 file, which is the same for every variant: "StackedDrg32GiBV1".
std::string size_class_name(const SectorShape& sector);

}  // namespace groth16::circuits
