// What a restarted supervisor takes over, and what it must give back.
#include <catch2/catch.hpp>

#include "tests/core/world.hpp"

using namespace groth16d::supervisor;
using namespace groth16d::supervisor::test;

namespace {

CoreConfig config() {
  CoreConfig config;
  for (const Role role : {Role::load, Role::synth, Role::cpu, Role::final}) config.role(role) = {1, 1, 100'000};
  config.budget_total_bytes = 4'000'000;
  return config;
}

bool is_resident(const World& world) {
  const auto circuits = world.core().circuits();
  return !circuits.empty() && circuits[0].state == CircuitState::resident;
}

void make_resident(World& world) {
  world.start();
  world.add_circuit("c");
  REQUIRE(world.run_until([&] { return is_resident(world); }));
}

}  // namespace

TEST_CASE("a killed supervisor's successor has its circuits resident without a load, and proves with them") {
  World world(config());
  make_resident(world);
  world.submit("j");
  world.run_for(Millis{15});

  world.crash();
  const auto inspections = world.count_assigned(Stage::inspect);
  world.start();

  REQUIRE(world.run_until([&] { return is_resident(world); }));
  const CircuitView circuit = world.core().circuits()[0];
  CHECK(circuit.loads == 0);
  CHECK(circuit.adoptions == 1);
  world.submit("k");
  REQUIRE(world.run_until([&] { return world.all_final(); }));
  CHECK(world.state("j") == JobState::done);
  CHECK(world.state("k") == JobState::done);
  CHECK(world.count_assigned(Stage::inspect) == inspections + 2);  // both inputs, and not the circuit
  CHECK(world.faults().empty());
}

TEST_CASE("what is opened in the same start never gets the number of an adopted segment") {
  World world(config());
  world.start();
  const auto both_resident = [&] {
    const auto circuits = world.core().circuits();
    return circuits.size() == 2 && circuits[0].state == CircuitState::resident &&
           circuits[1].state == CircuitState::resident;
  };
  world.add_circuit("a");
  world.add_circuit("c");
  REQUIRE(world.run_until(both_resident));

  world.crash();
  bool first = true;
  world.descriptors_are_lost = [&] { return std::exchange(first, false); };  // those of "a", whose files are opened
  world.start();
  REQUIRE(world.run_until(both_resident));
  CHECK(world.core().circuits()[0].loads == 1);
  CHECK(world.core().circuits()[1].adoptions == 1);
  CHECK(world.faults().empty());
}

TEST_CASE("an orderly end leaves the segments to the next supervisor, an eviction does not") {
  World world(config());
  make_resident(world);
  world.pass(DrainRequested{});
  REQUIRE(world.run_until([&] { return world.exited(); }));
  world.start();
  REQUIRE(world.run_until([&] { return is_resident(world); }));
  CHECK(world.core().circuits()[0].adoptions == 1);

  const ReplyToken removed = world.ask(CircuitRemoveRequested{0, "c"});
  REQUIRE(world.run_until([&] { return world.code(removed) == 200 && world.core().circuits().empty(); }));
  world.add_circuit("c");
  REQUIRE(world.run_until([&] { return is_resident(world); }));
  CHECK(world.core().circuits()[0].loads == 1);
  CHECK(world.faults().empty());
}

TEST_CASE("segments that do not pass their check, or kill who checks them, are given back and the files are loaded") {
  World world(config());
  make_resident(world);
  const auto end = GENERATE(Behaviour::End::fails, Behaviour::End::crash);
  world.script = [end](const Assign& assign) {
    Behaviour behaviour;
    if (std::holds_alternative<AssignAdopt>(assign.what)) behaviour.end = end;
    return behaviour;
  };
  world.crash();
  world.start();
  REQUIRE(world.run_until([&] { return is_resident(world); }));
  CHECK(world.core().circuits()[0].loads == 1);
  CHECK(world.core().circuits()[0].adoptions == 0);
  CHECK(world.faults().empty());
}

TEST_CASE("an operator's kill of who checks the segments costs a second check, not the segments") {
  World world(config());
  make_resident(world);
  int checks = 0;
  world.script = [&checks](const Assign& assign) {
    Behaviour behaviour;
    if (std::holds_alternative<AssignAdopt>(assign.what) && ++checks == 1) behaviour.end = Behaviour::End::killed;
    return behaviour;
  };
  world.crash();
  world.start();
  REQUIRE(world.run_until([&] { return is_resident(world); }));
  CHECK(checks == 2);
  CHECK(world.core().circuits()[0].loads == 0);
  CHECK(world.faults().empty());
}

TEST_CASE("segments that a smaller budget cannot hold are freed, and the circuit is refused by the rules of loading") {
  CoreConfig small = config();
  auto core = Core::create(small);
  REQUIRE(core);
  small.budget_total_bytes = 4 * segment_bytes(100'000) + 100'000;
  core = Core::create(small);
  REQUIRE(core);
  Recovered recovered;
  recovered.circuits.push_back(
      {"c", {"/keys/c.zkey", "", false}, "key", "", Recovered::Resident{{7, 1}, {8, 1}, 100'000, 20'000}});

  const auto actions = core->on(recovered, TimePoint{Millis{1}});

  std::vector<std::uint64_t> freed;
  for (const Action& action : actions)
    if (const auto* free = std::get_if<FreeSegment>(&action)) {
      freed.push_back(free->segment.id);
      CHECK_FALSE(free->stays_kept);
    }
  CHECK(freed == std::vector<std::uint64_t>{7, 8});
  CHECK(core->check_invariants().empty());
  core->on(SegmentFreed{{7, 1}}, TimePoint{Millis{2}});
  bool opens = false;
  for (const Action& action : core->on(SegmentFreed{{8, 1}}, TimePoint{Millis{3}}))
    opens = opens || std::holds_alternative<OpenFiles>(action);
  CHECK(opens);
  CHECK(core->check_invariants().empty());
}
