// A key recipe and the built-in circuit that it is for: INSPECT says the sizes that follow from the circuit, LOAD
// writes the constraint system and makes the key beside it, straight into the segments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "workers/load/builtin_system.hpp"

namespace groth16d::worker {

bool is_recipe(const GuardedFile& key);

class RecipeSource {
 public:
  // Errors: key_recipe.line; malformed recipe.insecure (such keys are not allowed); not_found circuit.name; mismatch
  // recipe.r1cs (an .r1cs was registered beside).
  static Result<RecipeSource> parse(const CircuitFiles& files);

  // The digest of the verifying key is zero before the key is made.
  CircuitSummary summary(const Digest& key_digest) const;

  // The summary of what was made. Errors: segment.too_small; those of the circuit, of generate_key and of whoever
  // multiplies; cancelled.
  Result<CircuitSummary> make(const Digest& key_digest, std::span<std::byte> key_segment,
                              std::span<std::byte> r1cs_segment, const MultiplesOnDemand& multiples,
                              const groth16::Compute& compute) const;

 private:
  RecipeSource(BuiltinCircuitPointer circuit, std::uint64_t seed) : system_(std::move(circuit)), seed_(seed) {}

  BuiltinSystem system_;
  std::uint64_t seed_;
};

}  // namespace groth16d::worker
