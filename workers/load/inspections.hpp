// Inspections: which files this process has hashed, so that a LOAD that finds them as INSPECT left them need not hash
// them again.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>

#include "common/digest.hpp"
#include "workers/load/file_identity.hpp"

namespace groth16d::worker {

struct CircuitDigests {
  Digest key{};
  Digest r1cs{};  // without meaning where there is no .r1cs

  bool operator==(const CircuitDigests&) const = default;
};

class Inspections {
 public:
  // The files stood still while they were hashed, and had for a tick before (file_identity.hpp).
  void remember(const SourceIdentity& source, const CircuitDigests& digests);

  bool knows(const SourceIdentity& source, const CircuitDigests& digests) const;

 private:
  std::deque<std::pair<SourceIdentity, CircuitDigests>> latest_;
};

}  // namespace groth16d::worker
