// BuiltinSystem: the constraint system of the built-in circuit that a key's file leads to, parameters
// (builtin_source.hpp) or a recipe (recipe_source.hpp). It comes from the circuit, so there is no other file.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "groth16/circuits/builtin_circuit.hpp"
#include "workers/load/circuit.hpp"
#include "workers/load/circuit_summary.hpp"

namespace groth16d::worker {

using BuiltinCircuitPointer = std::unique_ptr<const groth16::circuits::BuiltinCircuit>;

// The circuit that was looked up for a key, with the key's name in front of what is wrong. Errors: those of the
// look-up; mismatch r1cs_error (an .r1cs was registered beside).
Result<BuiltinCircuitPointer> circuit_of_key(const CircuitFiles& files, const char* r1cs_error,
                                             Result<BuiltinCircuitPointer> found);

class BuiltinSystem {
 public:
  using Curve = groth16::Bls12_381;

  explicit BuiltinSystem(BuiltinCircuitPointer circuit) : circuit_(std::move(circuit)), plan_(circuit_->plan()) {}

  // But for what only the key says: its warnings, and the digest of its verifying key.
  CircuitSummary summary(const Digest& key_digest) const;

  struct Written {
    groth16::ConstraintSystem<Curve> system;
    std::span<std::byte> key;  // where the key will be
  };
  // Writes the system into its segment. Errors: segment.too_small, of either; those of the circuit; cancelled.
  Result<Written> write(std::span<std::byte> key_segment, std::span<std::byte> r1cs_segment,
                        const groth16::Compute& compute) const;

 private:
  BuiltinCircuitPointer circuit_;
  groth16::SystemPlan<Curve> plan_;
};

}  // namespace groth16d::worker
