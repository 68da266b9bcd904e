// What a worker says and does when things go other than planned. The work itself does not matter here.
#include <sys/wait.h>
#include <catch2/catch.hpp>

#include <csignal>

#include "tests/workers/pipeline.hpp"

namespace groth16d::worker::test {

namespace {

using namespace std::chrono_literals;
using groth16::Bn254;

// A worker with an assignment at hand that needs little: intake of one witness.
struct Intake {
  FakeSupervisor supervisor;
  TestCircuit circuit;
  TestSegment file;

  Intake() {
    circuit.facts.set_curve("bn128");
    circuit.facts.set_n_vars(sample<Bn254>().values.size());
    circuit.facts.set_n_public(1);
    file = supervisor.file(sample<Bn254>().wtns);
  }
  v1::Down message() const { return inspect_input_message(circuit, file); }
};

bool ended_orderly(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

}  // namespace

TEST_CASE("a worker greets, is welcomed, and then beats as often as it was told") {
  FakeSupervisor supervisor;
  const WorkerProcess worker = supervisor.spawn("synth");
  const v1::Up hello = supervisor.hear(worker, v1::Up::kHello);
  CHECK(hello.hello().pid() == static_cast<std::uint32_t>(worker.pid));
  CHECK_FALSE(hello.hello().build().empty());
  supervisor.welcome(worker, 20);
  CHECK(supervisor.hear(worker, v1::Up::kReady).ready().credit() == 1);
  for (int i = 0; i < 5; ++i) CHECK(supervisor.hear(worker, v1::Up::kHeartbeat).heartbeat().rss_bytes() > 0);
}

TEST_CASE("an assignment waits for its leases, whichever comes first") {
  Intake intake;
  const WorkerProcess worker = intake.supervisor.start("load");
  const std::uint64_t assignment = intake.supervisor.assign(worker, intake.message());
  CHECK(intake.supervisor.silent(worker, v1::Up::kFailed, 300ms));
  intake.supervisor.give_file(worker, intake.file);
  const Answer answer = intake.supervisor.answer(worker, assignment);
  CHECK(answer.result.has_inspected());
  CHECK(answer.released == std::vector<std::uint64_t>{intake.file.segment});
}

TEST_CASE("a lease that never comes fails the assignment, worth another try, and the worker is ready again") {
  Intake intake;
  const WorkerProcess worker = intake.supervisor.start("load");
  const Answer failed = intake.supervisor.perform(worker, intake.message());
  REQUIRE(failed.result.has_failed());
  CHECK(failed.result.failed().name() == "lease.missing");
  CHECK(failed.result.failed().retryable());
  CHECK(failed.result.failed().blame() == v1::BLAME_SLOT);
  CHECK(failed.released.empty());
  // It comes after all: nobody wants it any more, so it goes back at once.
  intake.supervisor.give_file(worker, intake.file);
  CHECK(intake.supervisor.hear(worker, v1::Up::kReleased).released().segment() == intake.file.segment);
  intake.supervisor.give_file(worker, intake.file);
  CHECK(intake.supervisor.perform(worker, intake.message()).result.has_inspected());
}

TEST_CASE("a message with an old token changes nothing") {
  Intake intake;
  const WorkerProcess worker = intake.supervisor.start("load");
  const std::uint64_t assignment = intake.supervisor.assign(worker, intake.message());
  v1::Down other_assignment;
  other_assignment.set_assignment(assignment + 1000);
  other_assignment.mutable_cancel();
  intake.supervisor.send(worker, other_assignment);
  CHECK(intake.supervisor.silent(worker, v1::Up::kCancelled, 200ms));
  intake.supervisor.give_file(worker, intake.file);
  CHECK(intake.supervisor.answer(worker, assignment).result.has_inspected());
}

TEST_CASE("a second assignment is refused while the first is in hand") {
  Intake intake;
  const WorkerProcess worker = intake.supervisor.start("load");
  const std::uint64_t first = intake.supervisor.assign(worker, intake.message());
  const std::uint64_t second = intake.supervisor.assign(worker, intake.message());
  const v1::Up refused = intake.supervisor.hear(worker, v1::Up::kFailed);
  CHECK(refused.assignment() == second);
  CHECK(refused.failed().name() == "worker.no_credit");
  CHECK(refused.failed().retryable());
  intake.supervisor.give_file(worker, intake.file);
  CHECK(intake.supervisor.answer(worker, first).result.has_inspected());
}

TEST_CASE("an assignment of another role is refused") {
  Intake intake;
  const WorkerProcess worker = intake.supervisor.start("final");
  intake.supervisor.give_file(worker, intake.file);
  const Answer answer = intake.supervisor.perform(worker, intake.message());
  REQUIRE(answer.result.has_failed());
  CHECK(answer.result.failed().name() == "assignment.role");
  CHECK(answer.released == std::vector<std::uint64_t>{intake.file.segment});
}

TEST_CASE("a cancelled assignment that waits for a lease ends at once") {
  Intake intake;
  const WorkerProcess worker = intake.supervisor.start("load");
  const std::uint64_t assignment = intake.supervisor.assign(worker, intake.message());
  v1::Down cancel;
  cancel.set_assignment(assignment);
  cancel.mutable_cancel();
  intake.supervisor.send(worker, cancel);
  CHECK(intake.supervisor.answer(worker, assignment).result.has_cancelled());
}

TEST_CASE("a cancelled computation answers CANCELLED, never a result, and gives its leases back") {
  if (!kFailpoints) {
    WARN("skipped: failpoints are compiled out");
    return;
  }
  FakeSupervisor supervisor;
  const TestCircuit circuit = loaded_circuit(supervisor, sample<Bn254>().zkey, nullptr);
  TestPartition partition = new_partition(supervisor, circuit, sample<Bn254>().wtns);
  const WorkerProcess synth = supervisor.start("synth", "synth.start=delay:1000");
  lease_for_synth(supervisor, synth, circuit, partition);
  const std::uint64_t assignment = supervisor.assign(synth, synth_message(circuit, partition));
  // A heartbeat of the assignment: it computes.
  supervisor.hear(synth, [&](const v1::Up& up) { return up.has_heartbeat() && up.assignment() == assignment; });
  v1::Down cancel;
  cancel.set_assignment(assignment);
  cancel.mutable_cancel();
  supervisor.send(synth, cancel);
  const Answer answer = supervisor.answer(synth, assignment);
  CHECK(answer.result.has_cancelled());
  CHECK(answer.released ==
        std::vector<std::uint64_t>{partition.input.segment, partition.witness.segment, partition.ab.segment});
}

TEST_CASE("the end of the lifeline ends the worker, idle or waiting or computing") {
  Intake intake;
  SECTION("idle") {
    WorkerProcess worker = intake.supervisor.start("load");
    worker.lifeline.reset();
    const int status = worker.wait_for_end();
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 75));
  }
  SECTION("waiting for a lease") {
    WorkerProcess worker = intake.supervisor.start("load");
    intake.supervisor.assign(worker, intake.message());
    worker.lifeline.reset();
    CHECK(WIFEXITED(worker.wait_for_end()));
  }
  SECTION("computing without end") {
    if (!kFailpoints) return;
    WorkerProcess worker = intake.supervisor.start("load", "inspect.middle=hang");
    intake.supervisor.give_file(worker, intake.file);
    const std::uint64_t assignment = intake.supervisor.assign(worker, intake.message());
    intake.supervisor.hear(worker,
                           [&](const v1::Up& up) { return up.has_heartbeat() && up.assignment() == assignment; });
    worker.lifeline.reset();
    CHECK(WIFEXITED(worker.wait_for_end()));
  }
}

