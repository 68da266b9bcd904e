#include "workers/load/load_assignment.hpp"

#include <span>
#include <utility>

#include "workers/load/open_circuit.hpp"

namespace groth16d::worker {

Outcome<v1::Up> load_assignment(const Assignment& assignment, const KeyCache& cache, const Inspections& inspections,
                                const MultiplesOnDemand& multiples) {
  const v1::AssignLoad& message = assignment.message.load();
  assignment.step("loading a circuit", 0);
  CircuitDigests inspected;
  if (!copy_digest(message.key_digest(), inspected.key) ||
      (message.has_r1cs_file() && !copy_digest(message.r1cs_digest(), inspected.r1cs))) {
    return tl::unexpected(
        failure_of_slot({ErrorCode::internal, "load.digest", "a circuit is loaded only after it was inspected"}));
  }
  const Result<OpenCircuit> circuit = OpenCircuit::open(message, assignment.leases);
  if (!circuit) return tl::unexpected(failure_of(circuit.error(), v1::BLAME_KEY));
  assignment.leases.populate(assignment.compute);
  Result<LoadedCircuit> loaded =
      load_circuit(circuit->files(), cache, inspections, inspected, assignment.leases.writable(message.key()),
                   assignment.leases.writable(message.r1cs()), assignment.compute, multiples);
  if (!loaded) return tl::unexpected(failure_of(loaded.error(), v1::BLAME_KEY));
  const auto note = std::as_bytes(std::span(&loaded->circuit, 1));
  if (auto used = assignment.leases.set_used(message.key(), loaded->facts.key_bytes(), note); !used) {
    return tl::unexpected(failure_of_slot(used.error()));
  }
  if (auto used = assignment.leases.set_used(message.r1cs(), loaded->facts.r1cs_bytes(), note); !used) {
    return tl::unexpected(failure_of_slot(used.error()));
  }
  v1::Up up;
  *up.mutable_loaded()->mutable_circuit() = std::move(loaded->facts);
  return up;
}

}  // namespace groth16d::worker
