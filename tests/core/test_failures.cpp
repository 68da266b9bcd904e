// Failures cost one stage: deaths, freezes, liars, bad inputs, bad slots, stale messages, full disks.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "tests/core/steps.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;
using namespace groth16d::supervisor::test;

namespace {

CoreConfig slots_of(std::uint32_t count) {
  CoreConfig config;
  for (const Role role : {Role::load, Role::synth, Role::cpu, Role::final}) config.role(role) = {count, 1, 100'000};
  config.budget_total_bytes = 10'000'000;
  return config;
}

Stage stage_of(const Assign& assign) {
  constexpr std::array<Stage, 7> kStageOf = {Stage::inspect, Stage::inspect, Stage::load,    Stage::synth,
                                             Stage::prove,   Stage::b2,      Stage::assemble};
  return kStageOf[assign.what.index()];
}

// The first assignment of this stage ends like this; all others are done.
void first_of(World& world, Stage stage, Behaviour first) {
  world.script = [stage, first, used = false](const Assign& assign) mutable {
    if (used || stage_of(assign) != stage || assign.work.job.starts_with("circuit.")) return Behaviour{};
    used = true;
    return first;
  };
}

CoreConfig with_cards(std::uint32_t cards, std::uint32_t cpus = 0) {
  CoreConfig config = slots_of(1);
  config.role(Role::cpu).slots = cpus;
  config.role(Role::gpu) = {cards, 1, 100'000};
  return config;
}

const SlotId kCard{Role::gpu, 0};

std::size_t proofs_begun_on(const World& world, Role role) {
  return static_cast<std::size_t>(std::count_if(
      world.assigned().begin(), world.assigned().end(),
      [role](const Assign& assign) { return assign.slot.role == role && stage_of(assign) == Stage::prove; }));
}

// What a prove stage meets on this card as long as `is_bad` says so.
void spoil(World& world, SlotId card, std::function<bool()> is_bad, Behaviour bad) {
  world.script = [card, is_bad, bad](const Assign& assign) {
    return assign.slot == card && stage_of(assign) == Stage::prove && is_bad() ? bad : Behaviour{};
  };
}

// All that this role does takes a second; else it goes as the script says so far.
void slow_down(World& world, Role role) {
  world.script = [role, before = world.script](const Assign& assign) {
    Behaviour behaviour = before(assign);
    if (assign.slot.role == role) behaviour.duration = Millis{1'000};
    return behaviour;
  };
}

Behaviour losing_the_card() {
  Behaviour behaviour;
  behaviour.end = Behaviour::End::exits;
  behaviour.exit_code = 69;
  return behaviour;
}

Behaviour without_card_memory(const std::string& name, Blame blame) {
  Behaviour behaviour;
  behaviour.end = Behaviour::End::fails;
  behaviour.error = {ErrorCode::unavailable, name, "the prove stage needs 17 bytes of the card's memory"};
  behaviour.retryable = true;
  behaviour.blame = blame;
  return behaviour;
}

std::function<bool()> until(const World& world, Millis from_now) {
  return [&world, end = world.now() + from_now] { return world.now() < end; };
}

bool always() { return true; }

// Its key is made, by a card or by a load slot.
World& making_keys(World& world) {
  world.facts = [](const std::string&) {
    CircuitFacts facts = small_circuit();
    facts.is_generated = true;
    return facts;
  };
  return world;
}

}  // namespace

TEST_CASE("a death costs its stage and nothing else") {
  const auto stage = GENERATE(Stage::inspect, Stage::synth, Stage::prove, Stage::b2, Stage::assemble);
  const auto end = GENERATE(Behaviour::End::crash, Behaviour::End::killed, Behaviour::End::oom, Behaviour::End::exits,
                            Behaviour::End::freezes, Behaviour::End::hangs);
  World world(slots_of(2));
  warm(world);
  const std::uint64_t before = world.core().daemon().budget_used_bytes;
  Behaviour death;
  death.end = end;
  first_of(world, stage, death);
  world.submit("j");
  REQUIRE(finish(world, "j"));
  CHECK(world.state("j") == JobState::done);
  CHECK(world.core().daemon().budget_used_bytes == before);
  for (const Stage other : {Stage::synth, Stage::prove, Stage::b2, Stage::assemble}) {
    INFO(to_string(other));
    CHECK(world.count_assigned(other) == (other == stage ? 2u : 1u));
  }
  CHECK(world.core().circuits()[0].loads == 1);
  require_sound(world);
}

TEST_CASE("a frozen worker's segments are not reused before its pidfd fires") {
  World world(slots_of(1));
  warm(world);
  Behaviour freeze;
  freeze.end = Behaviour::End::freezes;
  first_of(world, Stage::synth, freeze);
  world.submit("j");
  REQUIRE(world.run_until([&] { return world.core().workers()[1].state == SlotState::draining; }, Millis{10'000}));
  CHECK(world.physical_bytes() > 0);  // condemned, not reaped: everything is still there
  REQUIRE(finish(world, "j"));
  CHECK(world.state("j") == JobState::done);
  CHECK(world.worker({Role::synth, 0}).last_death.starts_with("frozen"));
  require_sound(world);
}

TEST_CASE("a stuck worker gets SIGABRT, and SIGKILL if it outlives that") {
  World world(slots_of(1));
  warm(world);
  world.worker_is_slow_to_die = [] { return true; };
  Behaviour hang;
  hang.end = Behaviour::End::hangs;
  first_of(world, Stage::prove, hang);
  world.submit("j");
  REQUIRE(finish(world, "j"));
  CHECK(world.state("j") == JobState::done);
  CHECK(world.worker({Role::cpu, 0}).last_death == "stuck (signal 9)");
  require_sound(world);
}

TEST_CASE("a worker that keeps its leases or lies about its mapping dies alone") {
  const bool lies = GENERATE(false, true);
  World world(slots_of(2));
  warm(world);
  Behaviour bad;
  (lies ? bad.lies_about_seal : bad.keeps_leases) = true;
  first_of(world, Stage::synth, bad);
  world.submit("j");
  world.submit("k");
  REQUIRE(finish(world, "j"));
  REQUIRE(finish(world, "k"));
  CHECK(world.state("j") == JobState::done);
  CHECK(world.state("k") == JobState::done);
  CHECK(world.worker({Role::synth, 0}).last_death.starts_with("protocol"));
  require_sound(world);
}

TEST_CASE("an input that always kills synthesis is quarantined, slots are not blamed, kick tries again") {
  const auto slots = GENERATE(1u, 2u, 3u);
  World world(slots_of(slots));
  warm(world);
  bool poisoned = true;
  world.script = [&](const Assign& assign) {
    Behaviour behaviour;
    if (poisoned && assign.work.job == "poison" && stage_of(assign) == Stage::synth)
      behaviour.end = Behaviour::End::crash;
    return behaviour;
  };
  world.submit("poison");
  for (int i = 0; i < 5; ++i) world.submit("good" + std::to_string(i));
  REQUIRE(finish(world, "poison"));
  CHECK(world.state("poison") == JobState::quarantined);
  REQUIRE(world.run_until([&] { return world.accepted().size() == 6 && world.all_final(); }));
  for (int i = 0; i < 5; ++i) CHECK(world.state("good" + std::to_string(i)) == JobState::done);
  for (const WorkerView& view : world.core().workers()) CHECK(view.state != SlotState::failed);
  CHECK(world.code(world.ask(KickRequested{0, "good0"})) == 409);

  poisoned = false;
  const ReplyToken kick = world.ask(KickRequested{0, "poison"});
  REQUIRE(world.run_until([&] { return world.state("poison") == JobState::done; }));
  CHECK(world.code(kick) == 202);
  require_sound(world);
}

TEST_CASE("one bad prove slot is failed, no job is quarantined, the others go on") {
  World world(slots_of(2));
  warm(world);
  world.script = [&](const Assign& assign) {
    Behaviour behaviour;
    if (assign.slot == SlotId{Role::cpu, 0}) behaviour.end = Behaviour::End::crash;
    return behaviour;
  };
  for (int i = 0; i < 12; ++i) world.submit("j" + std::to_string(i));
  REQUIRE(world.run_until([&] { return world.accepted().size() == 12 && world.all_final(); }));
  for (int i = 0; i < 12; ++i) CHECK(world.state("j" + std::to_string(i)) == JobState::done);
  for (int i = 12; i < 30; ++i) {
    world.submit("j" + std::to_string(i));
    world.run_for(Millis{2'000});
  }
  REQUIRE(world.run_until([&] { return world.accepted().size() == 30 && world.all_final(); }));
  CHECK(world.worker({Role::cpu, 0}).state == SlotState::failed);
  CHECK(world.core().daemon().state == DaemonState::degraded);
  CHECK(world.code(world.ask(WorkerRequested{0, {Role::cpu, 0}, WorkerVerb::reset})) == 202);
  CHECK(world.worker({Role::cpu, 0}).state == SlotState::starting);
  require_sound(world);
}

TEST_CASE("without a usable slot of a role SUBMIT is refused, and a reset brings the role back") {
  World world(slots_of(1));
  warm(world);
  bool broken = true;
  world.script = [&](const Assign& assign) {
    Behaviour behaviour;
    if (broken && stage_of(assign) == Stage::prove) {
      behaviour.end = Behaviour::End::exits;
      behaviour.exit_code = 78;
    }
    return behaviour;
  };
  world.submit("j");
  REQUIRE(world.run_until([&] { return world.worker({Role::cpu, 0}).state == SlotState::failed; }));
  CHECK(world.code(world.submit("k")) == 503);
  CHECK(world.core().daemon().state == DaemonState::degraded);
  broken = false;
  world.ask(WorkerRequested{0, {Role::cpu, 0}, WorkerVerb::reset});
  REQUIRE(finish(world, "j"));
  CHECK(world.state("j") == JobState::done);
  require_sound(world);
}

TEST_CASE("sums that do not verify are made again elsewhere, and the slot that made them is blamed") {
  World world(slots_of(2));
  warm(world);
  std::map<std::string, SlotId> prover;
  world.script = [&](const Assign& assign) {
    Behaviour behaviour;
    if (stage_of(assign) == Stage::prove) prover[assign.work.job] = assign.slot;
    if (stage_of(assign) == Stage::assemble && prover[assign.work.job] == SlotId{Role::cpu, 0}) {
      behaviour.end = Behaviour::End::fails;
      behaviour.error = {ErrorCode::unsatisfied, "proof.pairing", "the pairing check failed"};
      behaviour.blame = Blame::verification;
    }
    return behaviour;
  };
  for (int i = 0; i < 12; ++i) {
    world.submit("j" + std::to_string(i));
    world.run_for(Millis{500});
  }
  REQUIRE(world.run_until([&] { return world.accepted().size() == 12 && world.all_final(); }));
  for (int i = 0; i < 12; ++i) CHECK(world.state("j" + std::to_string(i)) == JobState::done);
  CHECK(world.count_assigned(Stage::synth) == 12);  // the witness was good
  CHECK(world.worker({Role::cpu, 0}).state == SlotState::failed);
  require_sound(world);
}

TEST_CASE("two proofs that do not verify fail the job, and nobody is blamed") {
  World world(slots_of(2));
  warm(world);
  world.script = [&](const Assign& assign) {
    Behaviour behaviour;
    if (stage_of(assign) == Stage::assemble) {
      behaviour.end = Behaviour::End::fails;
      behaviour.error = {ErrorCode::unsatisfied, "proof.pairing", "the pairing check failed"};
      behaviour.blame = Blame::verification;
    }
    return behaviour;
  };
  for (int i = 0; i < 6; ++i) world.submit("j" + std::to_string(i));
  REQUIRE(world.run_until([&] { return world.accepted().size() == 6 && world.all_final(); }));
  for (int i = 0; i < 6; ++i) CHECK(world.state("j" + std::to_string(i)) == JobState::failed);
  CHECK(world.core().job("j0", world.now())->failure->name == "proof.verification");
  CHECK(world.count_assigned(Stage::prove) == 12);
  for (const WorkerView& view : world.core().workers()) CHECK(view.state != SlotState::failed);
  require_sound(world);
}

TEST_CASE("FAILED{retryable} is tried again a bounded number of times") {
  World world(slots_of(2));
  warm(world);
  int failures = 2;
  world.script = [&](const Assign& assign) {
    Behaviour behaviour;
    if (stage_of(assign) == Stage::synth && failures > 0) {
      --failures;
      behaviour.end = Behaviour::End::fails;
      behaviour.error = {ErrorCode::system, "lease.missing", "a lease did not come"};
      behaviour.retryable = true;
    }
    return behaviour;
  };
  world.submit("j");
  REQUIRE(finish(world, "j"));
  CHECK(world.state("j") == JobState::done);
  failures = 1000;
  world.submit("k");
  REQUIRE(finish(world, "k"));
  CHECK(world.state("k") == JobState::failed);
  CHECK(world.core().job("k", world.now())->failure->name == "lease.missing");
  require_sound(world);
}

TEST_CASE("messages of old epochs, old generations and old assignments are counted and change nothing") {
  World world(slots_of(1));
  warm(world);
  world.submit("j");
  REQUIRE(world.run_until([&] { return world.count_assigned(Stage::synth) == 1; }));
  const Assign assign = world.assigned().back();
  const auto& synth = std::get<AssignSynth>(assign.what);
  const std::uint64_t stale = world.core().daemon().stale_events;
  const std::uint64_t used = world.core().daemon().budget_used_bytes;
  const WorkerToken old{assign.slot, assign.epoch - 1, assign.assignment};
  const WorkerToken present{assign.slot, assign.epoch, assign.assignment};
  const WorkerToken elsewhere{{Role::cpu, 0}, assign.epoch, assign.assignment};
  world.pass(WitnessSealed{old, 1});
  world.pass(WitnessSealed{elsewhere, 1});
  world.pass(WorkerReleased{old, synth.witness});
  world.pass(WorkerReleased{present, SegmentRef{synth.witness.id, synth.witness.generation + 1}});
  world.pass(WorkerReleased{elsewhere, synth.witness});
  world.pass(ProveDone{present, "sums"});
  world.pass(ExitObserved{assign.slot, assign.epoch + 1, 0, 0, false, ""});
  world.pass(SegmentFreed{synth.witness});
  world.pass(SegmentSealed{synth.witness});
  world.pass(SegmentsAllocated{9999});
  world.pass(JobStored{"j"});
  world.pass(ResultStored{"j", 0});
  world.pass(ResultStored{"j", 77});
  CHECK(world.core().daemon().stale_events == stale + 13);
  CHECK(world.core().daemon().budget_used_bytes == used);
  REQUIRE(finish(world, "j"));
  CHECK(world.state("j") == JobState::done);
  require_sound(world);
}

TEST_CASE("every message twice changes nothing") {
  World world(slots_of(2));
  world.repeats = [] { return true; };
  warm(world);
  world.submit("j", 10);
  REQUIRE(finish(world, "j"));
  CHECK(world.state("j") == JobState::done);
  CHECK(world.count_assigned(Stage::synth) == 10);
  require_sound(world);
}

TEST_CASE("a full journal: SUBMIT gets 503, running work finishes and its results wait") {
  World world(slots_of(2));
  warm(world);
  world.submit("j", 3);
  REQUIRE(world.run_until([&] { return world.count_assigned(Stage::synth) == 1; }));
  bool full = true;
  world.journal_fails = [&] { return full; };
  const ReplyToken refused = world.submit("k");
  world.run_for(Millis{5'000});
  CHECK(world.code(refused) == 503);
  CHECK(world.state("j") == JobState::running);
  CHECK(world.core().daemon().buffers.size() == 3);  // key, r1cs and resting workers: the proofs are no large buffers
  full = false;
  REQUIRE(finish(world, "j"));
  CHECK(world.state("j") == JobState::done);
  CHECK(world.count_assigned(Stage::synth) == 3);
  require_sound(world);
}

TEST_CASE("a loader that dies is retried, and a key that kills loaders fails its circuit") {
  World world(slots_of(2));
  int deaths = 2;
  world.script = [&](const Assign& assign) {
    Behaviour behaviour;
    if (stage_of(assign) == Stage::load && deaths > 0) {
      --deaths;
      behaviour.end = Behaviour::End::crash;
    }
    return behaviour;
  };
  warm(world);
  deaths = 1000;
  world.add_circuit("d");
  REQUIRE(world.run_until(
      [&] { return world.core().circuits().size() == 2 && world.core().circuits()[1].failure.has_value(); }));
  CHECK(world.core().circuits()[1].failure->name == "circuit.quarantined");
  CHECK(world.core().circuits()[0].state == CircuitState::resident);
  for (const WorkerView& view : world.core().workers()) CHECK(view.state != SlotState::failed);
  require_sound(world);
}

TEST_CASE("every worker is restarted in turn under load without a failed job") {
  const auto verb = GENERATE(WorkerVerb::restart, WorkerVerb::restart_now);
  World world(slots_of(2));
  warm(world);
  world.submit("j", 60);
  for (const WorkerView& view : world.core().workers()) {
    world.run_for(Millis{15});
    CHECK(world.code(world.ask(WorkerRequested{0, view.slot, verb})) == 202);
  }
  REQUIRE(finish(world, "j"));
  CHECK(world.state("j") == JobState::done);
  world.run_for(Millis{1'000});
  for (const WorkerView& view : world.core().workers()) CHECK(view.epoch == 1'002);
  if (verb == WorkerVerb::restart) CHECK(world.count_assigned(Stage::synth) == 60);
  require_sound(world);
}

TEST_CASE("a disabled worker stays away until it is enabled") {
  World world(slots_of(1));
  warm(world);
  const SlotId slot{Role::final, 0};
  world.ask(WorkerRequested{0, slot, WorkerVerb::disable});
  world.run_for(Millis{5'000});
  CHECK(world.worker(slot).state == SlotState::disabled);
  CHECK(world.code(world.submit("j")) == 503);
  world.ask(WorkerRequested{0, slot, WorkerVerb::enable});
  world.submit("k");
  REQUIRE(finish(world, "k"));
  CHECK(world.state("k") == JobState::done);
  require_sound(world);
}

TEST_CASE("two jobs of one content but two ids never mix their partitions") {
  World world(slots_of(2));
  warm(world);
  world.submit("a", 8);
  world.submit("b", 8);
  REQUIRE(finish(world, "a"));
  REQUIRE(finish(world, "b"));
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(world.core().result("a")->proofs[i].proof == "proof of a/" + std::to_string(i));
    CHECK(world.core().result("b")->proofs[i].proof == "proof of b/" + std::to_string(i));
  }
  require_sound(world);
}

// ------------------------------------------------------------------ cards

TEST_CASE("a card that is lost in every computation fails its slot, and the jobs wait for another") {
  World world(with_cards(1));
  warm(world);
  bool dead = true;
  spoil(
      world, kCard, [&dead] { return dead; }, losing_the_card());
  for (int i = 0; i < 6; ++i) world.submit("j" + std::to_string(i));
  world.run_for(Millis{60'000});
  CHECK(world.worker(kCard).state == SlotState::failed);
  CHECK(proofs_begun_on(world, Role::gpu) == 3);
  for (int i = 0; i < 6; ++i) CHECK_FALSE(is_final(*world.state("j" + std::to_string(i))));

  dead = false;
  world.ask(WorkerRequested{0, kCard, WorkerVerb::reset});
  for (int i = 0; i < 6; ++i) {
    REQUIRE(finish(world, "j" + std::to_string(i)));
    CHECK(world.state("j" + std::to_string(i)) == JobState::done);
  }
  require_sound(world);
}

TEST_CASE("a card that is lost in every long computation fails its slot, too") {
  World world(with_cards(1));
  warm(world);
  Behaviour late = losing_the_card();
  late.duration = Millis{200'000};
  spoil(world, kCard, always, late);
  world.submit("j");
  REQUIRE(world.run_until([&] { return world.worker(kCard).state == SlotState::failed; }, Millis{3'600'000}));
  CHECK(proofs_begun_on(world, Role::gpu) == 3);
  CHECK_FALSE(is_final(*world.state("j")));
  require_sound(world);
}

TEST_CASE("beside a card that is always lost every job is proven, on another card or a CPU") {
  const std::uint32_t cards = GENERATE(1u, 2u);
  World world(with_cards(cards, 2 - cards));
  warm(world);
  world.script = [](const Assign& assign) {
    Behaviour behaviour = assign.slot == kCard ? losing_the_card() : Behaviour{};
    if (assign.slot != kCard && stage_of(assign) == Stage::prove) behaviour.duration = Millis{2'000};
    return behaviour;
  };
  for (int i = 0; i < 6; ++i) world.submit("j" + std::to_string(i));
  for (int i = 0; i < 6; ++i) {
    REQUIRE(finish(world, "j" + std::to_string(i)));
    CHECK(world.state("j" + std::to_string(i)) == JobState::done);
  }
  CHECK(world.worker(kCard).state == SlotState::failed);
  require_sound(world);
}

TEST_CASE("a partition that loses two cards is quarantined, and no slot is failed") {
  World world(with_cards(2));
  warm(world);
  world.script = [](const Assign& assign) {
    return assign.work.job == "poison" && stage_of(assign) == Stage::prove ? losing_the_card() : Behaviour{};
  };
  world.submit("poison");
  world.submit("good");
  REQUIRE(finish(world, "poison"));
  REQUIRE(finish(world, "good"));
  CHECK(world.state("poison") == JobState::quarantined);
  CHECK(world.state("good") == JobState::done);
  CHECK(proofs_begun_on(world, Role::gpu) == 4);
  for (const WorkerView& view : world.core().workers()) CHECK(view.state != SlotState::failed);
  require_sound(world);
}

TEST_CASE("where no card is usable a key that cards make is made by a load slot") {
  World world(with_cards(1, 1));
  Behaviour broken;
  broken.end = Behaviour::End::exits;
  broken.exit_code = 78;
  world.script = [broken](const Assign& assign) { return assign.slot.role == Role::gpu ? broken : Behaviour{}; };
  warm(making_keys(world));
  CHECK(world.worker(kCard).state == SlotState::failed);
  world.submit("j");
  REQUIRE(finish(world, "j"));
  CHECK(world.state("j") == JobState::done);
  require_sound(world);
}

TEST_CASE("a circuit too large for the card fails its job, and no CPU proves it") {
  World world(with_cards(1, 1));
  warm(world);
  spoil(world, kCard, always, without_card_memory("gpu.plan", Blame::key));
  slow_down(world, Role::cpu);  // the second job is the card's
  world.submit("small");
  world.submit("large");
  REQUIRE(finish(world, "small"));
  REQUIRE(finish(world, "large"));
  CHECK(world.state("small") == JobState::done);
  CHECK(world.state("large") == JobState::failed);
  CHECK(world.core().job("large", world.now())->failure->name == "gpu.plan");
  CHECK(proofs_begun_on(world, Role::cpu) == 1);
  require_sound(world);
}

TEST_CASE("memory of a card that others hold for half a minute costs time, but no job, no slot and no CPU") {
  const std::string error = GENERATE("gpu.memory_taken", "gpu.out_of_memory");
  World world(with_cards(1));
  warm(world);
  spoil(world, kCard, until(world, Millis{30'000}), without_card_memory(error, Blame::slot));
  for (int i = 0; i < 4; ++i) world.submit("j" + std::to_string(i));
  world.run_for(Millis{20'000});
  CHECK(world.core().job("j0", world.now())->waiting_for == "a prove slot: others hold the card's memory");
  for (int i = 0; i < 4; ++i) {
    REQUIRE(finish(world, "j" + std::to_string(i)));
    CHECK(world.state("j" + std::to_string(i)) == JobState::done);
  }
  CHECK(world.worker(kCard).state == SlotState::ready);
  CHECK(proofs_begun_on(world, Role::gpu) < 4 * 8);
  CHECK(world.count_assigned(Stage::synth) == 4);
  require_sound(world);
}

TEST_CASE("a partition that waits for a card's memory keeps the card from no other, and no CPU proves it") {
  World world(with_cards(1, 1));
  warm(world);
  world.script = [](const Assign& assign) {
    const bool is_large = assign.work.job == "large" && assign.slot == kCard && stage_of(assign) == Stage::prove;
    Behaviour behaviour = is_large ? without_card_memory("gpu.memory_taken", Blame::slot) : Behaviour{};
    if (assign.slot.role == Role::cpu) behaviour.duration = Millis{100'000};
    return behaviour;
  };
  world.submit("cpu");
  world.submit("large");
  world.run_for(Millis{1'000});
  world.submit("other");
  world.run_for(Millis{1'000});
  CHECK(world.state("other") == JobState::done);
  CHECK(proofs_begun_on(world, Role::cpu) == 1);
  require_sound(world);
}

TEST_CASE("memory of a card that others keep fails the job by name, after minutes") {
  World world(with_cards(1, 1));
  warm(world);
  spoil(world, kCard, always, without_card_memory("gpu.memory_taken", Blame::slot));
  slow_down(world, Role::cpu);
  world.submit("first");
  world.submit("second");
  const TimePoint begin = world.now();
  REQUIRE(finish(world, "second"));
  CHECK(world.state("second") == JobState::failed);
  CHECK(world.core().job("second", world.now())->failure->name == "gpu.memory_taken");
  CHECK(world.now() - begin > Millis{60'000});
  CHECK(proofs_begun_on(world, Role::cpu) == 1);
  require_sound(world);
}

TEST_CASE("a job that waits for a card's memory goes to the CPU when the card is taken out") {
  World world(with_cards(1, 1));
  warm(world);
  spoil(world, kCard, always, without_card_memory("gpu.memory_taken", Blame::slot));
  world.ask(WorkerRequested{0, {Role::cpu, 0}, WorkerVerb::disable});
  world.submit("j");
  world.run_for(Millis{5'000});
  world.ask(WorkerRequested{0, {Role::cpu, 0}, WorkerVerb::enable});
  world.run_for(Millis{5'000});
  CHECK(proofs_begun_on(world, Role::cpu) == 0);
  world.ask(WorkerRequested{0, kCard, WorkerVerb::disable});
  REQUIRE(finish(world, "j"));
  CHECK(world.state("j") == JobState::done);
  require_sound(world);
}

TEST_CASE("a key is made later where others hold the card's memory, and its circuit fails only if they keep it") {
  const bool they_leave = GENERATE(true, false);
  World world(with_cards(1));
  world.start();
  const auto is_held = they_leave ? until(world, Millis{30'000}) : always;
  world.script = [is_held](const Assign& assign) {
    return assign.slot == kCard && stage_of(assign) == Stage::load && is_held()
               ? without_card_memory("gpu.out_of_memory", Blame::slot)
               : Behaviour{};
  };
  making_keys(world).add_circuit("c");
  const TimePoint begin = world.now();
  world.run_for(Millis{100});
  const auto state = [&] { return world.core().circuits().at(0).state; };
  REQUIRE(world.run_until([&] { return state() == CircuitState::resident || state() == CircuitState::failed; }));
  CHECK(state() == (they_leave ? CircuitState::resident : CircuitState::failed));
  CHECK(world.now() - begin > Millis{they_leave ? 30'000 : 60'000});
  require_sound(world);
}
