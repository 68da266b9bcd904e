// The budget at work: nothing waits for memory while it holds memory, nothing starves, nothing is promised twice.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/core/steps.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;
using namespace groth16d::supervisor::test;

namespace {

constexpr std::uint64_t kResting = 100'000;

CoreConfig tight(std::uint64_t beyond_resting) {
  CoreConfig config;
  for (const Role role : {Role::load, Role::synth, Role::cpu, Role::final}) config.role(role) = {2, 1, kResting};
  config.budget_total_bytes = 8 * segment_bytes(kResting) + beyond_resting;
  return config;
}

std::uint64_t key_bytes() {
  const CircuitFacts facts = small_circuit();
  return segment_bytes(facts.key_bytes) + segment_bytes(facts.r1cs_bytes);
}

std::uint64_t partition_bytes() {
  const CircuitFacts facts = small_circuit();
  return segment_bytes(10'000) + segment_bytes(facts.witness_bytes) + segment_bytes(facts.ab_bytes) +
         facts.prove_private_bytes + facts.b2_private_bytes;
}

Behaviour slow_proofs(const Assign& assign) {
  Behaviour behaviour;
  if (std::holds_alternative<AssignProve>(assign.what)) behaviour.duration = Millis{100};
  return behaviour;
}

}  // namespace

TEST_CASE("where only GPU workers prove, no partition reserves or gets memory for rows") {
  const CircuitFacts facts = small_circuit();
  CoreConfig config = tight(key_bytes() + partition_bytes() - segment_bytes(facts.ab_bytes));
  config.role(Role::gpu) = config.role(Role::cpu);
  config.role(Role::cpu).slots = 0;
  World world(config);
  warm(world);
  world.submit("j");

  REQUIRE(finish(world, "j"));

  CHECK(world.state("j") == JobState::done);
  for (const Assign& assign : world.assigned()) {
    if (const auto* synth = std::get_if<AssignSynth>(&assign.what)) CHECK_FALSE(synth->ab);
    if (const auto* prove = std::get_if<AssignProve>(&assign.what)) CHECK_FALSE(prove->ab);
  }
  require_sound(world);
}

TEST_CASE("beside CPU workers a GPU worker leaves the rows alone, and its small peak does not shrink their need") {
  CoreConfig config = tight(10'000'000);
  config.role(Role::gpu) = {1, 1, kResting};
  config.role(Role::cpu).slots = 1;
  config.budget_total_bytes = 10'000'000;
  World world(config);
  std::size_t on_card = 0;
  world.script = [&](const Assign& assign) {
    Behaviour behaviour = slow_proofs(assign);
    if (std::holds_alternative<AssignProve>(assign.what) && assign.slot.role == Role::gpu) {
      behaviour.private_permille = 1;
      ++on_card;
    }
    return behaviour;
  };
  warm(world);
  world.submit("j", 6);

  REQUIRE(finish(world, "j"));

  CHECK(on_card > 0);
  for (const Assign& assign : world.assigned()) {
    const auto* prove = std::get_if<AssignProve>(&assign.what);
    if (prove) CHECK(static_cast<bool>(prove->ab) == (assign.slot.role == Role::cpu));
  }
  const std::vector<CircuitView> circuits = world.core().circuits();
  for (const PrivateNeedView& need : circuits[0].needs)
    if (need.stage == Stage::prove) CHECK(need.reserved_bytes >= small_circuit().prove_private_bytes);
  require_sound(world);
}

TEST_CASE("one and a half partitions of budget finish fifty jobs") {
  World world(tight(key_bytes() + partition_bytes() * 3 / 2));
  warm(world);
  for (int i = 0; i < 50; ++i) world.submit("j" + std::to_string(i));
  REQUIRE(world.run_until([&] { return world.accepted().size() == 50 && world.all_final(); }));
  for (int i = 0; i < 50; ++i) CHECK(world.state("j" + std::to_string(i)) == JobState::done);
  require_sound(world);
}

TEST_CASE("finished syntheses do not pile up in front of a slow prove slot") {
  std::map<std::size_t, std::uint64_t> peak_by_queue;
  for (const std::size_t queue : {40u, 200u}) {
    World world(tight(key_bytes() + partition_bytes() * 6));
    world.script = slow_proofs;
    warm(world);
    world.submit("j", queue);
    REQUIRE(finish(world, "j"));
    CHECK(world.state("j") == JobState::done);
    require_sound(world);
    peak_by_queue[queue] = world.peak_bytes();
  }
  CHECK(peak_by_queue[200] == peak_by_queue[40]);
}

TEST_CASE("the peak grows by no more than one reservation an admitted partition") {
  std::uint64_t previous = 0;
  for (const std::uint32_t in_flight : {2u, 4u, 8u, 12u, 16u}) {
    CoreConfig config = tight(key_bytes() + partition_bytes() * 20);
    config.max_in_flight = in_flight;
    World world(config);
    world.script = slow_proofs;
    warm(world);
    world.submit("j", 60);
    REQUIRE(finish(world, "j"));
    require_sound(world);
    if (previous > 0) CHECK(world.peak_bytes() <= previous + (in_flight == 4 ? 2 : 4) * partition_bytes());
    previous = world.peak_bytes();
  }
}

TEST_CASE("a job that can never fit gets 413 with both numbers: at SUBMIT, or after intake") {
  World world(tight(key_bytes() + partition_bytes() - 1));
  const bool known = GENERATE(true, false);
  if (known) {
    warm(world);
    const ReplyToken token = world.submit("j");
    CHECK(world.code(token) == 413);
    CHECK(world.reply_error(token)->text.find(std::to_string(key_bytes() + partition_bytes())) != std::string::npos);
    CHECK(world.reply_error(token)->text.find(std::to_string(key_bytes() + partition_bytes() - 1)) !=
          std::string::npos);
  } else {
    world.start();
    world.add_circuit("c");
    world.run_for(Millis{2});
    const TimePoint asked = world.now();
    world.submit("j");
    REQUIRE(finish(world, "j"));
    CHECK(world.now() - asked < Millis{1'000});
    CHECK(world.core().job("j", world.now())->failure->code == ErrorCode::too_large);
  }
  require_sound(world);
}

TEST_CASE("a key that can never fit fails its circuit and jobs with the reason") {
  World world(tight(key_bytes()));  // but not the loader's private memory
  world.start();
  world.add_circuit("c");
  REQUIRE(world.run_until(
      [&] { return !world.core().circuits().empty() && world.core().circuits()[0].failure.has_value(); }));
  CHECK(world.core().circuits()[0].failure->code == ErrorCode::too_large);
  CHECK(world.code(world.submit("j")) == 413);
  require_sound(world);
}

TEST_CASE("small requests do not overtake a large one for ever") {
  const std::uint64_t big_witness = 300'000;
  CoreConfig config = tight(2 * key_bytes() + partition_bytes() + big_witness);
  config.ageing = Millis{5'000};
  World world(config);
  world.facts = [&](const std::string& path) {
    CircuitFacts facts = small_circuit();
    if (path == "/keys/big.zkey") facts.witness_bytes += big_witness;
    return facts;
  };
  world.script = slow_proofs;
  warm(world, "small");
  world.add_circuit("big");
  world.run_for(Millis{1'000});
  int submitted = 0;
  std::function<void()> flood = [&] {
    world.submit("small" + std::to_string(submitted++), 1, "small", Priority::high);
    if (submitted < 600) world.later(Millis{50}, flood);
  };
  flood();
  world.run_for(Millis{500});
  const TimePoint asked = world.now();
  world.submit("large", 1, "big", Priority::low);
  REQUIRE(world.run_until([&] { return world.state("large") == JobState::done; }));
  CHECK(world.now() - asked < Millis{12'000});
  CHECK(submitted < 600);  // they kept coming
  require_sound(world);
}

TEST_CASE("CRITICAL jobs pass a blocked head by their reserved share") {
  CoreConfig config = tight(key_bytes() + partition_bytes() * 2);
  config.critical_reserved_bytes = partition_bytes();
  World world(config);
  warm(world);
  world.script = [](const Assign&) { return Behaviour{Behaviour::End::done, Millis{1'000}}; };
  world.submit("a", 5);
  world.run_for(Millis{1'500});
  const TimePoint asked = world.now();
  world.submit("urgent", 1, "c", Priority::critical);
  REQUIRE(finish(world, "urgent"));
  CHECK(world.now() - asked < Millis{7'000});
  CHECK(world.state("a") == JobState::running);
  REQUIRE(finish(world, "a"));
  require_sound(world);
}

TEST_CASE("idle keys are evicted for other circuits, oldest first, and loaded again on demand") {
  World world(tight(2 * key_bytes() + partition_bytes()));
  world.start();
  for (const char* name : {"c0", "c1", "c2", "c3"}) world.add_circuit(name);
  world.run_for(Millis{1'000});
  for (int i = 0; i < 24; ++i) world.submit("j" + std::to_string(i), 1, "c" + std::to_string(i % 4));
  REQUIRE(world.run_until([&] { return world.accepted().size() == 24 && world.all_final(); }));
  for (int i = 0; i < 24; ++i) CHECK(world.state("j" + std::to_string(i)) == JobState::done);
  CHECK(world.count_assigned(Stage::load) > 4);
  require_sound(world);
}

// Also seed 35400 of the simulation.
TEST_CASE("a job that comes while its key gives its memory back keeps the circuit") {
  World world(tight(key_bytes() + partition_bytes()));
  world.start();
  const auto submit_by_path = [&](const JobId& job) {
    SubmitRequested request;
    request.job = job;
    request.digest = job;
    request.source = {"/keys/p.zkey", "", true};
    request.key_stamp = "stamp";
    request.partitions.resize(1);
    world.ask(request);
  };
  const auto is_resident = [&] {
    const auto circuits = world.core().circuits();
    return std::any_of(circuits.begin(), circuits.end(), [](const CircuitView& circuit) {
      return circuit.source.key_path == "/keys/p.zkey" && circuit.state == CircuitState::resident;
    });
  };
  submit_by_path("first");
  REQUIRE(finish(world, "first"));
  REQUIRE(is_resident());
  world.add_circuit("c");
  world.run_for(Millis{100});
  REQUIRE(is_resident());
  world.submit("other");
  REQUIRE(world.run_until([&] { return !is_resident(); }));

  submit_by_path("late");

  REQUIRE(finish(world, "late"));
  CHECK(world.state("late") == JobState::done);
  CHECK(world.state("other") == JobState::done);
  require_sound(world);
}

TEST_CASE("a failed allocation rolls the reservation back and is tried again, whichever it is") {
  const int failing = GENERATE(range(0, 12));
  World world(tight(key_bytes() + partition_bytes() * 3));
  int count = 0;
  world.allocation_fails = [&] { return count++ == failing; };
  warm(world);
  const std::uint64_t before = world.core().daemon().budget_used_bytes;
  world.submit("j", 10);
  REQUIRE(finish(world, "j"));
  CHECK(world.state("j") == JobState::done);
  CHECK(world.core().daemon().budget_used_bytes == before);
  require_sound(world);
}

TEST_CASE("allocations that never succeed end the job with the kernel's words") {
  World world(tight(key_bytes() + partition_bytes() * 3));
  warm(world);
  world.allocation_fails = [] { return true; };
  world.submit("j");
  REQUIRE(finish(world, "j"));
  CHECK(world.state("j") == JobState::failed);
  CHECK(world.core().job("j", world.now())->failure->name == "segment.no_space");
  require_sound(world);
}

TEST_CASE("the counters agree with the segments that exist") {
  World world(tight(key_bytes() + partition_bytes() * 4));
  world.script = slow_proofs;
  warm(world);
  world.submit("j", 12);
  for (int i = 0; i < 100; ++i) {
    world.run_for(Millis{7});
    std::uint64_t counted = 0, reserved_private = 0;
    for (const BufferCount& count : world.core().daemon().buffers)
      (count.kind == BufferKind::private_memory ? reserved_private : counted) += count.bytes;
    // A segment that was made a moment ago and is not reported yet is the only difference.
    CHECK(counted + partition_bytes() * 4 >= world.physical_bytes());
    CHECK(counted <= world.physical_bytes());
    CHECK(counted + reserved_private <= world.core().daemon().budget_used_bytes);
  }
  REQUIRE(finish(world, "j"));
  require_sound(world);
}

// ------------------------------------------------------------------ observed peaks

namespace {

PrivateNeedView need(const World& world, Stage stage) {
  const std::vector<CircuitView> circuits = world.core().circuits();
  for (const PrivateNeedView& view : circuits.at(0).needs)
    if (view.stage == stage) return view;
  FAIL("no such stage");
  return {};
}

}  // namespace

TEST_CASE("what a stage really takes is what the next partition reserves for it") {
  CoreConfig config = tight(10'000'000);
  config.need_margin_bytes = 100;
  World world(config);
  world.script = [](const Assign&) {
    Behaviour behaviour;
    behaviour.private_permille = 500;
    return behaviour;
  };
  warm(world);
  const std::uint64_t formula = small_circuit().prove_private_bytes;
  const std::uint64_t before = world.core().circuits().at(0).partition_bytes;
  CHECK(need(world, Stage::prove).reserved_bytes == formula);
  world.submit("j");
  REQUIRE(finish(world, "j"));

  const PrivateNeedView prove = need(world, Stage::prove);
  CHECK(prove.formula_bytes == formula);
  CHECK(prove.observed_bytes == formula / 2);
  CHECK(prove.reserved_bytes == formula / 2 + formula / 40 + 100);
  CHECK(world.core().circuits().at(0).partition_bytes < before);
  CHECK(world.core().daemon().private_overruns == 0);
  require_sound(world);
}

TEST_CASE("a peak above its reservation is counted, and raises the need of those who come later") {
  World world(tight(10'000'000));
  world.script = [](const Assign& assign) {
    Behaviour behaviour;
    if (std::holds_alternative<AssignB2>(assign.what)) behaviour.private_permille = 1'200;
    return behaviour;
  };
  warm(world);
  const std::uint64_t before = world.core().circuits().at(0).partition_bytes;
  world.submit("j");
  REQUIRE(finish(world, "j"));

  CHECK(need(world, Stage::b2).observed_bytes == small_circuit().b2_private_bytes * 6 / 5);
  CHECK(need(world, Stage::b2).reserved_bytes > need(world, Stage::b2).observed_bytes);
  CHECK(world.core().circuits().at(0).partition_bytes > before);
  CHECK(world.core().daemon().private_overruns == 1);
  require_sound(world);
}

TEST_CASE("a job that could only fit before a peak was seen is refused with both numbers") {
  World world(tight(key_bytes() + partition_bytes() + 1'000));
  world.script = [](const Assign& assign) {
    Behaviour behaviour;
    if (std::holds_alternative<AssignProve>(assign.what)) behaviour.private_permille = 2'000;
    return behaviour;
  };
  warm(world);
  world.submit("first");
  REQUIRE(finish(world, "first"));
  CHECK(world.state("first") == JobState::done);
  const ReplyToken second = world.submit("second");
  REQUIRE(world.run_until([&] { return world.code(second) != 0; }));
  CHECK(world.code(second) == 413);
  require_sound(world);
}
