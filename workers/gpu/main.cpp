// groth16-gpu: the prove stage on one NVIDIA card, the one that CUDA_VISIBLE_DEVICES shows. The only program that links
// CUDA.
//
// CUDA is first called after exec, when the worker chooses its card; a card that cannot be used ends it with 69 before
// it says HELLO. An error that destroys the context ends it at once with 69 too: no call after it could tell the truth.
// Too little memory on the card is the slot's failure, said with the bytes needed and free; nothing is proven on the
// CPU instead.
#include <unistd.h>

#include <spdlog/spdlog.h>

#include "cuda/device.hpp"
#include "workers/gpu/gpu_prover.hpp"
#include "workers/runtime/exit_code.hpp"
#include "workers/runtime/last_stand.hpp"
#include "workers/runtime/worker_main.hpp"

namespace groth16d::worker {

namespace {

namespace device = groth16::device;

Result<void> choose_card() {
  const Result<device::DeviceFacts> facts = device::use_first_device();
  if (!facts) return tl::unexpected(facts.error());
  spdlog::info("{} {}: {} multiprocessors, {} of {} MiB free", facts->name, facts->uuid, facts->multiprocessors,
               facts->free_bytes >> 20, facts->total_bytes >> 20);
  return {};
}

// Not by return: destructors would call CUDA.
[[noreturn]] void leave_lost_card(const Error& error) {
  spdlog::critical("the card is lost: {} ({})", error.text, error.name);
  say_last_words(error.text);
  ::_exit(static_cast<int>(ExitCode::device));
}

Outcome<v1::Up> perform(GpuProver& prover, const Assignment& assignment) {
  if (!assignment.message.has_prove()) return tl::unexpected(not_my_work("gpu", assignment.message));
  const v1::AssignProve& message = assignment.message.prove();
  const Leases& leases = assignment.leases;
  Result<std::string> sums =
      prover.prove({name_of(message.key()), name_of(message.r1cs())},
                   {leases.bytes(message.key()), leases.bytes(message.r1cs()), leases.bytes(message.witness())},
                   assignment.compute, assignment.progress);
  if (!sums && device::is_sticky(sums.error())) leave_lost_card(sums.error());
  // Key, system and witness were checked by the stages before: whatever is wrong now is this worker's.
  if (!sums) return tl::unexpected(failure_of_slot(sums.error()));
  v1::Up up;
  up.mutable_prove_done()->set_sums(std::move(*sums));
  return up;
}

}  // namespace

}  // namespace groth16d::worker

int main() {
  using namespace groth16d::worker;
  GpuProver prover;
  return worker_main([&prover](const Assignment& assignment) { return perform(prover, assignment); }, choose_card);
}
