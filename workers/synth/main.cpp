// groth16-synth: the worker that turns inputs into sealed witnesses. The cheapest to repeat, so the first to be killed
// when memory runs out.
#include "workers/runtime/worker_main.hpp"
#include "workers/synth/synthesize.hpp"

namespace groth16d::worker {

namespace {

Outcome<v1::Up> perform(const Assignment& assignment) {
  if (!assignment.message.has_synth()) return tl::unexpected(not_my_work("synth", assignment.message));
  const v1::AssignSynth& message = assignment.message.synth();
  const Leases& leases = assignment.leases;
  assignment.step("packing a witness", 0);
  leases.populate(assignment.compute);

  const std::span<std::byte> ab = message.has_ab() ? leases.writable(message.ab()) : std::span<std::byte>();
  const Result<std::uint64_t> used =
      synthesize({leases.bytes(message.input()), message.input_name(), leases.bytes(message.r1cs())},
                 {leases.writable(message.witness()), ab}, assignment.compute);
  if (!used) return tl::unexpected(failure_of(used.error(), v1::BLAME_INPUT));
  if (auto set = leases.set_used(message.witness(), *used); !set) return tl::unexpected(failure_of_slot(set.error()));
  if (message.has_ab()) {
    if (auto set = leases.set_used(message.ab(), ab.size()); !set) return tl::unexpected(failure_of_slot(set.error()));
  }
  v1::Up up;
  up.mutable_sealed()->set_witness_bytes(*used);
  return up;
}

}  // namespace

}  // namespace groth16d::worker

int main(int argc, char** argv) { return groth16d::worker::worker_main(argc, argv, groth16d::worker::perform); }
