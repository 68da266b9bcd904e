// A prove worker that comes back finds the key where it was: in shared memory. Built for a small circuit, and for 2^18
// rows as a slow test.
#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>

#include "tests/e2e/scene.hpp"

using namespace groth16d;
using namespace groth16d::e2e;
using groth16::CurveId;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::seconds kBound{1};

v1::WorkerStatus prover(client::Client& client) { return worker_on(client, "cpu-0"); }

v1::CircuitStatus circuit(client::Client& client) {
  const auto circuits = client.circuits("c");
  REQUIRE(circuits.has_value());
  REQUIRE(circuits->size() == 1);
  return circuits->front();
}

std::uint64_t syntheses(client::Client& client) {
  const auto status = client.daemon_status();
  REQUIRE(status.has_value());
  return status->syntheses();
}

// Kills the prove worker; how long it took until the next one was ready for work or at work.
std::chrono::milliseconds time_to_come_back(client::Client& client) {
  const v1::WorkerStatus before = prover(client);
  const auto begin = Clock::now();
  REQUIRE(::kill(static_cast<pid_t>(before.pid()), SIGKILL) == 0);
  REQUIRE(eventually([&] {
    const v1::WorkerStatus now = prover(client);
    return now.epoch() > before.epoch() && (now.state() == "ready" || now.state() == "busy");
  }));
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
}

}  // namespace

TEST_CASE("a killed prove worker is ready again in under a second; no key is read and nothing synthesised again") {
  const TemporaryFolder folder;
  const CircuitFiles files = make_circuit(folder.path(), CurveId::bls12_381, GROTH16D_DOMAIN_LOG2, 2);
  const auto daemon = start_daemon(folder.path());
  auto client = connect(daemon);
  add_circuit(client, "c", files);
  REQUIRE(run_job(client, request_for("first", "c", {files.witnesses[0]})).state() == v1::DONE);
  const auto before = circuit(client);
  const std::uint64_t synthesised = syntheses(client);

  // The quickest of three: other work on this machine may hold up any of them.
  std::chrono::milliseconds idle = std::chrono::minutes(1);
  for (int kill = 0; kill < 3 && idle >= kBound; ++kill) idle = std::min(idle, time_to_come_back(client));
  REQUIRE(client.submit(request_for("second", "c", {files.witnesses[1]})).has_value());
  REQUIRE(eventually([&] { return prover(client).job() == "second"; }));
  const auto working = time_to_come_back(client);

  REQUIRE(wait_for(client, "second").state() == v1::DONE);
  checked_result(client, "second", files.vk);
  WARN("2^" << GROTH16D_DOMAIN_LOG2 << ": back after " << idle.count() << " ms idle, " << working.count()
            << " ms in the middle of a proof");
  CHECK(idle < kBound);
  CHECK(syntheses(client) == synthesised + 1);
  const auto after = circuit(client);
  CHECK(after.loads() == before.loads());
  CHECK(after.source_bytes_read() == before.source_bytes_read());
}
