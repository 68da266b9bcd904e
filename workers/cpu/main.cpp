// groth16-cpu: the prove stage where there is no GPU.
#include "workers/cpu/prove_stage.hpp"
#include "workers/runtime/worker_main.hpp"

namespace groth16d::worker {

namespace {

Outcome<v1::Up> perform(const Assignment& assignment) {
  if (!assignment.message.has_prove()) return tl::unexpected(not_my_work("cpu", assignment.message));
  const v1::AssignProve& message = assignment.message.prove();
  const Leases& leases = assignment.leases;
  assignment.step("computing the sums", 0);
  leases.populate(assignment.compute);

  Result<std::string> sums =
      prove_stage({leases.bytes(message.key()), leases.bytes(message.r1cs()), leases.bytes(message.witness())},
                  leases.writable(message.ab()), message.ab_is_fresh(), assignment.compute);
  // Key, system and witness were checked by the stages before: whatever is wrong now is this worker's.
  if (!sums) return tl::unexpected(failure_of_slot(sums.error()));
  v1::Up up;
  up.mutable_prove_done()->set_sums(std::move(*sums));
  return up;
}

}  // namespace

}  // namespace groth16d::worker

int main(int argc, char** argv) { return groth16d::worker::worker_main(argc, argv, groth16d::worker::perform); }
