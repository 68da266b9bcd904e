// The native witness of one partition of the replication circuit: from its input straight into a packed witness.
#pragma once

#include <cstddef>
#include <span>

#include "common/error.hpp"
#include "groth16/circuits/stacked_circuit.hpp"
#include "groth16/circuits/witness_stream.hpp"
#include "groth16/proof/constraint_system.hpp"

namespace groth16::circuits {

// Puts the values of all variables to the stream, in the order of their allocation.
void put_stacked_witness(WitnessStream& stream, const SectorShape& shape, const PartitionInput& input);

// The same as a packed witness. system: that of the shape (SystemAssembly); out: packed_witness_bytes(system) bytes,
// aligned to 8. The numbers of the input are below r and its leaf indices inside their trees. The witness is what the
// input gives; whether it satisfies the system depends on the input. Errors: circuit.mismatch (mismatch: the system is
// another shape's), witness.length, witness.generator (internal).
groth16d::Result<void> write_stacked_witness(const SectorShape& shape, const PartitionInput& input,
                                             const ConstraintSystem<Bls12_381>& system, std::span<std::byte> out);

}  // namespace groth16::circuits
