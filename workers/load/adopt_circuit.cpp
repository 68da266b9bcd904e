#include "workers/load/adopt_circuit.hpp"

#include <cstring>

#include <fmt/format.h>

namespace groth16d::worker {

namespace {

tl::unexpected<Error> mismatch(const char* name, std::string text) {
  return failure(ErrorCode::mismatch, name, "resident circuit: " + std::move(text));
}

// Both segments of a circuit carry the same note.
Result<PreparedCircuit> circuit_of(const ResidentPart& key, const ResidentPart& r1cs) {
  PreparedCircuit circuit;
  if (key.note.size() < sizeof circuit || r1cs.note.size() < sizeof circuit ||
      std::memcmp(key.note.data(), r1cs.note.data(), sizeof circuit) != 0) {
    return failure(ErrorCode::malformed, "adopt.note", "resident circuit: its segments are not of one circuit");
  }
  std::memcpy(&circuit, key.note.data(), sizeof circuit);
  if (auto good = check_summary(circuit.summary); !good) return tl::unexpected(good.error());
  return circuit;
}

Result<void> check_payload(std::span<const std::byte> bytes, std::uint64_t expected_bytes, const Checksum& expected,
                           const char* what, const groth16::Compute& compute) {
  if (bytes.size() != expected_bytes)
    return mismatch("adopt.size", fmt::format("{} of {} bytes, expected {}", what, bytes.size(), expected_bytes));
  const Checksum found = checksum_of_payload(bytes, compute);
  if (Result<void> wanted = unless_cancelled(compute); !wanted) return wanted;
  if (found == expected) return {};
  return mismatch("adopt.checksum", fmt::format("its {} differs from the checksum that its writer noted", what));
}

}  // namespace

Result<v1::CircuitFacts> adopt_circuit(const AdoptExpectation& expected, const ResidentPart& key,
                                       const ResidentPart& r1cs, const groth16::Compute& compute) {
  const Result<PreparedCircuit> circuit = circuit_of(key, r1cs);
  if (!circuit) return tl::unexpected(circuit.error());
  const CircuitSummary& summary = circuit->summary;
  if (summary.key_digest != expected.key_digest || summary.r1cs_digest != expected.r1cs_digest)
    return mismatch("adopt.digest", fmt::format("made from a key with SHA-256 {}, expected {}",
                                                to_hex(summary.key_digest), to_hex(expected.key_digest)));
  if (summary.key_warnings != 0 && !expected.allow_insecure)
    return failure(ErrorCode::denied, "adopt.insecure", "resident circuit: its key is insecure, which is not allowed");
  if (auto good = check_payload(key.bytes, summary.key_bytes, circuit->key_checksum, "key", compute); !good)
    return tl::unexpected(good.error());
  if (auto good = check_payload(r1cs.bytes, summary.r1cs_bytes, circuit->r1cs_checksum, "system", compute); !good)
    return tl::unexpected(good.error());
  if (auto good = check_contents(summary, key.bytes, r1cs.bytes); !good) return tl::unexpected(good.error());
  return facts_of(summary, expected.names);
}

}  // namespace groth16d::worker
