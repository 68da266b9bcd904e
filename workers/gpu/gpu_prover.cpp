#include "workers/gpu/gpu_prover.hpp"

#include <chrono>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "common/failpoint.hpp"

namespace groth16d::worker {

namespace {

using groth16::Compute;
using groth16::device::GpuProveStage;
using groth16::device::GpuStageMemory;
using groth16::device::GpuStageOptions;
using Clock = std::chrono::steady_clock;

void log_loaded(const GpuStageMemory& memory, Clock::duration took) {
  const auto mib = [](std::uint64_t bytes) { return bytes >> 20; };
  spdlog::info(
      "circuit on the card after {} ms: {} MiB (rows {}, points {} with {} tables, twiddles {}, vectors {}, "
      "workspace {})",
      std::chrono::duration_cast<std::chrono::milliseconds>(took).count(), mib(memory.total()), mib(memory.rows),
      mib(memory.points), memory.tables, mib(memory.twiddles), mib(memory.vectors), mib(memory.workspace));
}

}  // namespace

template <class C>
Result<void> GpuProver::load(const CircuitName& circuit, const Partition<C>& partition, const Compute& compute,
                             Progress& progress) {
  if (resident_ == circuit) return {};
  resident_.reset();
  stage_ = std::monostate();  // before the next is planned: two circuits need not fit
  progress.step("loading the circuit onto the card", 0);
  const auto begin = Clock::now();
  auto loaded = GpuProveStage<C>::load(partition.key, partition.system, GpuStageOptions{}, compute);
  if (!loaded) return tl::unexpected(loaded.error());
  log_loaded((*loaded)->memory(), Clock::now() - begin);
  stage_ = std::move(*loaded);
  resident_ = circuit;
  return {};
}

template <class C>
Result<std::string> GpuProver::prove_partition(const CircuitName& circuit, const Partition<C>& partition,
                                               const Compute& compute, Progress& progress) {
  if (auto loaded = load(circuit, partition, compute, progress); !loaded) return tl::unexpected(loaded.error());
  if (auto wanted = unless_cancelled(compute); !wanted) return tl::unexpected(wanted.error());
  if (GROTH16D_FAILPOINT("prove.middle")) return failpoint_error("prove.middle");
  progress.step("computing the sums on the card", 0);
  auto sums = std::get<Stage<C>>(stage_)->prove(partition.key, partition.witness, compute);
  if (!sums) return tl::unexpected(sums.error());
  if (GROTH16D_FAILPOINT("prove.wrong_point")) sums->sums.h = C::generator_g1();
  const std::vector<std::byte> bytes = groth16::to_bytes(sums->sums);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Result<std::string> GpuProver::prove(const CircuitName& circuit, const PartitionBytes& partition,
                                     const Compute& compute, Progress& progress) {
  const Result<groth16::CurveId> curve = curve_of_key(partition.key);
  if (!curve) return tl::unexpected(curve.error());
  return groth16::with_curve(*curve, [&]<class C>() {
    return Partition<C>::with(
        partition, [&](const Partition<C>& opened) { return prove_partition<C>(circuit, opened, compute, progress); });
  });
}

}  // namespace groth16d::worker
