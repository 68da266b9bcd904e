// CircuitSummary: everything that conversion finds out about a circuit, in plain numbers. It lies in the headers of
// cached files and of segments, so it can be checked and told again without the files that it is about.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "common/digest.hpp"
#include "groth16/algebra/curve_id.hpp"
#include "groth16/proof/proving_key.hpp"
#include "workers/load/checksum.hpp"
#include "workers/runtime/role.hpp"

namespace groth16d::worker {

struct CircuitSummary {
  std::uint32_t curve = 0;  // CurveId
  std::uint32_t domain_log2 = 0;
  std::uint64_t n_vars = 0, n_public = 0, n_constraints = 0;
  std::uint64_t n_boolean = 0;  // 0 until the constraint system is made
  std::uint64_t key_bytes = 0, r1cs_bytes = 0, witness_bytes = 0;
  std::uint32_t has_c = 0;           // 0 or 1: made from an .r1cs, too, or built in
  std::uint32_t key_warnings = 0;    // kKeyForgeable | kKeyDevelopment
  std::uint32_t has_transcript = 0;  // 0 or 1
  std::uint32_t is_builtin = 0;      // 0 or 1: a key in bellperson's form for a built-in circuit
  std::uint32_t is_generated = 0;    // 0 or 1: made from a recipe
  std::uint32_t reserved = 0;
  std::uint64_t key_trailing_bytes = 0, r1cs_trailing_bytes = 0;
  Digest key_digest{}, vk_digest{};
  Digest r1cs_digest{};  // zeros without an .r1cs

  groth16::HBasis h_basis() const {
    return is_builtin != 0 ? groth16::HBasis::monomial : groth16::HBasis::odd_coset_lagrange;
  }
  groth16::SystemSizes sizes() const { return {n_vars, n_public, n_constraints, domain_log2}; }
  bool operator==(const CircuitSummary&) const = default;
};
static_assert(std::is_trivially_copyable_v<CircuitSummary> && std::has_unique_object_representations_v<CircuitSummary>);

// A converted circuit, without its payloads.
struct PreparedCircuit {
  CircuitSummary summary;
  Checksum key_checksum, r1cs_checksum;  // of the first key_bytes and r1cs_bytes of the segments
};
static_assert(std::has_unique_object_representations_v<PreparedCircuit>);

// How the client calls the files, for warnings. r1cs "" where there is none.
struct CircuitFileNames {
  std::string key, r1cs;
};

// The numbers of a summary that came from outside, against each other. Errors (malformed): summary.curve,
// summary.sizes, summary.bytes, summary.flags.
Result<void> check_summary(const CircuitSummary& summary);

// What was written into both segments, opened and found to be what the summary says. Errors: those of ProvingKey and
// ConstraintSystem; mismatch summary.key, summary.system.
Result<void> check_contents(const CircuitSummary& summary, std::span<const std::byte> key,
                            std::span<const std::byte> r1cs);

// The message: with the names, warnings in words, and the private peaks of the stages on this machine. The summary has
// been checked.
v1::CircuitFacts facts_of(const CircuitSummary& summary, const CircuitFileNames& names);

}  // namespace groth16d::worker
