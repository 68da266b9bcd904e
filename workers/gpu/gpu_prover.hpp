// GpuProver: PROVE on the card, for one partition after another. The circuit of the last one stays in the card's
// memory; another circuit takes its place, and is the only thing that moves gigabytes.
//
// A circuit is known by the names of its segments, not by where they are mapped: a sealed segment never changes, and
// its name is never given again, so what is on the card stays true when the mappings go.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "cuda/prove_stage.hpp"
#include "workers/partition.hpp"
#include "workers/runtime/lease.hpp"
#include "workers/runtime/role.hpp"

namespace groth16d::worker {

// Which key and which constraint system.
struct CircuitName {
  LeaseName key, r1cs;
  bool operator==(const CircuitName&) const = default;
};

class GpuProver {
 public:
  // The sums' canonical bytes, the same as the CPU's prove_stage gives. Errors: those of
  // Partition::with and of cuda/prove_stage.hpp; prove.middle of a test; cancelled. After an error that is_sticky
  // (cuda/device.hpp) the process can only end.
  Result<std::string> prove(const CircuitName& circuit, const PartitionBytes& partition,
                            const groth16::Compute& compute, Progress& progress);

 private:
  template <class C>
  using Stage = std::unique_ptr<groth16::device::GpuProveStage<C>>;

  template <class C>
  Result<void> load(const CircuitName& circuit, const Partition<C>& partition, const groth16::Compute& compute,
                    Progress& progress);
  template <class C>
  Result<std::string> prove_partition(const CircuitName& circuit, const Partition<C>& partition,
                                      const groth16::Compute& compute, Progress& progress);

  std::optional<CircuitName> resident_;
  std::variant<std::monostate, Stage<groth16::Bn254>, Stage<groth16::Bls12_381>> stage_;
};

}  // namespace groth16d::worker
