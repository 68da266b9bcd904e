// Thousands of seeded days of bad luck. GROTH16D_SIM_SEED replays one and prints it, GROTH16D_SIM_COUNT sets how many.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>

#include "tests/core/simulation.hpp"

using namespace groth16d::supervisor::test;

namespace {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace

TEST_CASE("whatever happens, every promise is kept after every event, and every accepted job ends") {
  const std::uint64_t only = setting("GROTH16D_SIM_SEED", 0);
  const std::uint64_t count = only > 0 ? 1 : setting("GROTH16D_SIM_COUNT", 2'000);
  SimulationResult sum;
  for (std::uint64_t i = 1; i <= count; ++i) {
    const std::uint64_t seed = only > 0 ? only : i;
    const SimulationResult result = simulate(seed, only > 0);
    sum.events += result.events;
    sum.accepted += result.accepted;
    sum.done += result.done;
    sum.failed += result.failed;
    sum.cancelled += result.cancelled;
    sum.quarantined += result.quarantined;
    sum.crashes += result.crashes;
    for (const std::string& fault : result.faults) UNSCOPED_INFO(fault);
    INFO("replay: GROTH16D_SIM_SEED=" << seed);
    REQUIRE(result.faults.empty());
  }
  std::printf(
      "%llu seeds, %llu events, %llu jobs accepted: %llu done, %llu failed, %llu cancelled, %llu quarantined; %llu "
      "supervisors killed\n",
      static_cast<unsigned long long>(count), static_cast<unsigned long long>(sum.events),
      static_cast<unsigned long long>(sum.accepted), static_cast<unsigned long long>(sum.done),
      static_cast<unsigned long long>(sum.failed), static_cast<unsigned long long>(sum.cancelled),
      static_cast<unsigned long long>(sum.quarantined), static_cast<unsigned long long>(sum.crashes));
  if (count < 100) return;
  CHECK(sum.events / count >= 300);  // the luck must reach something
  for (const std::uint64_t outcome : {sum.done, sum.failed, sum.cancelled, sum.quarantined, sum.crashes})
    CHECK(outcome > 0);
}