TEST_CASE("a drained worker finishes what it has, says goodbye and exits 0") {
  Intake intake;
  WorkerProcess worker = intake.supervisor.start("load");
  const std::uint64_t assignment = intake.supervisor.assign(worker, intake.message());
  v1::Down drain;
  drain.mutable_drain();
  intake.supervisor.send(worker, drain);
  intake.supervisor.give_file(worker, intake.file);
  const v1::Up result = intake.supervisor.hear(worker, v1::Up::kInspected);
  CHECK(result.assignment() == assignment);
  intake.supervisor.hear(worker, v1::Up::kBye);
  CHECK(ended_orderly(worker.wait_for_end()));
}

TEST_CASE("a key stays mapped for the next assignment until it is evicted") {
  FakeSupervisor supervisor;
  const TestCircuit circuit = loaded_circuit(supervisor, sample<Bn254>().zkey, nullptr);
  TestPartition partition = new_partition(supervisor, circuit, sample<Bn254>().wtns);
  synthesise(supervisor, circuit, partition);
  const WorkerProcess final = supervisor.start("final");
  compute_b2(supervisor, final, circuit, partition);
  lease_for_reading(supervisor, final, circuit, partition, false);
  CHECK(supervisor.perform(final, b2_message(circuit, partition)).result.has_b2_done());

  v1::Down evict;
  evict.mutable_evict()->set_segment(circuit.key.segment);
  evict.mutable_evict()->set_generation(circuit.key.generation);
  supervisor.send(final, evict);
  CHECK(supervisor.hear(final, v1::Up::kReleased).released().segment() == circuit.key.segment);
  lease_for_reading(supervisor, final, circuit, partition, false);
  const Answer answer = supervisor.perform(final, b2_message(circuit, partition));
  REQUIRE(answer.result.has_failed());
  CHECK(answer.result.failed().name() == "lease.missing");
}

