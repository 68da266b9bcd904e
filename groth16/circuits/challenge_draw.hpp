// How the challenged nodes of a replica are drawn, by each of the three rules.
#pragma once

#include <cstdint>
#include <vector>

#include "groth16/circuits/registered_proof.hpp"

namespace groth16::circuits {

// Challenges are numbered through all partitions of a sector.
struct NumberRange {
  std::uint32_t first, count;
};

// From replica_id, the chain's seed and the challenge's number. All functions here: nodes >= 2; every challenge is 1 to
// nodes - 1.
std::vector<std::uint64_t> interactive_challenges(const Bytes32& replica_id, const Bytes32& seed, std::uint64_t nodes,
                                                  NumberRange numbers);

std::vector<std::uint64_t> non_interactive_challenges(const Bytes32& replica_id, const Bytes32& comm_r,
                                                      std::uint64_t nodes, NumberRange numbers);

// A replica and its commitment fix a set of at most 2^18 challenges, in an order; the seed selects places in it.
std::uint64_t synthetic_set_size(std::uint64_t nodes);
std::vector<std::uint64_t> synthetic_challenges(const Bytes32& replica_id, const Bytes32& comm_r, std::uint64_t nodes,
                                                std::uint64_t count);
std::vector<std::uint64_t> synthetic_selection(const Bytes32& replica_id, const Bytes32& seed, std::uint64_t set_size,
                                               NumberRange numbers);

}  // namespace groth16::circuits
