#include "bench/gpu_stage.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/card_table.hpp"
#include "bench/timing.hpp"
#include "cuda/device.hpp"
#include "cuda/msm_plan.hpp"
#include "cuda/prove_stage.hpp"
#include "tests/gpu/synthetic_partition.hpp"

namespace groth16d::bench {

namespace {

using namespace groth16;
using test::SyntheticPartition;
using C = SyntheticPartition::C;

constexpr HBasis kBasis = HBasis::monomial;

double gib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

// What the ceilings alone leave of each step, in milliseconds.
class Floors {
 public:
  Floors(const Ceilings& ceilings, const SyntheticPartition& partition, const device::GpuStageMemory& memory)
      : ceilings_(ceilings), partition_(partition), memory_(memory) {}

  struct Floor {
    double ms;
    const char* ceiling;
  };
  Floor of(const std::string& step) const {
    const auto work = partition_.additions();
    const auto& key = partition_.key();
    if (step == "witness up") return {uploaded(partition_.witness_bytes()), "copy up"};
    if (step == "rows") return {copied(row_bytes()), "copy"};
    if (step == "transforms") return {fr_products(transform_products()), "Fr products"};
    if (step == "H") {
      return sum(additions(static_cast<double>(n()) * windows(n(), memory_.tables), kG1), key.h().size_bytes());
    }
    if (step == "L") return sum(over_witness(work.l, work.full, kG1), key.l().size_bytes());
    if (step == "A") return sum(over_witness(work.a, work.full, kG1), key.a().size_bytes());
    if (step == "B1") return sum(over_witness(work.b, work.full, kG1), key.b1().size_bytes());
    if (step == "B2") return sum(over_witness(work.b, work.full, kG2), key.b2().size_bytes());
    throw std::runtime_error("a step that has no ceiling: " + step);
  }

 private:
  // Products of an addition: 8 and 2 squares; Fq2's are three of Fq, its squares two.
  static constexpr double kG1 = 9, kG2 = 8 * 3.0 + 4;

  // The points of a sum come up as well, where the key is streamed.
  Floor sum(double additions_ms, std::uint64_t points_bytes) const {
    const double copies_ms = memory_.streamed == 0 ? 0 : uploaded(points_bytes);
    return copies_ms > additions_ms ? Floor{copies_ms, "copy up"} : Floor{additions_ms, "Fq products"};
  }

  std::uint64_t n() const { return partition_.system().domain_size(); }
  // The operands are read, the results written; what is gathered again comes from the cache at best.
  double row_bytes() const {
    double bytes = 0;
    for (const MatrixId id : {MatrixId::a, MatrixId::b}) {
      const SparseMatrix& matrix = partition_.system().matrix(id);
      bytes += static_cast<double>(matrix.n_terms()) * (4 + matrix.coefficient_bytes_each());
      bytes += 4 * static_cast<double>(partition_.system().n_rows()) + 32 * static_cast<double>(n());
    }
    return bytes + static_cast<double>(partition_.witness_bytes());
  }
  // Six transforms, three of them without a coset, and four products an element beside them.
  double transform_products() const {
    const double log2 = partition_.system().sizes().domain_log2;
    return static_cast<double>(n()) * (6 * log2 / 2 - 3 * 7.0 / 8 + 4);
  }
  static unsigned windows(std::uint64_t points, unsigned tables) {
    return device::plan_msm(points, 255, std::max(1u, tables), std::size_t{1} << 28).windows;
  }
  double over_witness(std::uint64_t bits, std::uint64_t full, double products) const {
    const double count = static_cast<double>(bits) + static_cast<double>(full) * windows(full, 32);
    return additions(count, products);
  }
  double additions(double count, double products) const { return count * products / ceilings_.fq_products * 1e3; }
  double fr_products(double count) const { return count / ceilings_.fr_products * 1e3; }
  double copied(double bytes) const { return bytes / ceilings_.copied_bytes * 1e3; }
  double uploaded(std::uint64_t bytes) const { return static_cast<double>(bytes) / ceilings_.uploaded_bytes * 1e3; }