TEST_CASE("a segment of another generation, partition or mode is not touched") {
  FakeSupervisor supervisor;
  const TestCircuit circuit = loaded_circuit(supervisor, sample<Bn254>().zkey, nullptr);
  TestPartition partition = new_partition(supervisor, circuit, sample<Bn254>().wtns);
  const WorkerProcess synth = supervisor.start("synth");
  std::string expected;
  SECTION("another partition's witness segment") {
    partition.witness = supervisor.segment(shm::SegmentKind::witness, circuit.facts.witness_bytes(), "job", 1);
    expected = "segment.foreign";
    lease_for_synth(supervisor, synth, circuit, partition);
  }
  SECTION("a lease of another life of the segment") {
    partition.witness.generation = 2;
    expected = "segment.stale";
    lease_for_synth(supervisor, synth, circuit, partition);
  }
  SECTION("a witness that may only be read") {
    expected = "lease.mode";
    supervisor.read(synth, partition.input);
    supervisor.read(synth, circuit.r1cs);
    supervisor.read(synth, partition.witness);
    supervisor.write(synth, partition.ab);
  }
  const Answer answer = supervisor.perform(synth, synth_message(circuit, partition));
  REQUIRE(answer.result.has_failed());
  CHECK(answer.result.failed().name() == expected);
  CHECK(answer.result.failed().retryable());
  CHECK(answer.released.size() == 3);
}

TEST_CASE("a crash leaves words that say what the worker was doing and how it ended") {
  if (!kFailpoints) {
    WARN("skipped: failpoints are compiled out");
    return;
  }
  Intake intake;
  WorkerProcess worker = intake.supervisor.start("load", "inspect.middle=hang");
  intake.supervisor.give_file(worker, intake.file);
  const std::uint64_t assignment = intake.supervisor.assign(worker, intake.message());
  intake.supervisor.hear(worker, [&](const v1::Up& up) { return up.has_heartbeat() && up.assignment() == assignment; });
  worker.signal(SIGABRT);  // what a supervisor sends to a worker that is stuck
  const int status = worker.wait_for_end();
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT));
  const auto words = shm::read_last_words(worker.words.get());
  REQUIRE(words);
  CHECK(words->stage == "inspect");
  CHECK(words->job == "job");
  CHECK(words->assignment == assignment);
  CHECK_THAT(words->text, Catch::Contains("SIGABRT"));
}

TEST_CASE("a worker that was not started by a supervisor exits 78") {
  FakeSupervisor supervisor;
  WorkerProcess worker = supervisor.spawn("synth");
  supervisor.hear(worker, v1::Up::kHello);
  // The same program without its environment.
  const int status = std::system((std::string(GROTH16D_PROGRAMS) + "/groth16-synth 2>/dev/null").c_str());
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 78));
}

}  // namespace groth16d::worker::test
