// A new configuration in a running core: limits hold from the same event on, or nothing changes.
#include <catch2/catch.hpp>

#include "tests/core/steps.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;
using namespace groth16d::supervisor::test;

namespace {

CoreConfig roomy() {
  CoreConfig config;
  for (const Role role : {Role::load, Role::synth, Role::cpu, Role::final}) config.role(role) = {1, 1, 100'000};
  config.budget_total_bytes = 10'000'000;
  return config;
}

std::uint64_t partition_bytes() {
  const CircuitFacts facts = small_circuit();
  return segment_bytes(10'000) + segment_bytes(facts.witness_bytes) + segment_bytes(facts.ab_bytes) +
         facts.prove_private_bytes + facts.b2_private_bytes;
}

}  // namespace

TEST_CASE("a budget below what is reserved changes nothing, one above it is in force at once") {
  World world(roomy());
  warm(world);
  const std::uint64_t used = world.core().daemon().budget_used_bytes;
  CoreConfig next = roomy();
  next.max_queued_jobs = 0;
  next.budget_total_bytes = used - 1;
  const ReplyToken refused = world.ask(ConfigRequested{0, next});
  CHECK(world.code(refused) == 409);
  CHECK(world.reply_error(refused)->name == "budget.in_use");
  CHECK(world.core().daemon().budget_total_bytes == roomy().budget_total_bytes);
  const ReplyToken taken = world.submit("a");  // the bound on jobs has not changed either
  world.run_until([&] { return world.code(taken) != 0; });
  CHECK(world.code(taken) == 202);
  REQUIRE(world.run_until([&] { return world.state("a") == JobState::done; }));

  next = roomy();
  next.budget_total_bytes = used + 1'000'000;
  next.critical_reserved_bytes = 500'000;
  CHECK(world.code(world.ask(ConfigRequested{0, next})) == 200);
  CHECK(world.core().daemon().budget_total_bytes == used + 1'000'000);
  require_sound(world);
}

TEST_CASE("a job that waits for memory is admitted by a larger budget at once") {
  World world(roomy());
  warm(world);
  world.script = [](const Assign& assign) {
    Behaviour behaviour;
    if (std::holds_alternative<AssignProve>(assign.what)) behaviour.duration = Millis{60'000};
    return behaviour;
  };
  CoreConfig next = roomy();
  next.budget_total_bytes = world.core().daemon().budget_used_bytes + partition_bytes() * 3 / 2;
  REQUIRE(world.code(world.ask(ConfigRequested{0, next})) == 200);
  world.submit("first");
  world.submit("waits");
  world.run_for(Millis{5'000});
  CHECK(world.state("first") == JobState::running);
  CHECK(world.state("waits") == JobState::queued);

  next.budget_total_bytes = roomy().budget_total_bytes;
  REQUIRE(world.code(world.ask(ConfigRequested{0, next})) == 200);

  CHECK(world.state("waits") == JobState::running);
  require_sound(world);
}

TEST_CASE("a job that a smaller budget can never hold is refused with both numbers") {
  World world(roomy());
  warm(world);
  CoreConfig next = roomy();
  next.budget_total_bytes = world.core().daemon().budget_used_bytes + partition_bytes() / 2;
  REQUIRE(world.code(world.ask(ConfigRequested{0, next})) == 200);
  const ReplyToken token = world.submit("large");
  CHECK(world.code(token) == 413);
  CHECK(world.reply_error(token)->name == "budget.too_large");
  require_sound(world);
}

TEST_CASE("slots, heartbeat and seeds are not a reload's to change") {
  World world(roomy());
  warm(world);
  CoreConfig next = roomy();
  next.role(Role::synth).slots = 7;
  next.heartbeat = Millis{1};
  next.first_epoch = 1'000'000;
  REQUIRE(world.code(world.ask(ConfigRequested{0, next})) == 200);
  CHECK(world.core().workers().size() == 4);
  world.run_for(Millis{60'000});  // nobody is taken for frozen
  for (const WorkerView& worker : world.core().workers()) CHECK(worker.restarts == 0);
  require_sound(world);
}

TEST_CASE("a shorter deadline holds for the work that is under way") {
  World world(roomy());
  warm(world);
  bool hung = false;
  world.script = [&](const Assign& assign) {
    Behaviour behaviour;
    if (!std::holds_alternative<AssignProve>(assign.what) || hung) return behaviour;
    hung = true;
    behaviour.end = Behaviour::End::hangs;
    return behaviour;
  };
  world.submit("j");
  REQUIRE(world.run_until([&] { return hung; }));
  CoreConfig next = roomy();
  next.stall[static_cast<std::size_t>(Stage::prove)] = Millis{2'000};
  REQUIRE(world.code(world.ask(ConfigRequested{0, next})) == 200);
  REQUIRE(world.run_until([&] { return world.state("j") == JobState::done; }, Millis{30'000}));
  CHECK(world.worker({Role::cpu, 0}).last_death.starts_with("stuck"));
  require_sound(world);
}