  const Ceilings& ceilings_;
  const SyntheticPartition& partition_;
  const device::GpuStageMemory& memory_;
};

using Stage = device::GpuProveStage<C>;

std::unique_ptr<Stage> load(const SyntheticPartition& partition, std::uint64_t most_bytes, double& seconds) {
  device::GpuStageOptions options;
  options.b2 = device::B2Points::required;
  options.most_bytes = most_bytes;
  const Compute compute(std::max(1u, std::thread::hardware_concurrency()));
  std::unique_ptr<Stage> stage;
  seconds = seconds_of([&] {
    auto loaded = Stage::load(partition.key(), partition.system(), options, compute);
    if (!loaded) throw std::runtime_error(loaded.error().text);
    stage = std::move(*loaded);
  });
  return stage;
}

// Medians of the steps and of the whole; the sums are compared.
struct Measured {
  std::vector<std::pair<std::string, double>> steps;
  double whole_ms = 0;
};
Measured measure(Stage& stage, const SyntheticPartition& partition, const device::GpuSums<C>& expected, int runs) {
  std::map<std::string, std::vector<double>> steps;
  std::vector<double> whole;
  Measured out;
  for (int run = 0; run <= runs; ++run) {
    const double seconds = seconds_of([&] {
      const auto sums = stage.prove(partition.key(), partition.witness(), true, Compute(1));
      if (!sums) throw std::runtime_error(sums.error().text);
      if (!(sums->sums == expected.sums) || sums->b2 != expected.b2) throw std::runtime_error("a sum is wrong");
    });
    if (run == 0) continue;
    whole.push_back(seconds * 1e3);
    for (const auto& [step, ms] : stage.steps()) steps[step].push_back(ms);
  }
  for (const auto& [step, ms] : stage.steps()) out.steps.emplace_back(step, median(steps[step]));
  out.whole_ms = median(whole);
  return out;
}

void print_rows(const std::string& title, const Measured& measured, const Floors& floors, const std::string& remark) {
  double least_ms = 0;
  for (const auto& [step, ms] : measured.steps) {
    const auto floor = floors.of(step);
    least_ms += floor.ms;
    print(CardRow{title + ", " + step, ms, floor.ms, floor.ceiling, ""});
  }
  print(CardRow{title + ", whole", measured.whole_ms, least_ms, "sum of these", remark});
}

std::string text_of(const device::GpuStageMemory& memory, double seconds) {
  char text[200];
  std::snprintf(text, sizeof text,
                "right; loaded in %.1f s; %.2f GiB: rows %.2f, points %.2f (%u tables), twiddles %.2f, vectors %.2f, "
                "workspace %.2f; %.2f GiB streamed",
                seconds, gib(memory.total()), gib(memory.rows), gib(memory.points), memory.tables, gib(memory.twiddles),
                gib(memory.vectors), gib(memory.workspace), gib(memory.streamed));
  return text;
}

}  // namespace

void bench_stage(const Ceilings& ceilings, unsigned log2, int runs, bool streamed) {
  const SyntheticPartition partition(std::uint64_t{1} << log2, kBasis);
  const device::GpuSums<C> expected = partition.expected_sums();
  const std::string rows = "2^" + std::to_string(log2);
  double seconds = 0;
  std::uint64_t least_bytes = 0;
  {
    const auto stage = load(partition, ~std::uint64_t{0}, seconds);
    const auto& memory = stage->memory();
    print_rows("stage " + rows, measure(*stage, partition, expected, runs), Floors(ceilings, partition, memory),
               text_of(memory, seconds));
    // All sections are streamed: room for the buffers and a smaller workspace, and for no points.
    least_bytes = memory.rows + memory.twiddles + memory.vectors + (std::uint64_t{3} << 30);
  }
  if (!streamed) return;
  const auto stage = load(partition, least_bytes, seconds);
  const auto pinned = device::pin(partition.key_bytes());
  const auto& memory = stage->memory();
  print_rows("streamed " + rows, measure(*stage, partition, expected, runs), Floors(ceilings, partition, memory),
             text_of(memory, seconds));
}

}  // namespace groth16d::bench
