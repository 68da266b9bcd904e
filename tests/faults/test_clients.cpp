// Clients that die, do not listen, change their minds or their files: cases 20, 26 and 27.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <thread>

#include "tests/faults/scene.hpp"
#include "tests/sanitizers.hpp"

using namespace groth16d;
using namespace groth16d::faults;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

// The slot whose worker does a stage when there is one of each.
std::string slot_of(const std::string& stage) {
  if (stage == "synth") return "synth-0";
  return stage == "prove" ? "cpu-0" : "final-0";
}

// From CANCEL to the daemon's word that the job is cancelled.
std::chrono::milliseconds time_to_cancel(client::Client& client, const std::string& job) {
  const auto asked = Clock::now();
  REQUIRE(client.cancel(job).has_value());
  CHECK(e2e::wait_for(client, job).state() == v1::CANCELLED);
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - asked);
}

void check_no_result(client::Client& client, const std::string& job) {
  const auto result = client.result(job);
  REQUIRE(result.has_value());
  CHECK(result->partitions_size() == 0);
  const auto status = client.status(job);
  for (const auto& partition : status->partitions()) CHECK(partition.state() == v1::STOPPED);
}

Settings with_short_cancel() {
  Settings settings;
  settings.deadlines["cancel"] = "500 ms";
  return settings;
}

}  // namespace

