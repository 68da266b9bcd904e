// A short run of what `./run sim` does for long, for sanitizers and for a first look. GROTH16D_SIM_COUNT sets how many
// seeds.
#include <catch2/catch.hpp>
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
  const std::uint64_t count = setting("GROTH16D_SIM_COUNT", 1'500);
  SimulationSums sums;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const SimulationResult result = simulate(seed);
    sums.add(result.sums);
    INFO("replay: ./run sim --seed " << seed << " --trace");
    REQUIRE(result.faults == std::vector<std::string>{});
  }
  WARN(describe(sums));
  if (count < 100) return;
  CHECK(sums.events / count >= 300);  // the luck must reach something
  for (const std::uint64_t outcome :
       {sums.done, sums.failed, sums.cancelled, sums.quarantined, sums.crashes, sums.drains, sums.stale})
    CHECK(outcome > 0);
}
