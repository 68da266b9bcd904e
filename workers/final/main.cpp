// groth16-final: b_g2_msm, and the assembly of proofs. The only process that ever holds r and s.
#include "workers/final/assemble_stage.hpp"
#include "workers/final/b2_stage.hpp"
#include "workers/runtime/worker_main.hpp"

namespace groth16d::worker {

namespace {

template <class Message>
PartitionBytes partition_of(const Message& message, const Leases& leases) {
  return {leases.bytes(message.key()), leases.bytes(message.r1cs()), leases.bytes(message.witness())};
}

Outcome<v1::Up> b2(const Assignment& assignment) {
  assignment.step("computing b_g2_msm", 0);
  assignment.leases.populate(assignment.compute);
  Result<std::string> point = b2_stage(partition_of(assignment.message.b2(), assignment.leases), assignment.compute);
  if (!point) return tl::unexpected(failure_of_slot(point.error()));
  v1::Up up;
  up.mutable_b2_done()->set_point(std::move(*point));
  return up;
}

Outcome<v1::Up> assemble(const Assignment& assignment) {
  const v1::AssignAssemble& message = assignment.message.assemble();
  assignment.step("assembling and verifying a proof", 0);
  Outcome<AssembledProof> proof =
      assemble_stage({partition_of(message, assignment.leases), message.sums(), message.b2(), message.statement()},
                     assignment.compute);
  if (!proof) return tl::unexpected(proof.error());
  v1::Up up;
  v1::AssembleDone& done = *up.mutable_assemble_done();
  done.set_proof(std::move(proof->proof));
  done.set_proof_json(std::move(proof->proof_json));
  done.set_public_json(std::move(proof->public_json));
  return up;
}

Outcome<v1::Up> perform(const Assignment& assignment) {
  if (assignment.message.has_b2()) return b2(assignment);
  if (assignment.message.has_assemble()) return assemble(assignment);
  return tl::unexpected(not_my_work("final", assignment.message));
}

}  // namespace

}  // namespace groth16d::worker

int main(int argc, char** argv) { return groth16d::worker::worker_main(argc, argv, groth16d::worker::perform); }