TEST_CASE("fault 20: a client that dies after SUBMIT comes back under another name and gets its result") {
  if (kThreadSanitizer) {
    WARN("skipped: the thread sanitizer ends a fork of a process with threads");
    return;
  }
  Scene scene(ProveStage::scripted);
  scene.programs.script("always slow 300\n");
  auto client = scene.start();
  const pid_t short_lived = ::fork();
  if (short_lived == 0) {
    auto own = client::Client::connect(client::address_in(scene.daemon.runtime_dir().string()), 30'000);
    const bool accepted = own && own->submit(request("left", 2)).has_value();
    ::_exit(accepted ? 0 : 1);  // without a goodbye
  }
  int status = 0;
  REQUIRE(::waitpid(short_lived, &status, 0) == short_lived);
  REQUIRE(WEXITSTATUS(status) == 0);

  auto another = scene.daemon.client();
  check_proven(another, "left");
}

TEST_CASE("fault 20: a subscriber that does not read slows nobody, and costs bounded memory") {
  Scene scene(ProveStage::scripted);
  auto client = scene.start();
  zmq::context_t context;
  auto deaf =
      ipc::EventSubscriber::connect(context, (scene.daemon.runtime_dir() / ipc::kEventsSocketName).string(), "");
  REQUIRE(deaf.has_value());
  deaf->socket().set(zmq::sockopt::rcvhwm, 1);
  prove(client, "first", 4);
  const std::uint64_t before = private_bytes_of(scene.daemon.pid());

  for (int job = 0; job < 30; ++job) prove(client, "job-" + std::to_string(job), 4);

  if (kAddressSanitizer)
    WARN("not compared: the address sanitizer keeps what was freed");
  else
    CHECK(private_bytes_of(scene.daemon.pid()) < before + (16ULL << 20));
}

TEST_CASE("fault 26: CANCEL ends every stage at its next poll point, and everything comes back") {
  Scene scene(ProveStage::scripted);
  scene.programs.script("job:cancelled slow 60000\n");
  auto client = scene.start();
  prove(client, "first");
  const Resident before = resident(scene.daemon, client);
  submit(client, request("cancelled", 4));
  await_stage(client, "cpu-0", "cancelled", "prove");
  const auto epoch = worker_on(client, "cpu-0").epoch();

  CHECK(time_to_cancel(client, "cancelled") < 1s);  // a poll point every 5 ms; the rest is a busy machine's

  check_no_result(client, "cancelled");
  CHECK(worker_on(client, "cpu-0").epoch() == epoch);  // nobody was killed
  await_memory_back(scene.daemon, client, before);
  prove(client, "after");
}

TEST_CASE("fault 26: whoever is deaf to CANCEL is killed after the grace time, in every stage") {
  for (const std::string stage : {"synth", "prove", "b2", "assemble"}) {
    INFO(stage);
    Scene scene(ProveStage::real, with_short_cancel());
    const Marks marks;
    auto client = scene.start(marks.environment(stage + ".middle=hang@2"));
    prove(client, "first");
    const Resident before = resident(scene.daemon, client);
    submit(client, request("cancelled", 3));
    marks.await(stage + ".middle");
    const auto victim = worker_on(client, slot_of(stage));
    REQUIRE(victim.job() == "cancelled");

    CHECK(time_to_cancel(client, "cancelled") >= 500ms);

    const auto successor = await_successor(client, victim);
    CHECK(successor.last_death().find("requested") != std::string::npos);
    check_no_result(client, "cancelled");
    await_memory_back(scene.daemon, client, before);
    prove(client, "after", 2);
  }
}

TEST_CASE("fault 26: an expired deadline is a cancel") {
  Scene scene(ProveStage::scripted);
  scene.programs.script("job:late slow 60000\n");
  auto client = scene.start();
  prove(client, "first");
  const Resident before = resident(scene.daemon, client);
  auto late = request("late", 3);
  late.set_deadline_ms(700);
  submit(client, late);

  const auto ended = e2e::wait_for(client, "late");

  CHECK((ended.state() == v1::CANCELLED || ended.state() == v1::FAILED));
  CHECK(ended.failure().text().find("deadline") != std::string::npos);
  check_no_result(client, "late");
  await_memory_back(scene.daemon, client, before);
}

TEST_CASE("fault 27: what the client does to its file after the reply changes nothing") {
  const TemporaryFolder folder;
  const auto files = e2e::make_circuit(folder.path(), groth16::CurveId::bn254, 8, 3);
  ProgramFolder programs(ProveStage::scripted);
  programs.script("job:first slow 1000\n");
  Daemon daemon(programs, folder.path());
  daemon.start();
  auto client = daemon.client();
  e2e::add_circuit(client, kCircuit, files);
  submit(client, e2e::request_for("first", kCircuit, {files.witnesses[0]}));  // the others wait behind it
  for (std::size_t i = 0; i < 3; ++i) {
    submit(client, e2e::request_for("job-" + std::to_string(i), kCircuit, {files.witnesses[i]}));
  }

  std::ofstream(files.witnesses[0], std::ios::binary) << "another content";
  fs::resize_file(files.witnesses[1], 100);
  fs::remove(files.witnesses[2]);

  for (std::size_t i = 0; i < 3; ++i) {
    const std::string job = "job-" + std::to_string(i);
    CHECK(e2e::wait_for(client, job).state() == v1::DONE);
    e2e::checked_result(client, job, files.vk);
  }
  // The same request is the same job, whatever its file holds now; another one under its name is refused for its
  // digest.
  CHECK(client.submit(e2e::request_for("job-0", kCircuit, {files.witnesses[0]})).has_value());
  const auto other = client.submit(e2e::request_for("job-0", kCircuit, {files.witnesses[1]}));
  REQUIRE_FALSE(other.has_value());
  CHECK(other.error().code == ErrorCode::conflict);
  CHECK(other.error().name == "job.digest");
}

TEST_CASE("fault 27: a file that is written to while it is copied is named") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "growing.wtns";
  std::ofstream(file, std::ios::binary) << std::string(64 << 20, 'w');
  ProgramFolder programs(ProveStage::scripted);
  Daemon daemon(programs, "/");
  daemon.start();
  auto client = daemon.client();
  e2e::add_circuit(client, kCircuit, circuit());
  std::jthread writer([&](const std::stop_token& stop) {
    std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
    while (!stop.stop_requested()) out.seekp(0).put('x').flush();
  });

  const auto refused = client.submit(e2e::request_for("torn", kCircuit, {file}));

  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().name == "spool.changed");
  CHECK(refused.error().text.find("growing.wtns") != std::string::npos);
}
