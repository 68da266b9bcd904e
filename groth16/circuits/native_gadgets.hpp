// The native witness of the gadgets above SHA-256: Poseidon, insertion, inclusion and labels, each a twin of the
// description's gadget of the same name.
#pragma once

#include <cstdint>
#include <span>

#include "groth16/circuits/inclusion.hpp"
#include "groth16/circuits/merkle_path.hpp"
#include "groth16/circuits/native_sha256.hpp"

namespace groth16::circuits {

Fr poseidon(WitnessStream& stream, std::span<const Fr> inputs);

// index: as many bits as the number of children asks for.
std::vector<Fr> insert(WitnessStream& stream, const Fr& element, std::uint64_t index, std::span<const Fr> siblings);

// The root that the path leads to. The leaf's index becomes a public input.
Fr prove_inclusion(WitnessStream& stream, TreeHash hash, const TreeShape& shape, const MerklePath& path,
                   const Fr& leaf);

Scalar label(WitnessStream& stream, const TracedState& replica_id, std::span<const TracedState> parents,
             std::uint32_t layer, std::uint64_t node);

}  // namespace groth16::circuits
