// OpenCircuit: both files of a circuit, opened from the leases of an assignment that names them; and the digests that
// messages carry.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "workers/load/circuit.hpp"

namespace groth16d::worker {

class OpenCircuit {
 public:
  // Message: InspectCircuit or AssignLoad. Errors: those of GuardedFile::open.
  template <class Message>
  static Result<OpenCircuit> open(const Message& message, const Leases& leases) {
    OpenCircuit circuit;
    Result<GuardedFile> key = GuardedFile::open(leases.file(message.key_file()), message.key_name());
    if (!key) return tl::unexpected(key.error());
    circuit.key_.emplace(std::move(*key));
    circuit.allow_insecure_ = message.allow_insecure();
    if (message.has_r1cs_file()) {
      Result<GuardedFile> r1cs = GuardedFile::open(leases.file(message.r1cs_file()), message.r1cs_name());
      if (!r1cs) return tl::unexpected(r1cs.error());
      circuit.r1cs_.emplace(std::move(*r1cs));
    }
    return circuit;
  }

  CircuitFiles files() const { return {*key_, r1cs_ ? &*r1cs_ : nullptr, allow_insecure_}; }

 private:
  std::optional<GuardedFile> key_, r1cs_;
  bool allow_insecure_ = false;
};

// A message's bytes as a digest; false where they are none.
inline bool copy_digest(const std::string& bytes, Digest& digest) {
  if (bytes.size() != digest.size()) return false;
  std::memcpy(digest.data(), bytes.data(), digest.size());
  return true;
}

}  // namespace groth16d::worker
