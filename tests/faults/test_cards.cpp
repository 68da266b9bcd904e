// GPU workers that have no card, lose it, or cannot hold a circuit; and what they keep when all goes well.
#include <signal.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>

#include "client/lib/wait.hpp"
#include "tests/e2e/run_program.hpp"
#include "tests/faults/scene.hpp"

using namespace groth16d;
using namespace groth16d::faults;

namespace {

using Outcomes = std::vector<std::string>;

Settings with_cards(std::uint32_t cards) {
  Settings settings;
  settings.cpu = 0;
  settings.gpu = cards;
  return settings;
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t times = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++times;
  return times;
}

std::size_t circuits_loaded(const Scene& scene) { return count(scene.daemon.log(), "circuit on the card"); }

bool holds(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

bool has_ended(client::Client& client, const std::string& job) {
  const auto status = client.status(job);
  REQUIRE(status.has_value());
  return client::has_ended(status->state());
}

}  // namespace

TEST_CASE("a card proves without rows in shared memory, and keeps its circuits") {
  Scene scene{ProveStage::fake_card, with_cards(1)};
  client::Client client = scene.start();
  e2e::add_circuit(client, "other", circuit());
  await_resident(client, "other");

  const v1::JobStatus first = prove(client, "first", 3);
  CHECK(outcomes(first, "prove") == Outcomes{"done", "done", "done"});
  CHECK(first.timeline_size() > 0);
  for (const auto& span : first.timeline()) {
    for (const auto& held : span.held()) CHECK(held.kind() != "ab");
  }
  CHECK(circuits_loaded(scene) == 1);

  v1::SubmitRequest another = request("second");
  another.set_circuit("other");
  submit(client, another);
  check_proven(client, "second");
  CHECK(circuits_loaded(scene) == 2);
  prove(client, "third");
  CHECK(circuits_loaded(scene) == 2);
  CHECK(scene.daemon.stop() == 0);
}

TEST_CASE("a circuit leaves the card where another has no room beside it") {
  Settings settings = with_cards(1);
  settings.card_memory_max = "20 KiB";  // the fake card keeps 16 KiB of a circuit
  Scene scene{ProveStage::fake_card, settings};
  client::Client client = scene.start();
  e2e::add_circuit(client, "other", circuit());
  await_resident(client, "other");
  v1::SubmitRequest another = request("second");
  another.set_circuit("other");

  prove(client, "first");
  submit(client, another);
  check_proven(client, "second");
  prove(client, "third");

  CHECK(circuits_loaded(scene) == 3);
  CHECK(count(scene.daemon.log(), "a circuit leaves the card for another") == 2);
  CHECK_FALSE(holds(scene.daemon.log(), "pinned"));
}

TEST_CASE("a key that is streamed past the card is pinned once, and let go before it is unmapped") {
  Settings settings = with_cards(1);
  settings.card_memory_max = "8 KiB";
  Scene scene{ProveStage::fake_card, settings};
  client::Client client = scene.start();

  prove(client, "first", 3);
  prove(client, "second", 2);
  CHECK(count(scene.daemon.log(), ": pinned") == 1);
  CHECK_FALSE(holds(scene.daemon.log(), "no longer pinned"));

  REQUIRE(client.remove_circuit(kCircuit).has_value());
  REQUIRE(eventually([&] { return holds(scene.daemon.log(), "no longer pinned"); }));
  CHECK_FALSE(holds(scene.daemon.log(), "and other memory"));
  CHECK(worker_on(client, "gpu-0").restarts() == 0);
}

TEST_CASE("fault 17: a card that is lost in a computation ends its worker with 69, and the stage alone is done again") {
  Marks marks;
  Scene scene{ProveStage::fake_card, with_cards(1)};
  client::Client client = scene.start(marks.environment("card.lost=error@2"));
  prove(client, "first");
  const Resident before = resident(scene.daemon, client);
  const v1::WorkerStatus victim = worker_on(client, "gpu-0");

  submit(client, request("second"));
  const auto ended = check_proven(client, "second");

  CHECK(marks.fired("card.lost"));
  CHECK(outcomes(ended, "synth") == Outcomes{"done"});
  CHECK(outcomes(ended, "prove") == Outcomes{"died", "done"});
  const v1::WorkerStatus successor = await_successor(client, victim);
  CHECK(holds(successor.last_death(), "unusable (exit 69)"));
  CHECK(holds(successor.last_death(), "prove of job second partition 0"));
  CHECK(holds(successor.last_death(), "illegal memory access"));
  await_memory_back(scene.daemon, client, before);
}

TEST_CASE("fault 17: a card that is lost in every computation fails its slot, and no job is quarantined") {
  Scene scene{ProveStage::fake_card, with_cards(1)};
  client::Client client = scene.start({"GROTH16D_FAILPOINTS=card.lost=error+"});
  for (const char* job : {"first", "second", "third"}) submit(client, request(job));

  REQUIRE(eventually([&] { return worker_on(client, "gpu-0").state() == "failed"; }));

  CHECK(holds(worker_on(client, "gpu-0").last_death(), "unusable (exit 69)"));
  CHECK(daemon_status(client).state() == "degraded");
  for (const char* job : {"first", "second", "third"}) CHECK_FALSE(has_ended(client, job));
}

TEST_CASE("a GPU worker that is killed in its computation costs no synthesis, and its successor loads the circuit") {
  Marks marks;
  Scene scene{ProveStage::fake_card, with_cards(1)};
  client::Client client = scene.start(marks.environment("prove.middle=hang@2"));
  prove(client, "first");
  submit(client, request("second"));
  marks.await("prove.middle");
  const v1::WorkerStatus victim = worker_on(client, "gpu-0");

  REQUIRE(::kill(static_cast<pid_t>(victim.pid()), SIGKILL) == 0);

  const auto ended = check_proven(client, "second");
  CHECK(outcomes(ended, "synth") == Outcomes{"done"});
  CHECK(outcomes(ended, "prove") == Outcomes{"died", "done"});
  CHECK(circuits_loaded(scene) == 2);
}

TEST_CASE("a worker without a card ends with 69, its slot fails with the reason, and jobs are refused") {
  Scene scene{ProveStage::fake_card, with_cards(1)};
  scene.daemon.start({"GROTH16D_FAILPOINTS=card.none=error+"});
  client::Client client = scene.daemon.client();

  REQUIRE(eventually([&] { return worker_on(client, "gpu-0").state() == "failed"; }));

  CHECK(holds(worker_on(client, "gpu-0").last_death(), "unusable (exit 69)"));
  CHECK(holds(worker_on(client, "gpu-0").last_death(), "no CUDA-capable device"));
  CHECK(daemon_status(client).state() == "degraded");
}

TEST_CASE("a circuit that the card cannot hold fails by name and with the bytes, and nothing is proven elsewhere") {
  Scene scene{ProveStage::fake_card, with_cards(1)};
  client::Client client = scene.start({"GROTH16D_FAILPOINTS=card.plan=error+"});
  submit(client, request("large"));

  const v1::JobStatus ended = e2e::wait_for(client, "large");

  CHECK(ended.state() == v1::FAILED);
  CHECK(ended.failure().name() == "gpu.plan");
  CHECK(holds(ended.failure().text(), "needs 17 bytes of the card's memory, 16 of 16 are free"));
}

TEST_CASE("a circuit that the card cannot hold is not proven by a CPU slot beside it") {
  Settings settings = with_cards(1);
  settings.cpu = 1;
  Scene scene{ProveStage::fake_card, settings};
  client::Client client = scene.start({"GROTH16D_FAILPOINTS=prove.middle=hang;card.plan=error+"});
  submit(client, request("small"));  // keeps the CPU
  await_stage(client, "cpu-0", "small", "prove");
  submit(client, request("large"));

  const v1::JobStatus ended = e2e::wait_for(client, "large");

  CHECK(ended.state() == v1::FAILED);
  CHECK(ended.failure().name() == "gpu.plan");
  for (const auto& span : ended.timeline()) CHECK(span.slot() != "cpu-0");
}

TEST_CASE("memory that another process keeps for seconds ends no job and no slot") {
  Scene scene{ProveStage::fake_card, with_cards(1)};
  client::Client client = scene.start({"GROTH16D_FAILPOINTS=card.taken=error+"});
  const std::vector<std::string> jobs = {"first", "second", "third", "fourth"};
  for (const std::string& job : jobs) submit(client, request(job));
  REQUIRE(eventually([&] { return count(scene.daemon.log(), "pid 4711") >= jobs.size(); }));

  std::this_thread::sleep_for(std::chrono::seconds(5));

  for (const std::string& job : jobs) CHECK_FALSE(has_ended(client, job));
  CHECK(worker_on(client, "gpu-0").state() != "failed");
}

TEST_CASE("a key is made later where the card has no memory for it now") {
  Settings settings = with_cards(1);
  settings.budget = "4 GiB";  // the smallest circuit with a recipe takes 2.1 GiB
  Scene scene{ProveStage::fake_card, settings};
  client::Client client = scene.start({"GROTH16D_FAILPOINTS=card.full=error+"});
  const fs::path recipe = circuit().zkey.parent_path() / "key.recipe";
  REQUIRE(e2e::ctl({"setup", "--insecure", "--circuit", "porep-2KiB", "--seed", "7", "--recipe", recipe}).exit_code ==
          0);
  e2e::CircuitFiles made = circuit();
  made.zkey = recipe;
  e2e::add_circuit(client, "made", made, false);

  REQUIRE(eventually([&] { return count(scene.daemon.log(), "circuit made waits: cudaMalloc") >= 2; }));

  const auto circuits = client.circuits("made");
  REQUIRE(circuits.has_value());
  CHECK(circuits->front().state() != "failed");
  CHECK(worker_on(client, "gpu-0").state() != "failed");
}

TEST_CASE("memory that another process holds is the slot's trouble, and its pid is named") {
  Marks marks;
  Scene scene{ProveStage::fake_card, with_cards(1)};
  client::Client client = scene.start(marks.environment("card.taken=error@1"));
  submit(client, request("first"));

  const auto ended = check_proven(client, "first");

  CHECK(outcomes(ended, "prove") == Outcomes{"failed", "done"});
  CHECK(holds(scene.daemon.log(), "the card is also used by pid 4711"));
}

TEST_CASE("with b_g2 on the card finalizers only assemble, and status says who summed it") {
  Settings settings = with_cards(1);
  settings.b_g2 = "gpu";
  Scene scene{ProveStage::fake_card, settings};
  client::Client client = scene.start();

  const v1::JobStatus job = prove(client, "first", 3);

  CHECK(outcomes(job, "b2").empty());
  CHECK(outcomes(job, "assemble") == Outcomes{"done", "done", "done"});
  for (const auto& partition : job.partitions()) CHECK(partition.b_g2() == "gpu");
  CHECK(scene.daemon.stop() == 0);
}

TEST_CASE("with b_g2 on the host each partition's is a finalizer's") {
  Settings settings = with_cards(1);
  settings.b_g2 = "cpu";
  Scene scene{ProveStage::fake_card, settings};
  client::Client client = scene.start();

  const v1::JobStatus job = prove(client, "first", 3);

  CHECK(outcomes(job, "b2") == Outcomes{"done", "done", "done"});
  for (const auto& partition : job.partitions()) CHECK(partition.b_g2() == "cpu");
}

TEST_CASE("a card without room for B2's points leaves it to finalizers") {
  Scene scene{ProveStage::fake_card, with_cards(1)};
  client::Client client = scene.start({"GROTH16D_FAILPOINTS=card.no_b2=error+"});
  for (const char* job : {"first", "second", "third"}) {
    const v1::JobStatus ended = prove(client, job);
    CHECK(outcomes(ended, "b2") == Outcomes{"done"});
  }
}

TEST_CASE("each GPU slot sees the one card whose UUID it was given") {
  Settings settings = with_cards(2);
  settings.cards = {"GPU-aaaaaaaa-0000-0000-0000-000000000000", "GPU-bbbbbbbb-0000-0000-0000-000000000000"};
  Scene scene{ProveStage::fake_card, settings};
  client::Client client = scene.start();
  prove(client, "first", 4);

  const std::string log = scene.daemon.log();
  CHECK(holds(log, "gpu-0: fake card " + settings.cards[0] + ":"));
  CHECK(holds(log, "gpu-1: fake card " + settings.cards[1] + ":"));
}

TEST_CASE("GPU slots without the program groth16-gpu are an error at the start that says so") {
  Scene scene{ProveStage::real, with_cards(1)};
  scene.daemon.launch();

  CHECK(scene.daemon.wait() == 78);
  CHECK(holds(scene.daemon.log(), "1 gpu slots are configured, but there is no program"));
}
