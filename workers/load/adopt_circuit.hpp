// ADOPT: segments of a circuit that outlived the supervisor that had them filled. They are sealed, so nobody can have
// changed them since; this checks that their pages still hold what was written, and that it is the circuit expected.
#pragma once

#include <span>

#include "workers/load/circuit_summary.hpp"
#include "workers/runtime/role.hpp"

namespace groth16d::worker {

// A segment as its readers see it.
struct ResidentPart {
  std::span<const std::byte> bytes;
  std::span<const std::byte> note;  // a PreparedCircuit
};

struct AdoptExpectation {
  Digest key_digest{}, r1cs_digest{};  // zeros without an .r1cs
  CircuitFileNames names;
  bool allow_insecure = false;
};

// Errors: malformed adopt.note, and those of check_summary; mismatch adopt.digest, adopt.size, adopt.checksum, and
// those of check_contents; denied adopt.insecure; cancelled.
Result<v1::CircuitFacts> adopt_circuit(const AdoptExpectation& expected, const ResidentPart& key,
                                       const ResidentPart& r1cs, const groth16::Compute& compute);

}  // namespace groth16d::worker
