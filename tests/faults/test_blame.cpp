// Who is to blame: a job, a slot, a device, a wrong sum. Cases 15, 16, 17 and 18.
#include <catch2/catch.hpp>

#include "tests/faults/scene.hpp"

using namespace groth16d;
using namespace groth16d::faults;

namespace {

using Outcomes = std::vector<std::string>;

bool says(const v1::WorkerStatus& worker, const std::string& word) {
  return worker.last_death().find(word) != std::string::npos;
}

Settings two_provers() {
  Settings settings;
  settings.cpu = 2;
  return settings;
}

}  // namespace

TEST_CASE("fault 15: an input that always kills synthesis is quarantined, and nobody else pays") {
  Settings settings;
  settings.synth = 2;
  Scene scene(ProveStage::real, settings);
  auto client = scene.start({"GROTH16D_FAILPOINTS=synth.start/poison=exit:70+"});
  prove(client, "before");

  submit(client, request("poison"));
  for (int i = 0; i < 4; ++i) prove(client, "beside-" + std::to_string(i));

  const auto poisoned = e2e::wait_for(client, "poison");
  CHECK(poisoned.state() == v1::QUARANTINED);
  CHECK(outcomes(poisoned, "synth") == Outcomes{"died", "died", "died"});
  for (const std::string slot : {"synth-0", "synth-1"}) {
    CHECK(eventually([&] { return worker_on(client, slot).state() == "ready"; }));
  }
  CHECK(daemon_status(client).state() == "ready");
  prove(client, "after");
}

TEST_CASE("fault 16: a prove slot that fails every job is failed, and the jobs are not") {
  Scene scene(ProveStage::scripted, two_provers());
  scene.programs.script("slot:cpu-1 fail\n");
  auto client = scene.start();

  int jobs = 0;
  REQUIRE(eventually([&] {
    prove(client, "job-" + std::to_string(jobs++), 4);
    return worker_on(client, "cpu-1").state() == "failed";
  }));

  CHECK(jobs >= 3);
  CHECK(daemon_status(client).state() == "degraded");
  CHECK(worker_on(client, "cpu-0").restarts() == 0);
  prove(client, "after", 4);
}

TEST_CASE("fault 16: a prove slot that dies of every job is failed, and no job is quarantined") {
  Scene scene(ProveStage::scripted, two_provers());
  scene.programs.script("slot:cpu-1 signal 11\n");
  auto client = scene.start();

  int jobs = 0;
  REQUIRE(eventually([&] {
    prove(client, "job-" + std::to_string(jobs++), 4);
    return worker_on(client, "cpu-1").state() == "failed";
  }));

  CHECK(daemon_status(client).state() == "degraded");
  prove(client, "after", 4);
}

TEST_CASE("fault 17: a device that is lost costs a restart, and three in five minutes the slot") {
  Scene scene(ProveStage::scripted, two_provers());
  scene.programs.script("slot:cpu-0,call:1 exit 69\nslot:cpu-1,call:1 exit 69\n");
  auto client = scene.start();
  const auto ended = prove(client, "once");
  CHECK(outcomes(ended, "prove") == Outcomes{"died", "done"});
  const std::string victim = worker_on(client, "cpu-0").restarts() > 0 ? "cpu-0" : "cpu-1";
  CHECK(says(worker_on(client, victim), "exit 69"));

  scene.programs.script("slot:" + victim + " exit 69\n");
  int jobs = 0;
  REQUIRE(eventually([&] {
    prove(client, "job-" + std::to_string(jobs++), 4);
    return worker_on(client, victim).state() == "failed";
  }));

  CHECK(worker_on(client, victim).restarts() == 3);
  CHECK(daemon_status(client).state() == "degraded");
  prove(client, "after");
}

TEST_CASE("fault 18: a wrong sum is caught by the finalizer, proven elsewhere, and its slot is blamed") {
  Scene scene(ProveStage::scripted, two_provers());
  scene.programs.script("slot:cpu-1 wrong-point\n");
  auto client = scene.start();

  int jobs = 0;
  REQUIRE(eventually([&] {  // check_proven verifies what is delivered
    prove(client, "job-" + std::to_string(jobs++), 4);
    return worker_on(client, "cpu-1").state() == "failed";
  }));

  CHECK(scene.daemon.log().find("its sums did not verify, those of cpu-0 did") != std::string::npos);
  CHECK(daemon_status(client).state() == "degraded");
  const auto ended = prove(client, "after", 4);
  for (const auto& span : ended.timeline()) CHECK(span.slot() != "cpu-1");
}

TEST_CASE("fault 18: a wrong sum that no other slot can replace fails the job, and nothing is delivered") {
  Scene scene(ProveStage::scripted);
  scene.programs.script("job:wrong wrong-point\n");
  auto client = scene.start();

  submit(client, request("wrong"));

  const auto ended = e2e::wait_for(client, "wrong");
  CHECK(ended.state() == v1::FAILED);
  CHECK(ended.failure().name() == "proof.verification");
  const auto result = client.result("wrong");
  REQUIRE(result.has_value());
  CHECK(result->partitions_size() == 0);
  prove(client, "after");
}
