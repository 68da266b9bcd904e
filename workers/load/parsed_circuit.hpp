// The headers of a circuit's files, checked and found to belong together: what INSPECT and LOAD both begin with.
#pragma once

#include <optional>

#include "groth16/formats/r1cs_system.hpp"
#include "groth16/formats/zkey.hpp"
#include "workers/load/circuit.hpp"
#include "workers/load/circuit_summary.hpp"

namespace groth16d::worker {

struct ParsedCircuit {
  groth16::formats::ZkeyFile key;
  std::optional<groth16::formats::R1csFile> r1cs;
  groth16::SystemSizes sizes;

  groth16::CurveId curve() const { return key.header().curve; }

  // Errors: see inspect_circuit.
  static Result<ParsedCircuit> parse(const CircuitFiles& files, const groth16::Compute& compute);
};

// A and B as the key lists them. Error: that of ZkeyFile::collect.
template <class C>
Result<groth16::ConstraintSystemBuilder<C>> system_of_key(const ParsedCircuit& circuit) {
  groth16::ConstraintSystemBuilder<C> builder(circuit.sizes, false);
  if (Result<void> done = circuit.key.template collect<C>(builder); !done) return tl::unexpected(done.error());
  return builder;
}

// A, B and C of the .r1cs, which is there.
template <class C>
Result<groth16::ConstraintSystemBuilder<C>> system_of_r1cs(const ParsedCircuit& circuit) {
  groth16::ConstraintSystemBuilder<C> builder(circuit.sizes, true);
  if (Result<void> done = groth16::formats::collect<C>(*circuit.r1cs, builder); !done) {
    return tl::unexpected(done.error());
  }
  return builder;
}

// What only the constraint system can say.
struct SystemFacts {
  std::uint64_t r1cs_bytes = 0;
  std::uint64_t witness_bytes = 0;
  std::uint64_t n_boolean = 0;  // 0: not known yet
  bool has_c = false;
};

// Everything in one place. Errors: those of ZkeyFile::verifying_key.
Result<CircuitSummary> summary_of(const ParsedCircuit& circuit, const CircuitDigests& digests,
                                  const SystemFacts& system);

}  // namespace groth16d::worker
