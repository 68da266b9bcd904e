// A seeded day of bad luck: random circuits, jobs, priorities, deaths, freezes, liars, full disks, operators, and an
// end.
//
// Everything random comes from the seed, so a failure is replayed by its number. Chaos lasts a while; then the world
// turns kind, operators reset what failed, and every accepted job must end (I6). Last the daemon drains, and nothing
// may be left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/core/coverage.hpp"

namespace groth16d::supervisor::test {

struct SimulationSums {
  std::uint64_t events = 0;
  std::uint64_t accepted = 0;
  std::uint64_t done = 0, failed = 0, cancelled = 0, quarantined = 0;
  std::uint64_t crashes = 0, drains = 0;  // of the supervisor, with a next start
  std::uint64_t stale = 0;                // events that the last core fenced off
  void add(const SimulationSums& other);
};
std::string describe(const SimulationSums& sums);

struct SimulationResult {
  std::vector<std::string> faults;  // empty: all promises were kept
  SimulationSums sums;
};

struct SimulationOptions {
  bool tracing = false;  // prints every event and action
  Coverage* coverage = nullptr;
};

SimulationResult simulate(std::uint64_t seed, SimulationOptions options = {});

}  // namespace groth16d::supervisor::test
