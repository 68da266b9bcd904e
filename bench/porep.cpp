// A 32 GiB sector on one core, before any point of a curve is touched: reading its C1, the witness of a partition, and
// the constraint system. Figures for docs/PERFORMANCE.md, each the median of three. Takes 7 GiB of memory.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "bench/timing.hpp"
#include "groth16/circuits/base64.hpp"
#include "groth16/circuits/c1.hpp"
#include "groth16/circuits/partition_input.hpp"
#include "groth16/circuits/stacked_system.hpp"
#include "groth16/circuits/stacked_witness.hpp"
#include "groth16/circuits/synthetic_sector.hpp"
#include "groth16/proof/packed_witness.hpp"

namespace {

using namespace groth16;
using namespace groth16::circuits;
using groth16d::bench::median;
using groth16d::bench::seconds_of;

constexpr char kProof[] = "StackedDrg32GiBV1_1";
constexpr double kMiB = 1 << 20;

template <class T>
T expect(groth16d::Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().text.c_str());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

template <class Body>
double median_of_three(Body&& body) {
  return median({seconds_of(body), seconds_of(body), seconds_of(body)});
}

// The kernel's figure in MiB: "VmRSS", or "VmHWM" for the peak since forget_peak().
double memory_mib(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::strtod(line.c_str() + name.size() + 1, nullptr) / 1024;
  }
  return 0;
}
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

std::string wrapped_c1() {
  SyntheticRequest request{expect(registered_proof_of_name(kProof)), 1000, 1, {}, {}};
  request.ticket.fill(7);
  request.seed.fill(9);
  const std::string inner = expect(SyntheticSector::create(request)).c1_json(kProof);
  return "{\"SectorNum\":1,\"Phase1Out\":\"" + encode_base64(std::as_bytes(std::span(inner))) +
         "\",\"SectorSize\":34359738368}";
}

C1 bench_c1() {
  const std::string text = wrapped_c1();
  const auto bytes = std::as_bytes(std::span(text));
  C1 c1;
  forget_peak();
  const double before = memory_mib("VmRSS");
  const double time = seconds_of([&] { c1 = expect(read_c1_json("c1", bytes)); });
  const double peak = memory_mib("VmHWM") - before;
  const double again = median_of_three([&] { expect(read_c1_json("c1", bytes)); });
  std::printf("C1 in its wrapper        %8.0f MiB\n", static_cast<double>(bytes.size()) / kMiB);
  std::printf("  read                   %8.3f s, the first time %.3f s\n", again, time);
  std::printf("  memory beside the file %8.0f MiB at its peak\n", peak);
  return c1;
}

std::vector<std::byte> bench_system(const SectorShape& shape) {
  SystemPlan<Bls12_381> plan;
  const double planned = seconds_of([&] { plan = plan_stacked_system(shape); });
  std::vector<std::byte> bytes;
  const double touched = seconds_of([&] { bytes.resize(plan.bytes()); });
  forget_peak();
  const double written = seconds_of([&] { expect(write_stacked_system(shape, plan, bytes, Compute(1))); });
  std::printf("constraint system        %8.0f MiB\n", static_cast<double>(bytes.size()) / kMiB);
  std::printf("  planned in             %8.2f s\n", planned);
  std::printf("  its pages touched in   %8.2f s\n", touched);
  std::printf("  written in             %8.2f s, the process then at %.0f MiB\n", written, memory_mib("VmHWM"));
  return bytes;
}

void bench_witness(const SectorShape& shape, const PartitionInput& partition,
                   const ConstraintSystem<Bls12_381>& system) {
  std::vector<std::byte> input(partition_input_bytes(shape)), witness(packed_witness_bytes(system));
  write_partition_input(shape, partition, input);
  const double time = median_of_three(
      [&] { expect(write_stacked_witness(shape, expect(read_partition_input(shape, input)), system, witness)); });
  std::printf("input of a partition     %8.2f MiB\n", static_cast<double>(input.size()) / kMiB);
  std::printf("packed witness           %8.1f MiB\n", static_cast<double>(witness.size()) / kMiB);
  std::printf("  generated in           %8.3f s, %u challenges, %u layers\n", time, shape.challenges, shape.layers);
}

}  // namespace

int main() {
  std::printf("32 GiB sector, one core\n");
  const C1 c1 = bench_c1();
  const SectorShape& shape = c1.statement.proof.sector;
  const std::vector<std::byte> bytes = bench_system(shape);
  bench_witness(shape, c1.partitions[0], expect(ConstraintSystem<Bls12_381>::open(bytes)));
  return 0;
}
