// Memory that is refused, misused, claimed twice, or asked for beyond what there is: cases 12, 13, 14 and 19.
#include <signal.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "ipc/worker_channel.hpp"
#include "tests/faults/scene.hpp"

using namespace groth16d;
using namespace groth16d::faults;

namespace {

using Outcomes = std::vector<std::string>;
using Clock = std::chrono::steady_clock;

v1::CircuitStatus circuit_status(client::Client& client, const std::string& name) {
  const auto circuits = client.circuits(name);
  REQUIRE(circuits.has_value());
  REQUIRE(circuits->size() == 1);
  return circuits->front();
}

// What a daemon without jobs has in its budget, and what one partition takes of it.
struct Sizes {
  std::uint64_t resident_bytes = 0;
  std::uint64_t partition_bytes = 0;
};

Sizes measure() {
  Scene scene(ProveStage::scripted);
  auto client = scene.start();
  const auto input_bytes = (fs::file_size(circuit().witnesses[0]) + 2 * 4096 - 1) / 4096 * 4096;
  return {daemon_status(client).budget_used_bytes(), circuit_status(client, kCircuit).partition_bytes() + input_bytes};
}

// A circuit that is larger than all the memory of a daemon that holds the small one.
e2e::CircuitFiles make_large(const fs::path& folder) {
  return e2e::make_circuit(folder, groth16::CurveId::bls12_381, 16, 1);
}

// What one partition of it takes, without its key and system.
std::uint64_t partition_bytes_of(const e2e::CircuitFiles& files) {
  ProgramFolder programs(ProveStage::scripted);
  Daemon daemon(programs, "/");
  daemon.start();
  auto client = daemon.client();
  e2e::add_circuit(client, "large", files);
  await_resident(client, "large");
  return circuit_status(client, "large").partition_bytes();
}

}  // namespace

TEST_CASE("fault 12: whichever allocation fails, the partition waits, is proven, and nothing stays reserved") {
  constexpr int kAllocations = 2 + 3;  // key and system, then input, witness and ab
  for (int n = 1; n <= kAllocations + 1; ++n) {
    INFO("allocation " << n);
    Scene scene(ProveStage::scripted);
    const Marks marks;
    auto client = scene.start(marks.environment("segments.allocate=error@" + std::to_string(n)));
    const Resident before = resident(scene.daemon, client);

    const auto ended = prove(client, "job", 2);

    CHECK(marks.fired("segments.allocate"));
    CHECK(outcomes(ended, "prove") == Outcomes{"done", "done"});
    await_memory_back(scene.daemon, client, before);
    CHECK(worker_on(client, "synth-0").restarts() == 0);
  }
}

TEST_CASE("fault 13: a worker that writes what it may only read dies alone") {
  Scene scene(ProveStage::scripted);
  scene.programs.script("call:1 vandalize\n");
  auto client = scene.start();
  const auto before = daemon_status(client);

  const auto ended = prove(client, "job");

  std::ifstream deeds(scene.programs.path() / "prove-deeds");
  std::stringstream text;
  text << deeds.rdbuf();
  INFO(text.str());
  // Of key, system and witness: no writable mapping, no writable descriptor.
  CHECK(text.str() == "mprotect EACCES\nmprotect EACCES\nmprotect EACCES\nopen none\n");
  CHECK(outcomes(ended, "prove") == Outcomes{"died", "done"});
  CHECK(outcomes(ended, "synth") == Outcomes{"done"});
  for (const auto& status : before.workers()) {
    const auto now = worker_on(client, status.slot());
    CHECK((now.epoch() == status.epoch()) == (status.slot() != "cpu-0"));
  }
  CHECK(worker_on(client, "cpu-0").last_death().find("signal 11") != std::string::npos);
}

TEST_CASE("fault 14: RELEASED twice or of an old generation is counted and changes no account") {
  Scene scene(ProveStage::scripted);
  auto client = scene.start({"GROTH16D_FAILPOINTS=released.twice=error+;released.of_old_generation=error+"});
  prove(client, "first");
  const Resident before = resident(scene.daemon, client);
  const std::uint64_t stale = daemon_status(client).stale_messages();

  prove(client, "second", 4);

  await_memory_back(scene.daemon, client, before);
  // At least witness and ab of synthesis, prove stage, b2 and assembly, each twice too often.
  CHECK(daemon_status(client).stale_messages() >= stale + 2 * 4 * 4);
}

TEST_CASE("fault 14: messages of an old epoch are counted and ignored") {
  Scene scene(ProveStage::scripted);
  scene.programs.script("job:slow slow 1000\n");
  auto client = scene.start();
  prove(client, "first");
  const auto old = worker_on(client, "synth-0");
  REQUIRE(::kill(static_cast<pid_t>(old.pid()), SIGKILL) == 0);
  await_successor(client, old);
  const Resident before = resident(scene.daemon, client);
  const std::uint64_t stale = daemon_status(client).stale_messages();
  submit(client, request("slow"));

  zmq::context_t context;
  auto ghost = ipc::WorkerLink::connect(context, (scene.daemon.runtime_dir() / ipc::kWorkersSocketName).string(),
                                        "synth-0", old.epoch());
  REQUIRE(ghost.has_value());
  for (std::uint64_t number = 0; number < 50; ++number) {
    ipc::Up sealed, released, ready;
    sealed.set_assignment(number);
    sealed.mutable_sealed()->set_witness_bytes(64);
    released.set_assignment(number);
    released.mutable_released()->set_segment(number);
    released.mutable_released()->set_generation(1);
    ready.mutable_ready()->set_credit(100);
    for (const ipc::Up& message : {sealed, released, ready}) REQUIRE(ghost->send(message).has_value());
  }

  CHECK(eventually([&] { return daemon_status(client).stale_messages() >= stale + 150; }));
  const auto ended = check_proven(client, "slow");
  CHECK(outcomes(ended, "synth") == Outcomes{"done"});
  await_memory_back(scene.daemon, client, before);
}

