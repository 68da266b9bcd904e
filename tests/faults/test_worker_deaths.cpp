// Workers that are killed, freeze, get stuck or will not go: cases 1, 2, 3, 7, 8 and 9.
#include <signal.h>

#include <catch2/catch.hpp>
#include <thread>

#include "tests/faults/scene.hpp"

using namespace groth16d;
using namespace groth16d::faults;

namespace {

using Outcomes = std::vector<std::string>;

void kill_process(const v1::WorkerStatus& worker) { REQUIRE(::kill(static_cast<pid_t>(worker.pid()), SIGKILL) == 0); }

bool says(const v1::WorkerStatus& worker, const std::string& word) {
  return worker.last_death().find(word) != std::string::npos;
}

// A second job hangs at the failpoint; its worker is killed there. The first has made everything resident.
struct KilledInStage {
  explicit KilledInStage(const std::string& failpoint, const std::string& slot)
      : client(scene.start(marks.environment(failpoint + "=hang@2"))) {
    prove(client, "first");
    before = resident(scene.daemon, client);
    submit(client, request("second"));
    marks.await(failpoint);
    victim = worker_on(client, slot);
    REQUIRE(victim.job() == "second");
  }

  Marks marks;
  Scene scene{ProveStage::real};
  client::Client client;
  Resident before;
  v1::WorkerStatus victim;
};

}  // namespace

TEST_CASE("fault 01: a synth worker that is killed while it writes costs one synthesis and no memory") {
  KilledInStage fault("synth.middle", "synth-0");
  CHECK(resident(fault.scene.daemon, fault.client).budget_used_bytes > fault.before.budget_used_bytes);

  kill_process(fault.victim);

  const auto ended = check_proven(fault.client, "second");
  CHECK(outcomes(ended, "synth") == Outcomes{"died", "done"});
  CHECK(ended.partitions(0).attempt() == 2);
  CHECK(outcomes(ended, "prove") == Outcomes{"done"});
  await_memory_back(fault.scene.daemon, fault.client, fault.before);
}

TEST_CASE("fault 02: a prove worker that is killed in its computation costs no synthesis") {
  KilledInStage fault("prove.middle", "cpu-0");

  kill_process(fault.victim);

  const auto ended = check_proven(fault.client, "second");
  CHECK(outcomes(ended, "synth") == Outcomes{"done"});
  CHECK(outcomes(ended, "prove") == Outcomes{"died", "done"});
  await_successor(fault.client, fault.victim);
  await_memory_back(fault.scene.daemon, fault.client, fault.before);
}

TEST_CASE("fault 03: a finalizer that is killed in b_g2_msm costs b_g2_msm alone, and ab is gone meanwhile") {
  KilledInStage fault("b2.middle", "final-0");
  // Two-phase release: the prove stage ends, and its rows are given back while b_g2_msm still runs.
  REQUIRE(eventually([&] {
    const auto status = fault.client.status("second");
    return status && outcomes(*status, "prove") == Outcomes{"done"} &&
           counted_bytes(daemon_status(fault.client), "ab") == 0;
  }));
  const std::uint64_t without_ab = sum_of(memfds_of(fault.scene.daemon.pid()));

  kill_process(fault.victim);

  std::uint64_t most = 0;
  REQUIRE(eventually([&] {
    most = std::max(most, sum_of(memfds_of(fault.scene.daemon.pid())));
    return fault.client.status("second")->state() == v1::DONE;
  }));
  CHECK(most <= without_ab);
  const auto ended = check_proven(fault.client, "second");
  CHECK(outcomes(ended, "b2") == Outcomes{"died", "done"});
  CHECK(outcomes(ended, "prove") == Outcomes{"done"});
  CHECK(outcomes(ended, "synth") == Outcomes{"done"});
  await_memory_back(fault.scene.daemon, fault.client, fault.before);
}

TEST_CASE("fault 03: a finalizer that is killed in assembly costs the assembly alone") {
  KilledInStage fault("assemble.middle", "final-0");

  kill_process(fault.victim);

  const auto ended = check_proven(fault.client, "second");
  CHECK(outcomes(ended, "assemble") == Outcomes{"died", "done"});
  CHECK(outcomes(ended, "b2") == Outcomes{"done"});
  CHECK(outcomes(ended, "prove") == Outcomes{"done"});
  await_memory_back(fault.scene.daemon, fault.client, fault.before);
}

TEST_CASE("fault 07: a worker that is stopped past its heartbeat is frozen, killed and replaced, whatever wakes it") {
  KilledInStage fault("prove.middle", "cpu-0");
  const auto pid = static_cast<pid_t>(fault.victim.pid());
  const std::uint64_t segments = sum_of(memfds_of(fault.scene.daemon.pid()));

  REQUIRE(::kill(pid, SIGSTOP) == 0);
  while (is_alive(pid) && worker_on(fault.client, "cpu-0").state() == "busy") {
    CHECK(sum_of(memfds_of(fault.scene.daemon.pid())) == segments);  // nothing is reclaimed before the death
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  while (is_alive(pid)) ::kill(pid, SIGCONT);  // races with the SIGKILL that is under way

  const auto successor = await_successor(fault.client, fault.victim);
  CHECK(says(successor, "frozen"));
  const auto ended = check_proven(fault.client, "second");
  CHECK(outcomes(ended, "synth") == Outcomes{"done"});
  CHECK(outcomes(ended, "prove") == Outcomes{"died", "done"});
  await_memory_back(fault.scene.daemon, fault.client, fault.before);
}

TEST_CASE("fault 08: a worker that beats and makes no progress is stuck, and its last words are kept") {
  Settings settings;
  settings.deadlines["prove"] = "1 s";
  Scene scene(ProveStage::scripted, settings);
  scene.programs.script("call:1 stuck\ncall:2 ignore 6\ncall:2 stuck\n");  // 6: SIGABRT
  auto client = scene.start();
  const auto first = worker_on(client, "cpu-0");

  submit(client, request("stuck"));

  const auto second = await_successor(client, first);
  CHECK(says(second, "stuck"));
  CHECK(says(second, "signal 6"));
  CHECK(says(second, "prove of job stuck partition 0"));
  const auto third = await_successor(client, second);  // SIGKILL, as it outlived SIGABRT
  CHECK(says(third, "stuck"));
  CHECK(says(third, "signal 9"));
  const auto ended = check_proven(client, "stuck");
  CHECK(outcomes(ended, "prove") == Outcomes{"died", "died", "done"});
}

TEST_CASE("fault 09: a worker that will not leave is killed, and the drain still ends with 0") {
  Settings settings;
  settings.deadlines["heartbeat_timeout"] = "90 s";  // so that it is the drain's patience that ends
  Scene scene(ProveStage::scripted, settings);
  scene.programs.script("call:1 linger\ncall:1 ignore 15\n");  // 15: SIGTERM
  auto client = scene.start();
  prove(client, "only");
  const auto lingering = static_cast<pid_t>(worker_on(client, "cpu-0").pid());

  REQUIRE(::kill(lingering, SIGTERM) == 0);
  CHECK(scene.daemon.stop() == 0);

  CHECK_FALSE(is_alive(lingering));
  CHECK(scene.programs.processes().empty());
  INFO(scene.daemon.log());
  // Whichever comes first: it answers neither DRAIN nor the call for its leases.
  CHECK(scene.daemon.log().find("sending SIGKILL") != std::string::npos);
}
