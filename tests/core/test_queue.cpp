// A long queue costs memory, not time: what an event takes does not depend on how many jobs wait behind it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>

#include "tests/core/world.hpp"

using namespace groth16d::supervisor;
using namespace groth16d::supervisor::test;

namespace {

constexpr std::uint64_t kEventsARound = 300;
constexpr int kRounds = 5;

CoreConfig narrow() {
  CoreConfig config;
  for (const Role role : {Role::load, Role::synth, Role::cpu, Role::final}) config.role(role) = {2, 1, 100'000};
  config.budget_total_bytes = 3'000'000;
  return config;
}

// Nanoseconds for each event while jobs are proven in front of a queue of `queued` ones: the least of a few rounds,
// since the rest is the machine's.
double nanoseconds_an_event(std::size_t queued) {
  World world(narrow());
  world.checking = false;
  world.start();
  const ReplyToken added = world.add_circuit("c");
  REQUIRE(world.run_until([&] { return world.code(added) == 202; }));
  for (std::size_t i = 0; i < queued; ++i) world.submit("j" + std::to_string(i));
  REQUIRE(world.run_until([&] { return world.accepted().size() == queued; }));
  double least = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    const std::uint64_t until = world.events() + kEventsARound;
    REQUIRE(world.run_until([&] { return world.events() >= until; }));
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    const double each = took.count() / kEventsARound;
    least = least == 0 ? each : std::min(least, each);
  }
  return least;
}

}  // namespace

TEST_CASE("an event costs the same with 100 and with 10,000 jobs in the queue") {
  const double few = nanoseconds_an_event(100), many = nanoseconds_an_event(10'000);
  INFO("nanoseconds an event: " << few << " and " << many);
  CHECK(many < 3 * few);
}
