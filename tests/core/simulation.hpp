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

namespace groth16d::supervisor::test {

struct SimulationResult {
  std::vector<std::string> faults;  // empty: all promises were kept
  std::uint64_t events = 0;
  std::uint64_t accepted = 0;
  std::uint64_t done = 0, failed = 0, cancelled = 0, quarantined = 0;
  std::uint64_t crashes = 0;  // of the supervisor
};

// `tracing` prints every event and action.
SimulationResult simulate(std::uint64_t seed, bool tracing = false);

}  // namespace groth16d::supervisor::test
