// Steps that most tests of the core begin and end with: a circuit is resident, a job has ended, no promise was broken.
#pragma once

#include <catch2/catch.hpp>

#include "tests/core/world.hpp"

namespace groth16d::supervisor::test {

inline void warm(World& world, const CircuitName& circuit = "c") {
  world.start();
  world.add_circuit(circuit);
  REQUIRE(world.run_until(
      [&] { return !world.core().circuits().empty() && world.core().circuits()[0].state == CircuitState::resident; }));
}

// Whether the job ends.
inline bool finish(World& world, const JobId& job) {
  return world.run_until([&] { return world.state(job) && is_final(*world.state(job)); });
}

inline void require_sound(const World& world) {
  for (const std::string& fault : world.faults()) FAIL_CHECK(fault);
  REQUIRE(world.faults().empty());
}

}  // namespace groth16d::supervisor::test
