// Who sums b_g2_msm: what is configured, and under "auto" who was measured to be sooner.
#include <catch2/catch.hpp>
#include <tuple>

#include "tests/core/steps.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;
using namespace groth16d::supervisor::test;

namespace {

CoreConfig with_cards(BG2 b_g2, std::uint32_t cards = 1, std::uint32_t cpus = 0) {
  CoreConfig config;
  for (const Role role : {Role::load, Role::synth, Role::final}) config.role(role) = {1, 1, 100'000};
  config.role(Role::cpu) = {cpus, 1, 100'000};
  config.role(Role::gpu) = {cards, 1, 100'000};
  config.budget_total_bytes = 10'000'000;
  config.b_g2 = b_g2;
  return config;
}

// What the stages take: a card's prove stage without and with B2, a finalizer's B2.
struct Durations {
  Millis card_alone, card_with_b2, finalizer;
  Millis loading{0};  // beside, of every prove stage
};

void give(World& world, const Durations& durations) {
  world.script = [durations](const Assign& assign) {
    Behaviour behaviour;
    const auto* prove = std::get_if<AssignProve>(&assign.what);
    behaviour.loading = durations.loading;
    if (prove)
      behaviour.duration = durations.loading + (prove->with_b2 ? durations.card_with_b2 : durations.card_alone);
    if (std::holds_alternative<AssignB2>(assign.what)) behaviour.duration = durations.finalizer;
    return behaviour;
  };
}

void prove(World& world, const JobId& job, std::size_t partitions = 1) {
  world.submit(job, partitions);
  REQUIRE(finish(world, job));
  CHECK(world.state(job) == JobState::done);
}

BG2 place_of(const World& world, const JobId& job) {
  const auto view = world.core().job(job, world.now());
  REQUIRE(view);
  REQUIRE(view->partitions[0].b_g2);
  return *view->partitions[0].b_g2;
}

}  // namespace

TEST_CASE("with b_g2 on the card finalizers only assemble, and no partition reserves what their sum would take") {
  World on_card(with_cards(BG2::gpu)), on_host(with_cards(BG2::cpu));
  for (World* world : {&on_card, &on_host}) {
    warm(*world);
    prove(*world, "j", 10);
    require_sound(*world);
  }
  CHECK(on_card.count_assigned(Stage::b2) == 0);
  CHECK(on_card.count_assigned(Stage::assemble) == 10);
  CHECK(place_of(on_card, "j") == BG2::gpu);
  CHECK(on_host.count_assigned(Stage::b2) == 10);
  CHECK(place_of(on_host, "j") == BG2::cpu);

  World fresh_card(with_cards(BG2::gpu)), fresh_host(with_cards(BG2::cpu));
  warm(fresh_card);
  warm(fresh_host);
  CHECK(fresh_card.core().circuits()[0].partition_bytes + small_circuit().b2_private_bytes ==
        fresh_host.core().circuits()[0].partition_bytes);
}

TEST_CASE("with b_g2 on the host a finalizer sums it while the card works") {
  World world(with_cards(BG2::cpu));
  give(world, {Millis{1'000}, Millis{1'000}, Millis{900}});
  warm(world);
  prove(world, "j");
  const auto view = world.core().job("j", world.now());
  std::uint64_t b2_begin = 0, prove_begin = 0, prove_end = 0;
  for (const StageSpan& span : view->timeline) {
    if (span.stage == Stage::b2) b2_begin = span.begin_ms;
    if (span.stage == Stage::prove) std::tie(prove_begin, prove_end) = std::pair(span.begin_ms, span.end_ms);
  }
  CHECK(b2_begin >= prove_begin);
  CHECK(b2_begin < prove_end);
  require_sound(world);
}

TEST_CASE("auto measures a finalizer first, and moves B2 to the card where finalizers keep it waiting") {
  World world(with_cards(BG2::automatic));
  give(world, {Millis{100}, Millis{150}, Millis{1'000}, Millis{5'000}});
  warm(world);
  prove(world, "first");
  CHECK(place_of(world, "first") == BG2::cpu);
  for (const JobId job : {"second", "third", "fourth"}) {
    prove(world, job);
    CHECK(place_of(world, job) == BG2::gpu);
  }
  require_sound(world);
}

TEST_CASE("auto leaves B2 to finalizers that are done before the card") {
  World world(with_cards(BG2::automatic));
  give(world, {Millis{500}, Millis{700}, Millis{400}});
  warm(world);
  prove(world, "j", 6);
  CHECK(world.count_assigned(Stage::b2) == 6);
  require_sound(world);
}

TEST_CASE("auto takes B2 back from a card that needs longer for it than finalizers") {
  World world(with_cards(BG2::automatic));
  give(world, {Millis{100}, Millis{2'000}, Millis{500}});
  warm(world);
  for (const JobId job : {"first", "second", "third"}) prove(world, job);
  CHECK(place_of(world, "first") == BG2::cpu);
  CHECK(place_of(world, "second") == BG2::gpu);  // tried, since the card had time
  CHECK(place_of(world, "third") == BG2::cpu);
  require_sound(world);
}

TEST_CASE("a card without room for B2's points says so once, and finalizers sum B2 from then on") {
  World world(with_cards(BG2::automatic));
  give(world, {Millis{100}, Millis{150}, Millis{1'000}});
  world.script = [given = world.script](const Assign& assign) {
    Behaviour behaviour = given(assign);
    behaviour.no_room_for_b2 = true;
    return behaviour;
  };
  warm(world);
  for (const JobId job : {"first", "second", "third"}) prove(world, job);
  CHECK(world.count_assigned(Stage::b2) == 3);
  std::size_t asked = 0;
  for (const Assign& assign : world.assigned())
    if (const auto* prove = std::get_if<AssignProve>(&assign.what); prove && prove->with_b2) ++asked;
  CHECK(asked == 1);
  require_sound(world);
}

TEST_CASE("a card that had no room for B2 is asked again by its slot's next process, or when the circuit is loaded") {
  const bool by_process = GENERATE(true, false);
  CoreConfig config = with_cards(BG2::automatic);
  config.budget_total_bytes = 4 * segment_bytes(100'000) + 250'000;  // one circuit at a time
  World world(config);
  give(world, {Millis{100}, Millis{150}, Millis{1'000}});
  bool full = true;
  world.script = [given = world.script, &full](const Assign& assign) {
    Behaviour behaviour = given(assign);
    behaviour.no_room_for_b2 = full;
    return behaviour;
  };
  warm(world);
  for (const JobId job : {"first", "second", "third"}) prove(world, job);
  CHECK(place_of(world, "third") == BG2::cpu);
  full = false;
  if (by_process) {
    world.ask(WorkerRequested{0, {Role::gpu, 0}, WorkerVerb::restart});
    world.run_for(Millis{1'000});
  } else {
    world.add_circuit("other");
    world.run_for(Millis{1'000});
    world.submit("other", 1, "other");
    REQUIRE(finish(world, "other"));
  }
  prove(world, "fourth");
  CHECK(place_of(world, "fourth") == BG2::gpu);
  CHECK(world.core().circuits()[0].loads == (by_process ? 1 : 2));
  require_sound(world);
}

TEST_CASE("a card that dies with B2 on board leaves it to the next, or to finalizers where a CPU slot proves") {
  World world(with_cards(BG2::gpu, 1, 1));
  bool died = false;
  world.script = [&](const Assign& assign) {
    Behaviour behaviour;
    if (std::holds_alternative<AssignProve>(assign.what)) behaviour.duration = Millis{200};  // both prove slots work
    if (std::holds_alternative<AssignProve>(assign.what) && assign.slot.role == Role::gpu && !died) {
      died = true;
      behaviour.end = Behaviour::End::crash;
    }
    return behaviour;
  };
  warm(world);
  prove(world, "j", 12);
  CHECK(died);
  std::size_t by_cpu = 0;
  for (const Assign& assign : world.assigned())
    if (assign.slot.role == Role::cpu) ++by_cpu;
  CHECK(by_cpu > 0);
  CHECK(by_cpu < 12);  // the card is back after half a second
  CHECK(world.count_assigned(Stage::b2) == by_cpu);
  require_sound(world);
}

TEST_CASE("another place for B2 is in force at once: for what is admitted from then on") {
  World world(with_cards(BG2::gpu));
  warm(world);
  prove(world, "before");
  CoreConfig next = with_cards(BG2::cpu);
  CHECK(world.code(world.reload(next)) == 200);
  prove(world, "after");
  CHECK(place_of(world, "before") == BG2::gpu);
  CHECK(place_of(world, "after") == BG2::cpu);
  require_sound(world);
}

TEST_CASE("b_g2 = gpu without a GPU slot is no configuration") {
  CoreConfig config = with_cards(BG2::gpu, 0, 1);
  const auto checked = check(config);
  REQUIRE_FALSE(checked);
  CHECK(checked.error().name == "config.core");
}