TEST_CASE("fault 19: a job over the whole budget is refused at once, with both numbers") {
  const TemporaryFolder folder;
  const auto large = make_large(folder.path());
  const Sizes sizes = measure();
  const std::uint64_t total = sizes.resident_bytes + partition_bytes_of(large);  // its key and system are too much
  Settings settings;
  settings.budget = std::to_string(total) + " B";
  ProgramFolder programs(ProveStage::scripted);
  Daemon daemon(programs, "/", settings);  // two folders of files
  daemon.start();
  auto client = daemon.client();
  e2e::add_circuit(client, kCircuit, circuit());
  await_resident(client, kCircuit);
  e2e::add_circuit(client, "large", large);

  const auto began = Clock::now();
  const auto refused = client.submit(e2e::request_for("large", "large", large.witnesses));
  Error why;
  if (refused) {  // the circuit is not inspected yet: the job's own state says it
    const auto ended = e2e::wait_for(client, "large");
    CHECK(ended.state() == v1::FAILED);
    why = {ErrorCode::too_large, ended.failure().name(), ended.failure().text()};
  } else {
    why = refused.error();
  }
  CHECK(Clock::now() - began < std::chrono::seconds(1));
  INFO(why.text << "; total " << total << ", resident " << sizes.resident_bytes);
  CHECK(why.code == ErrorCode::too_large);
  CHECK(why.text.find(std::to_string(total - 4 * ((6ULL << 20) + 4096))) != std::string::npos);

  const auto known = client.submit(e2e::request_for("large-again", "large", large.witnesses));
  REQUIRE_FALSE(known.has_value());
  CHECK(known.error().code == ErrorCode::too_large);
}

TEST_CASE("resident and one and a half partitions are budget enough for 50 jobs") {
  const Sizes sizes = measure();
  Settings settings;
  settings.budget = std::to_string(sizes.resident_bytes + sizes.partition_bytes * 3 / 2) + " B";
  Scene scene(ProveStage::scripted, settings);
  auto client = scene.start();
  const Resident before = resident(scene.daemon, client);

  for (int job = 0; job < 50; ++job) submit(client, request("job-" + std::to_string(job), 1 + job % 3));
  for (int job = 0; job < 50; ++job) check_proven(client, "job-" + std::to_string(job));

  await_memory_back(scene.daemon, client, before);
}

TEST_CASE("fault 19: a job that just fits is admitted within its ageing although small urgent ones keep coming") {
  const Sizes small = measure();
  const TemporaryFolder folder;
  const auto medium = e2e::make_circuit(folder.path(), groth16::CurveId::bn254, 11, 1);
  Settings settings;
  settings.cpu = 2;
  settings.lines = {"ageing = \"2 s\""};
  ProgramFolder programs(ProveStage::scripted);
  programs.script("always slow 50\n");
  Daemon daemon(programs, "/", settings);
  daemon.start();
  auto client = daemon.client();
  e2e::add_circuit(client, kCircuit, circuit());
  e2e::add_circuit(client, "medium", medium);
  await_resident(client, kCircuit);
  await_resident(client, "medium");
  // Room for the medium one when nothing else is in flight; a small one fits whenever one ends.
  const auto input_bytes = (fs::file_size(medium.witnesses[0]) + 2 * 4096 - 1) / 4096 * 4096;
  const std::uint64_t room = circuit_status(client, "medium").partition_bytes() + input_bytes;
  REQUIRE(room > small.partition_bytes);
  const std::uint64_t total = daemon_status(client).budget_used_bytes() + room;
  CHECK(daemon.stop() == 0);
  settings.budget = std::to_string(total) + " B";
  daemon.configure(settings);
  daemon.start();
  auto again = daemon.client();
  await_resident(again, kCircuit);
  await_resident(again, "medium");

  int number = 0;
  const auto keep_busy = [&] {
    auto urgent = request("small-" + std::to_string(number++), 4);
    urgent.set_priority(v1::PRIORITY_HIGH);
    submit(again, urgent);
  };
  for (int i = 0; i < 10; ++i) keep_busy();
  submit(again, e2e::request_for("medium", "medium", medium.witnesses));
  const auto submitted = Clock::now();
  bool waited = false;
  REQUIRE(eventually([&] {
    keep_busy();
    const auto status = again.status("medium");
    waited = waited || !status->waiting_for().empty();
    return status->state() == v1::RUNNING || status->state() == v1::DONE;
  }));
  CHECK(waited);
  // The ageing, and what was in flight at its end.
  CHECK(Clock::now() - submitted < std::chrono::seconds(10));
  CHECK(e2e::wait_for(again, "medium").state() == v1::DONE);
  e2e::checked_result(again, "medium", medium.vk);
}
