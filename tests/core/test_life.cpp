// What a client is promised while nothing goes wrong: jobs, circuits, idempotency, cancel, deadlines, drain, recovery.
#include <catch2/catch.hpp>

#include "tests/core/steps.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;
using namespace groth16d::supervisor::test;

namespace {

CoreConfig two_of_each() {
  CoreConfig config;
  for (const Role role : {Role::load, Role::synth, Role::cpu, Role::final}) config.role(role) = {2, 1, 100'000};
  config.budget_total_bytes = 10'000'000;
  return config;
}

// A world with circuit "c" resident.
struct Warm : World {
  explicit Warm(const CoreConfig& config) : World(config) {
    start();
    add_circuit("c");
    const bool resident = run_until(
        [this] { return !core().circuits().empty() && core().circuits()[0].state == CircuitState::resident; });
    for (const std::string& f : faults()) UNSCOPED_INFO(f);
    REQUIRE(resident);
  }
};

}  // namespace

TEST_CASE("a job of forty partitions is proven, each proof from its own parts") {
  Warm world(two_of_each());
  const ReplyToken token = world.submit("j", 40);
  REQUIRE(finish(world, "j"));
  CHECK(world.code(token) == 202);
  CHECK(world.state("j") == JobState::done);
  const auto result = world.core().result("j");
  REQUIRE(result);
  REQUIRE(result->proofs.size() == 40);
  for (std::size_t i = 0; i < 40; ++i) CHECK(result->proofs[i].proof == "proof of j/" + std::to_string(i));
  CHECK(result->key_digest == "key digest");
  CHECK(world.count_assigned(Stage::synth) == 40);
  require_sound(world);
}

TEST_CASE("the key is read once for many jobs") {
  Warm world(two_of_each());
  for (int i = 0; i < 20; ++i) world.submit("j" + std::to_string(i));
  REQUIRE(world.run_until([&] { return world.accepted().size() == 20 && world.all_final(); }));
  CHECK(world.core().circuits()[0].loads == 1);
  CHECK(world.count_assigned(Stage::load) == 1);
  require_sound(world);
}

TEST_CASE("after the last job only the key and the resting workers are in the budget") {
  Warm world(two_of_each());
  const std::uint64_t before = world.core().daemon().budget_used_bytes;
  world.submit("j", 5);
  REQUIRE(finish(world, "j"));
  CHECK(world.core().daemon().budget_used_bytes == before);
  for (const BufferCount& count : world.core().daemon().buffers)
    CHECK(
        (count.kind == BufferKind::key || count.kind == BufferKind::r1cs || count.kind == BufferKind::private_memory));
  require_sound(world);
}

TEST_CASE("ab is freed while b2 still runs, the witness when the proof is verified") {
  World world(two_of_each());
  world.script = [](const Assign& assign) {
    Behaviour behaviour;
    if (std::holds_alternative<AssignB2>(assign.what)) behaviour.duration = Millis{1000};
    return behaviour;
  };
  world.start();
  world.add_circuit("c");
  world.submit("j");
  const auto bytes_of = [&](BufferKind kind) {
    std::uint64_t sum = 0;
    for (const BufferCount& count : world.core().daemon().buffers)
      if (count.kind == kind) sum += count.bytes;
    return sum;
  };
  world.run_until([&] {
    return world.core().circuits().size() == 1 && world.core().circuits()[0].state == CircuitState::resident;
  });
  world.submit("k");
  REQUIRE(world.run_until([&] { return bytes_of(BufferKind::ab) > 0; }));
  REQUIRE(world.run_until([&] { return bytes_of(BufferKind::ab) == 0; }));
  CHECK(bytes_of(BufferKind::witness) == segment_bytes(small_circuit().witness_bytes));
  CHECK(world.count_assigned(Stage::assemble) == 0);
  REQUIRE(world.run_until([&] { return bytes_of(BufferKind::witness) == 0; }));
  CHECK(world.count_assigned(Stage::assemble) == 1);
  require_sound(world);
}

TEST_CASE("the same id and content is the same job, another content a conflict") {
  Warm world(two_of_each());
  const ReplyToken first = world.submit("j");
  const ReplyToken twin = world.submit("j");  // before the first is durable
  const ReplyToken other = world.submit("j", 2);
  REQUIRE(finish(world, "j"));
  const ReplyToken late = world.submit("j");
  CHECK(world.code(first) == 202);
  CHECK(world.code(twin) == 202);
  CHECK(world.code(other) == 409);
  CHECK(world.code(late) == 200);
  CHECK(world.count_assigned(Stage::synth) == 1);
  require_sound(world);
}

TEST_CASE("a job by key path loads its key by itself, and a second one reuses it") {
  World world(two_of_each());
  world.start();
  for (const char* name : {"a", "b"}) {
    SubmitRequested request;
    request.job = name;
    request.digest = name;
    request.source = {"/keys/x.zkey", "", true};
    request.key_stamp = "1:2:3";
    request.partitions = {{"w", 10'000, ""}};
    world.ask(request);
    REQUIRE(finish(world, name));
    CHECK(world.state(name) == JobState::done);
  }
  CHECK(world.count_assigned(Stage::load) == 1);
  require_sound(world);
}

TEST_CASE("a client has so many unfinished jobs and no more, before they are durable and after a restart too") {
  CoreConfig config = two_of_each();
  config.max_jobs_per_client = 2;
  Warm world(config);
  world.script = [](const Assign&) { return Behaviour{.duration = Millis{60'000}}; };
  const ReplyToken first = world.submit("a1"), second = world.submit("a2"), third = world.submit("a3");
  CHECK(world.code(third) == 429);  // although neither of the others is in the journal yet
  CHECK(world.reply_error(third)->name == "quota.jobs");
  const ReplyToken other = world.submit("b1");
  REQUIRE(world.run_until([&] { return world.code(other) == 202; }));
  CHECK(world.code(first) == 202);
  CHECK(world.code(second) == 202);
  CHECK(world.code(world.submit("a2")) == 200);  // no third job

  world.crash();
  world.start();
  CHECK(world.code(world.submit("a3")) == 429);
  world.ask(CancelRequested{0, "a1"});
  REQUIRE(finish(world, "a1"));
  const ReplyToken again = world.submit("a3");
  REQUIRE(world.run_until([&] { return world.code(again) != 0; }));
  CHECK(world.code(again) == 202);
  require_sound(world);
}

TEST_CASE("a job that the journal refuses counts to nobody") {
  CoreConfig config = two_of_each();
  config.max_jobs_per_client = 1;
  Warm world(config);
  bool refuses = true;
  world.journal_fails = [&] { return refuses; };
  const ReplyToken first = world.submit("a1");
  REQUIRE(world.run_until([&] { return world.code(first) != 0; }));
  CHECK(world.code(first) == 503);
  refuses = false;
  const ReplyToken second = world.submit("a2");
  REQUIRE(world.run_until([&] { return world.code(second) != 0; }));
  CHECK(world.code(second) == 202);
  require_sound(world);
}

TEST_CASE("requests that cannot be are refused with their reason") {
  Warm world(two_of_each());
  CHECK(world.code(world.submit("bad name")) == 400);
  CHECK(world.code(world.submit("j", 1, "nobody")) == 404);
  CHECK(world.code(world.submit("j", 0)) == 400);
  CHECK(world.code(world.ask(CancelRequested{0, "nobody"})) == 404);
  CHECK(world.code(world.ask(CloseRequested{0, "nobody"})) == 200);
  CHECK(world.code(world.ask(WorkerRequested{0, {Role::gpu, 3}, WorkerVerb::restart})) == 404);
  CHECK(world.code(world.ask(CircuitRemoveRequested{0, "nobody"})) == 404);
  require_sound(world);
}

TEST_CASE("a refused key fails its circuit and the jobs on it, with the loader's words") {
  World world(two_of_each());
  world.script = [](const Assign& assign) {
    Behaviour behaviour;
    behaviour.duration = Millis{100};
    if (std::holds_alternative<AssignInspectCircuit>(assign.what)) {
      behaviour.end = Behaviour::End::fails;
      behaviour.error = {ErrorCode::malformed, "zkey.magic", "c.zkey: no zkey"};
      behaviour.blame = Blame::key;
    }
    return behaviour;
  };
  world.start();
  world.add_circuit("c");
  world.run_for(Millis{20});
  world.submit("j");
  REQUIRE(finish(world, "j"));
  CHECK(world.state("j") == JobState::failed);
  CHECK(world.core().job("j", world.now())->failure->text == "c.zkey: no zkey");
  CHECK(world.core().circuits()[0].state == CircuitState::failed);
  CHECK(world.code(world.submit("k")) == 400);
  require_sound(world);
}

TEST_CASE("a circuit is removed when no job uses it, and its bytes come back") {
  Warm world(two_of_each());
  world.submit("j");
  world.run_for(Millis{15});
  CHECK(world.code(world.ask(CircuitRemoveRequested{0, "c"})) == 409);
  REQUIRE(finish(world, "j"));
  const ReplyToken token = world.ask(CircuitRemoveRequested{0, "c"});
  REQUIRE(world.run_until([&] { return world.core().circuits().empty(); }));
  CHECK(world.code(token) == 200);
  CHECK(world.physical_bytes() == 0);
  CHECK(world.state("j") == JobState::done);
  require_sound(world);
}

TEST_CASE("one bad partition fails the job: its siblings stop and nothing is delivered") {
  Warm world(two_of_each());
  world.script = [](const Assign& assign) {
    Behaviour behaviour;
    if (std::holds_alternative<AssignSynth>(assign.what) && assign.work.partition == 3) {
      behaviour.end = Behaviour::End::fails;
      behaviour.error = {ErrorCode::unsatisfied, "witness.row", "row 17 is not satisfied"};
      behaviour.blame = Blame::input;
    }
    return behaviour;
  };
  world.submit("j", 10);
  REQUIRE(finish(world, "j"));
  CHECK(world.state("j") == JobState::failed);
  CHECK_FALSE(world.core().result("j"));
  CHECK(world.core().job("j", world.now())->failure->name == "witness.row");
  CHECK(world.count_assigned(Stage::synth) < 10);
  require_sound(world);
}

TEST_CASE("cancel works in every stage and gives everything back") {
  const auto stage = GENERATE(Stage::inspect, Stage::synth, Stage::prove, Stage::b2, Stage::assemble);
  const bool deaf = GENERATE(false, true);
  Warm world(two_of_each());
  const std::uint64_t before = world.core().daemon().budget_used_bytes;
  world.script = [=](const Assign& assign) {
    Behaviour behaviour;
    const std::map<std::size_t, Stage> stages = {
        {1, Stage::inspect}, {3, Stage::synth}, {4, Stage::prove}, {5, Stage::b2}, {6, Stage::assemble}};
    if (stages.at(assign.what.index()) == stage) behaviour.duration = Millis{50'000};
    behaviour.ignores_cancel = deaf;
    return behaviour;
  };
  world.submit("j", 3);
  REQUIRE(world.run_until([&] { return world.count_assigned(stage) > (stage == Stage::inspect ? 1u : 0u); }));
  world.run_for(Millis{100});
  const TimePoint asked = world.now();
  world.ask(CancelRequested{0, "j"});
  REQUIRE(finish(world, "j"));
  CHECK(world.state("j") == JobState::cancelled);
  CHECK(world.now() - asked <= (deaf ? Millis{5'100} : Millis{200}));
  CHECK(world.core().daemon().budget_used_bytes == before);
  CHECK_FALSE(world.core().result("j"));
  CHECK(world.code(world.ask(CancelRequested{0, "j"})) == 200);
  require_sound(world);
}

TEST_CASE("a deadline is a cancel by timer") {
  Warm world(two_of_each());
  world.script = [](const Assign&) { return Behaviour{Behaviour::End::done, Millis{2'000}}; };
  world.submit("j", 1, "c", Priority::normal, 1'000);
  REQUIRE(finish(world, "j"));
  CHECK(world.state("j") == JobState::cancelled);
  CHECK(world.core().job("j", world.now())->failure->name == "job.deadline");
  require_sound(world);
}

TEST_CASE("results stay until CLOSE, which is idempotent") {
  Warm world(two_of_each());
  world.submit("j");
  CHECK(world.run_until([&] { return world.state("j").has_value(); }));
  CHECK(world.code(world.ask(CloseRequested{0, "j"})) == 409);
  REQUIRE(finish(world, "j"));
  const ReplyToken close = world.ask(CloseRequested{0, "j"});
  world.run_for(Millis{10});
  CHECK(world.code(close) == 200);
  CHECK_FALSE(world.core().job("j", world.now()));
  CHECK(world.code(world.ask(CloseRequested{0, "j"})) == 200);
  CHECK(world.code(world.submit("j")) == 0);  // the id may be used again
  REQUIRE(finish(world, "j"));
  require_sound(world);
}

TEST_CASE("a finished job that nobody closes is forgotten after its retention") {
  CoreConfig config = two_of_each();
  config.retention = Millis{30'000};
  Warm world(config);
  world.submit("j");
  REQUIRE(finish(world, "j"));
  world.run_for(Millis{29'000});
  CHECK(world.core().job("j", world.now()));
  world.run_for(Millis{2'000});
  CHECK_FALSE(world.core().job("j", world.now()));
  require_sound(world);
}

TEST_CASE("drain finishes proofs under way, leaves the rest to the journal, and leaves nothing behind") {
  Warm world(two_of_each());
  world.submit("j", 12);
  REQUIRE(world.run_until([&] { return world.count_assigned(Stage::prove) >= 1; }));
  world.pass(DrainRequested{});
  CHECK(world.code(world.submit("k")) == 503);
  REQUIRE(world.run_until([&] { return world.exited(); }));
  CHECK(world.core().daemon().budget_used_bytes == 0);
  std::size_t kept = 0;
  for (const auto& proof : world.journal().at("j").proofs) kept += proof.has_value();
  CHECK(kept >= 1);
  CHECK(kept < 12);
  require_sound(world);

  world.start();  // the next daemon finishes what was left, and only that
  REQUIRE(world.run_until([&] { return world.all_final(); }));
  CHECK(world.state("j") == JobState::done);
  require_sound(world);
}

TEST_CASE("a second drain is fast, and a worker that ignores it is killed") {
  Warm world(two_of_each());
  world.script = [](const Assign&) { return Behaviour{Behaviour::End::done, Millis{60'000}}; };
  world.worker_is_slow_to_die = [] { return true; };
  world.submit("j", 4);
  world.run_for(Millis{1'000});
  world.pass(DrainRequested{});
  world.run_for(Millis{100});
  const TimePoint asked = world.now();
  world.pass(DrainRequested{});
  REQUIRE(world.run_until([&] { return world.exited(); }));
  CHECK(world.now() - asked < Millis{1'000});
  require_sound(world);
}

TEST_CASE("an idle worker that ignores DRAIN is killed after the grace time") {
  Warm world(two_of_each());
  world.worker_is_slow_to_die = [] { return true; };
  world.pass(DrainRequested{});
  REQUIRE(world.run_until([&] { return world.exited(); }, Millis{12'000}));
  require_sound(world);
}

TEST_CASE("a killed supervisor recovers every accepted job, and no result twice") {
  const int kill_at_ms = GENERATE(range(1, 200, 3));
  Warm world(two_of_each());
  for (int i = 0; i < 4; ++i) world.submit("j" + std::to_string(i), 2);
  world.run_for(Millis{kill_at_ms});
  world.crash();
  world.start();
  REQUIRE(world.run_until([&] { return world.all_final(); }));
  for (const JobId& job : world.accepted()) CHECK(world.journal().at(job).state == JobState::done);
  require_sound(world);
}

TEST_CASE("the timeline tells when each stage ran, and where") {
  Warm world(two_of_each());
  world.submit("j");
  REQUIRE(finish(world, "j"));
  const auto view = world.core().job("j", world.now());
  REQUIRE(view->timeline.size() == 5);
  for (const StageSpan& span : view->timeline) {
    CHECK(span.outcome == "done");
    CHECK(span.end_ms >= span.begin_ms + 10);
  }
  CHECK(view->timeline.back().stage == Stage::assemble);
  require_sound(world);
}

TEST_CASE("too many unfinished jobs are answered 429 with a time to come back") {
  CoreConfig config = two_of_each();
  config.max_queued_jobs = 3;
  Warm world(config);
  for (int i = 0; i < 3; ++i) world.submit("j" + std::to_string(i));
  CHECK(world.code(world.submit("j3")) == 429);
  REQUIRE(world.run_until([&] { return world.accepted().size() == 3 && world.all_final(); }));
  CHECK(world.code(world.submit("j3")) == 0);
  REQUIRE(finish(world, "j3"));
  require_sound(world);
}
