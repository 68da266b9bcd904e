// SYNTH: from a partition's input to its packed witness and, where the host evaluates, the rows of A w and B w.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "common/error.hpp"
#include "groth16/algebra/compute.hpp"

namespace groth16d::worker {

struct SynthesisInput {
  std::span<const std::byte> input;  // a .wtns file, or the flat input of a built-in circuit
  std::string input_name;            // how the client calls it
  std::span<const std::byte> r1cs;   // the constraint system's flat form
};

struct SynthesisOutput {
  std::span<std::byte> witness;  // at least packed_witness_bytes of the system
  std::span<std::byte> ab;       // empty: a and b are not evaluated here
};

// Returns how many bytes of the witness's segment are used. Errors, of the input: those of WitnessFile::parse and
// check_fits, of PackedWitnessWriter::finish, of BuiltinCircuit::write_witness; of the segments: witness.length, ab.*,
// those of ConstraintSystem::open; cancelled.
Result<std::uint64_t> synthesize(const SynthesisInput& input, const SynthesisOutput& output,
                                 const groth16::Compute& compute);

}  // namespace groth16d::worker
