#include "workers/gpu/gpu_prover.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "common/failpoint.hpp"
#include "cuda/device.hpp"
#include "groth16/proof/b2.hpp"

namespace groth16d::worker {

namespace {

using groth16::Compute;
using groth16::device::B2Points;
using groth16::device::GpuProveStage;
using groth16::device::GpuStageMemory;
using groth16::device::GpuStageOptions;
using Clock = std::chrono::steady_clock;

void log_loaded(const GpuStageMemory& memory, Clock::duration took) {
  const auto mib = [](std::uint64_t bytes) { return bytes >> 20; };
  spdlog::info(
      "circuit on the card after {} ms: {} MiB (rows {}, points {} with {} tables, twiddles {}, vectors {}, "
      "workspace {}, buffers {}), {} MiB of the key streamed",
      std::chrono::duration_cast<std::chrono::milliseconds>(took).count(), mib(memory.total()), mib(memory.rows),
      mib(memory.points), memory.tables, mib(memory.twiddles), mib(memory.vectors), mib(memory.workspace),
      mib(memory.buffers), mib(memory.streamed));
}

template <class Bytes>
std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

double milliseconds(Clock::duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

}  // namespace

// A stage that has B2's points serves those who do not want them, too.
bool GpuProver::find(const CircuitName& circuit, B2Points b2) {
  const auto at = std::find_if(residents_.begin(), residents_.end(), [&](const Resident& resident) {
    return resident.circuit == circuit && (b2 == B2Points::none || resident.b2 == b2);
  });
  if (at == residents_.end()) return false;
  residents_.splice(residents_.begin(), residents_, at);
  return true;
}

std::uint64_t GpuProver::bytes_left() const {
  std::uint64_t taken = 0;
  for (const Resident& resident : residents_) taken += resident.card_bytes;
  return most_card_bytes_ - std::min(most_card_bytes_, taken);
}

// Ends with nothing on the card where that much is not to be had.
Result<void> GpuProver::make_room(std::uint64_t bytes) {
  for (; !residents_.empty(); residents_.pop_back()) {
    const auto facts = groth16::device::use_first_device();
    if (!facts) return tl::unexpected(facts.error());
    if (std::min(facts->free_bytes, bytes_left()) >= bytes) return {};
    spdlog::info("a circuit leaves the card for another");
  }
  return {};
}

Compute on_all_cores(const Compute& compute) {
  return compute.with_threads(std::max(compute.threads(), std::thread::hardware_concurrency()));
}

template <class C>
Result<void> GpuProver::load(const CircuitName& circuit, const Partition<C>& partition, B2Points b2,
                             const Compute& compute, Progress& progress) {
  if (find(circuit, b2)) return {};
  residents_.remove_if([&](const Resident& resident) { return resident.circuit == circuit; });
  progress.step("loading the circuit onto the card", 0);
  const auto begin = Clock::now();
  GpuStageOptions options;
  options.b2 = b2;
  if (!residents_.empty()) {
    const std::uint64_t wanted = GpuProveStage<C>::most_wanted_bytes(partition.key, partition.system, options);
    if (auto room = make_room(wanted); !room) return room;
  }
  options.most_bytes = bytes_left();
  auto loaded = GpuProveStage<C>::load(partition.key, partition.system, options, on_all_cores(compute));
  if (!loaded) return tl::unexpected(loaded.error());
  log_loaded((*loaded)->memory(), Clock::now() - begin);
  if (b2 != B2Points::none && !(*loaded)->has_b2_points()) spdlog::info("B2's points do not fit beside the rest");
  const std::uint64_t card_bytes = (*loaded)->memory().total();
  residents_.push_front({circuit, b2, card_bytes, std::move(*loaded)});
  return {};
}

template <class C>
Result<CardSums> GpuProver::prove_partition(const CircuitName& circuit, const Partition<C>& partition, const B2Wish& b2,
                                            const std::function<void()>& pin_key, const Compute& compute,
                                            Progress& progress) {
  const auto begin = Clock::now();
  if (auto loaded = load(circuit, partition, b2.points, compute, progress); !loaded) {
    return tl::unexpected(loaded.error());
  }
  auto& stage = *std::get<Stage<C>>(residents_.front().stage);
  if (stage.memory().streamed > 0) pin_key();
  if (auto wanted = unless_cancelled(compute); !wanted) return tl::unexpected(wanted.error());
  if (GROTH16D_FAILPOINT("prove.middle")) return failpoint_error("prove.middle");
  progress.step("computing the sums on the card", 0);
  const auto loaded_at = Clock::now();
  auto sums = stage.prove(partition.key, partition.witness, b2.sum && stage.has_b2_points(), compute);
  if (!sums) return tl::unexpected(sums.error());
  log_partition(loaded_at);
  if (GROTH16D_FAILPOINT("prove.wrong_point")) sums->sums.h = C::generator_g1();
  CardSums out;
  out.sums = text_of(groth16::to_bytes(sums->sums));
  if (sums->b2) out.b2 = text_of(groth16::b2_to_bytes<C>(*sums->b2));
  out.loading = std::chrono::duration_cast<std::chrono::milliseconds>(loaded_at - begin);
  return out;
}

// The card idles from the end of a partition's sums to the begin of the next one's.
void GpuProver::log_partition(Clock::time_point begin) {
  const auto now = Clock::now();
  spdlog::debug("the card computed for {:.1f} ms, after {:.1f} ms without work", milliseconds(now - begin),
                idle_since_ ? milliseconds(begin - *idle_since_) : 0.0);
  idle_since_ = now;
}

Result<CardSums> GpuProver::prove(const CircuitName& circuit, const PartitionBytes& partition, const B2Wish& b2,
                                  const std::function<void()>& pin_key, const Compute& compute, Progress& progress) {
  const Result<groth16::CurveId> curve = curve_of_key(partition.key);
  if (!curve) return tl::unexpected(curve.error());
  return groth16::with_curve(*curve, [&]<class C>() {
    return Partition<C>::with(partition, [&](const Partition<C>& opened) {
      return prove_partition<C>(circuit, opened, b2, pin_key, compute, progress);
    });
  });
}

}  // namespace groth16d::worker
