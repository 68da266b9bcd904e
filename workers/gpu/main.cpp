// groth16-gpu: the prove stage on one NVIDIA card, the one that CUDA_VISIBLE_DEVICES shows, and keys for development
// made there. The only program that links CUDA.
//
// CUDA is first called after exec, when the worker chooses its card; a card that cannot be used ends it with 69 before
// it says HELLO. An error that destroys the context ends it at once with 69 too: no call after it could tell the truth.
// A circuit that the card can never hold is the circuit's failure, memory that others hold the slot's; both are said
// with the bytes needed and free, and nothing is proven on the CPU instead.
#include <unistd.h>

#include <cstdlib>
#include <limits>

#include <spdlog/spdlog.h>

#include "common/exit_code.hpp"
#include "cuda/card_multiples.hpp"
#include "cuda/device.hpp"
#include "workers/gpu/gpu_prover.hpp"
#include "workers/load/guarded_file.hpp"
#include "workers/load/load_assignment.hpp"
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

// As groth16d says: GROTH16D_CARD_MEMORY_MAX in bytes.
std::uint64_t most_card_bytes() {
  const char* const bytes = std::getenv("GROTH16D_CARD_MEMORY_MAX");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return bytes == nullptr ? std::numeric_limits<std::uint64_t>::max() : std::strtoull(bytes, nullptr, 10);
}

device::B2Points points_of(v1::BG2 b_g2) {
  switch (b_g2) {
    case v1::BG2_GPU:
      return device::B2Points::required;
    case v1::BG2_AUTO:
      return device::B2Points::if_they_fit;
    default:
      return device::B2Points::none;
  }
}

MultiplesOnDemand card_multiples() {
  using Curve = groth16::Bls12_381;
  return []() -> Result<std::unique_ptr<const groth16::GeneratorMultiples<Curve>>> {
    return device::CardMultiples<Curve>::make();
  };
}

// Key, system and witness were checked by the stages before, so what is wrong now is this worker's; but too large for
// this card they may be, and another slot may have a larger one.
Failure failure_on_card(const Error& error) {
  const bool of_circuit = error.name == "gpu.plan" || error.name == "gpu.system_terms";
  if (of_circuit) return {error, true, v1::BLAME_KEY};
  if (error.name == "gpu.exceptions") return {error, true, v1::BLAME_INPUT};
  return failure_of_slot(error);
}

// A key that a recipe asks for. Nothing else may be on the card meanwhile: another circuit is about to come.
Outcome<v1::Up> make_key(GpuProver& prover, const Assignment& assignment) {
  prover.clear();
  const groth16::Compute all_cores = on_all_cores(assignment.compute);
  Outcome<v1::Up> made = load_assignment({assignment.message, assignment.leases, all_cores, assignment.progress},
                                         KeyCache(), Inspections(), card_multiples());
  if (made) return made;
  const Error& error = made.error().error;
  if (device::is_sticky(error)) leave_lost_card(error);
  // What a card refuses says nothing about the key: most often others hold its memory.
  if (error.name.starts_with("gpu.")) return tl::unexpected(failure_of_slot(error));
  return made;
}

Outcome<v1::Up> perform(GpuProver& prover, const Assignment& assignment) {
  if (assignment.message.has_load()) return make_key(prover, assignment);
  if (!assignment.message.has_prove()) return tl::unexpected(not_my_work("gpu", assignment.message));
  const v1::AssignProve& message = assignment.message.prove();
  const Leases& leases = assignment.leases;
  const auto pin_key = [&] {
    if (!leases.is_accompanied(message.key()))
      leases.accompany(message.key(), device::pin(leases.bytes(message.key())));
  };
  Result<CardSums> sums =
      prover.prove({name_of(message.key()), name_of(message.r1cs())},
                   {leases.bytes(message.key()), leases.bytes(message.r1cs()), leases.bytes(message.witness())},
                   {points_of(message.b_g2()), message.with_b2()}, pin_key, assignment.compute, assignment.progress);
  if (!sums && device::is_sticky(sums.error())) leave_lost_card(sums.error());
  if (!sums) return tl::unexpected(failure_on_card(sums.error()));
  v1::Up up;
  v1::ProveDone& done = *up.mutable_prove_done();
  done.set_sums(std::move(sums->sums));
  done.set_b2(std::move(sums->b2));
  done.set_loading_ms(static_cast<std::uint64_t>(sums->loading.count()));
  return up;
}

}  // namespace

}  // namespace groth16d::worker

int main(int argc, char** argv) {
  using namespace groth16d::worker;
  install_truncation_guard();
  GpuProver prover(most_card_bytes());
  return worker_main(
      argc, argv, [&prover](const Assignment& assignment) { return perform(prover, assignment); }, choose_card);
}
