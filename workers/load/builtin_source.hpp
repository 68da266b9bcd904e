// A key in bellperson's parameters (.params) and the built-in circuit that it is for, which its counts tell.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "groth16/formats/bellperson_params.hpp"
#include "workers/load/builtin_system.hpp"

namespace groth16d::worker {

// Whether the key's file is to be read as parameters: its name ends with ".params", or it begins as the parameters of a
// built-in circuit do.
bool is_params(const GuardedFile& key);

class BuiltinSource {
 public:
  // Errors: those of BellpersonParams::parse; bellperson_params.insecure; not_found circuit.sizes (no circuit has these
  // counts); mismatch params.r1cs (an .r1cs was registered beside).
  static Result<BuiltinSource> parse(const CircuitFiles& files);

  CircuitSummary summary(const Digest& key_digest) const;

  // Writes the constraint system, then the key. Errors: segment.too_small; those of the circuit and of
  // BellpersonParams::load_key; cancelled.
  Result<void> convert(const Digest& key_digest, std::span<std::byte> key_segment, std::span<std::byte> r1cs_segment,
                       const groth16::Compute& compute) const;

 private:
  BuiltinSource(groth16::formats::BellpersonParams params, BuiltinCircuitPointer circuit)
      : params_(std::move(params)), system_(std::move(circuit)) {}

  groth16::formats::BellpersonParams params_;
  BuiltinSystem system_;
};

}  // namespace groth16d::worker
