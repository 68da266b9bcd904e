// Many partitions through few workers, with and without deaths on the way.
#include <signal.h>

#include <catch2/catch.hpp>
#include <map>

#include "tests/e2e/scene.hpp"

using namespace groth16d;
using namespace groth16d::e2e;
using groth16::CurveId;

namespace {

constexpr std::uint32_t kDomainLog2 = 15;
constexpr std::uint32_t kPartitions = 40;

// The circuit of 2^15 rows, its key and 40 witnesses: made once for this program.
const CircuitFiles& circuit() {
  static const TemporaryFolder folder;
  static const CircuitFiles files = make_circuit(folder.path(), CurveId::bn254, kDomainLog2, kPartitions);
  return files;
}

std::uint32_t proven(client::Client& client, const std::string& job) {
  const auto status = client.status(job);
  REQUIRE(status.has_value());
  std::uint32_t count = 0;
  for (const auto& partition : status->partitions()) count += partition.state() == v1::PROVEN ? 1 : 0;
  return count;
}

// Kills the slot's worker while it computes (a loader: at once, it has nothing to do by then), and waits for its
// successor.
void kill_once(client::Client& client, const std::string& slot) {
  INFO(slot);
  if (!slot.starts_with("load")) REQUIRE(eventually([&] { return !worker_on(client, slot).job().empty(); }));
  const v1::WorkerStatus before = worker_on(client, slot);
  REQUIRE(before.pid() != 0);
  REQUIRE(::kill(static_cast<pid_t>(before.pid()), SIGKILL) == 0);
  CHECK(eventually([&] {
    const v1::WorkerStatus now = worker_on(client, slot);
    return now.epoch() > before.epoch() && now.pid() != before.pid() && now.pid() != 0;
  }));
}

}  // namespace

TEST_CASE("40 partitions of a small circuit give 40 different, valid proofs in the order of their witnesses") {
  const TemporaryFolder folder;
  const auto small = make_circuit(folder.path(), CurveId::bls12_381, 8, kPartitions);
  const auto daemon = start_daemon(folder.path(), 2, 1, 2);
  auto client = connect(daemon);
  add_circuit(client, "small", small);
  REQUIRE(run_job(client, request_for("one", "small", {small.witnesses[30]})).state() == v1::DONE);

  const auto ended = run_job(client, request_for("forty", "small", small.witnesses));

  INFO(ended.failure().text());
  REQUIRE(ended.state() == v1::DONE);
  const auto result = checked_result(client, "forty", small.vk);
  REQUIRE(result.partitions_size() == kPartitions);
  CHECK(result.partitions(30).public_json() == checked_result(client, "one", small.vk).partitions(0).public_json());
}

TEST_CASE("40 partitions of a 2^15 circuit are proven though a worker of each kind is killed in the middle") {
  const auto daemon = start_daemon(circuit().zkey.parent_path(), 2, 1, 2);
  auto client = connect(daemon);
  add_circuit(client, "fifth", circuit());

  REQUIRE(client.submit(request_for("killed", "fifth", circuit().witnesses)).has_value());
  kill_once(client, "synth-0");  // first: synthesis is far ahead of the provers by the time of the first proof
  for (const std::string slot : {"cpu-0", "final-0", "load-0"}) {
    const std::uint32_t so_far = proven(client, "killed");
    REQUIRE(eventually([&] { return proven(client, "killed") > so_far; }));
    REQUIRE(proven(client, "killed") < kPartitions);
    kill_once(client, slot);
  }

  const auto ended = wait_for(client, "killed");
  INFO(ended.failure().text());
  REQUIRE(ended.state() == v1::DONE);
  CHECK(checked_result(client, "killed", circuit().vk).partitions_size() == kPartitions);
  const auto circuits = client.circuits("fifth");
  REQUIRE(circuits.has_value());
  REQUIRE(circuits->size() == 1);
  CHECK(circuits->front().loads() == 1);  // no death makes the key be read again
}
