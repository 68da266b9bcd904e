// The client library against a socket that answers as told: refusals, silence, waiting, progress.
#include <catch2/catch.hpp>

#include "client/lib/private_daemon.hpp"
#include "client/lib/wait.hpp"
#include "tests/client/answering_daemon.hpp"

using namespace groth16d;
using namespace groth16d::client;
using std::chrono::milliseconds;

namespace {

AnsweringDaemon::Reply job_reply(v1::JobState state) {
  auto reply = std::make_unique<v1::JobStatusReply>();
  reply->mutable_status()->set_code(200);
  reply->mutable_job()->set_job("job");
  reply->mutable_job()->set_state(state);
  return reply;
}

v1::JobStatus job_with(std::initializer_list<std::pair<v1::PartitionState, std::uint32_t>> partitions) {
  v1::JobStatus job;
  job.set_state(v1::RUNNING);
  for (const auto& [state, permille] : partitions) {
    auto& partition = *job.add_partitions();
    partition.set_state(state);
    partition.set_progress_permille(permille);
  }
  return job;
}

}  // namespace

TEST_CASE("an absent daemon is known at once") {
  const auto begin = std::chrono::steady_clock::now();
  const auto client = Client::connect(address_in("/nonexistent/groth16d"));
  REQUIRE_FALSE(client.has_value());
  CHECK(is_unreachable(client.error()));
  CHECK(std::chrono::steady_clock::now() - begin < milliseconds(500));
}

TEST_CASE("a daemon that never answers is given up after the timeout") {
  AnsweringDaemon silent([](const ipc::ClientRequest&) { return nullptr; });
  auto client = Client::connect(silent.address(), 200);
  REQUIRE(client.has_value());
  const auto reply = client->ping();
  REQUIRE_FALSE(reply.has_value());
  CHECK(is_unreachable(reply.error()));
}

TEST_CASE("a refusal carries the daemon's own words and is no unreachable daemon") {
  AnsweringDaemon refusing([](const ipc::ClientRequest&) {
    auto reply = std::make_unique<v1::PlainReply>();
    *reply->mutable_status() =
        ipc::make_status(Error{ErrorCode::not_found, "job.unknown", "nobody: there is no such job"});
    return reply;
  });
  auto client = Client::connect(refusing.address());
  REQUIRE(client.has_value());
  const auto status = client->status("nobody");
  REQUIRE_FALSE(status.has_value());
  CHECK(status.error().code == ErrorCode::not_found);
  CHECK(status.error().name == "job.unknown");
  CHECK(status.error().text == "nobody: there is no such job");
  CHECK_FALSE(is_unreachable(status.error()));
}

TEST_CASE("waiting ends with the job and shows every status on the way") {
  std::atomic<int> asked{0};
  AnsweringDaemon daemon([&](const ipc::ClientRequest&) { return job_reply(++asked < 4 ? v1::RUNNING : v1::DONE); });
  auto client = Client::connect(daemon.address());
  REQUIRE(client.has_value());
  int shown = 0;
  WaitOptions options;
  options.on_status = [&](const v1::JobStatus&) { ++shown; };

  const auto ended = wait_for_job(*client, "job", options);

  REQUIRE(ended.has_value());
  CHECK(ended->state() == v1::DONE);
  CHECK(shown == 4);
}

TEST_CASE("waiting stops at its timeout and at an interruption, and says which") {
  AnsweringDaemon daemon([](const ipc::ClientRequest&) { return job_reply(v1::RUNNING); });
  auto client = Client::connect(daemon.address());
  REQUIRE(client.has_value());
  WaitOptions options;
  options.timeout = milliseconds(50);
  const auto late = wait_for_job(*client, "job", options);
  REQUIRE_FALSE(late.has_value());
  CHECK(late.error().name == "wait.timeout");
  options.is_interrupted = [] { return true; };
  const auto interrupted = wait_for_job(*client, "job", options);
  REQUIRE_FALSE(interrupted.has_value());
  CHECK(interrupted.error().name == "wait.interrupted");
}

TEST_CASE("progress only grows along a partition's life and ends at the whole") {
  const std::vector<std::pair<v1::PartitionState, std::uint32_t>> life = {
      {v1::WAITING, 0},   {v1::READY_SYNTH, 0}, {v1::SYNTHESISING, 500}, {v1::SEALED, 0}, {v1::PROVING, 1},
      {v1::PROVING, 999}, {v1::FINALIZING, 0},  {v1::FINALIZING, 1000},  {v1::PROVEN, 0}};
  std::uint32_t last = 0;
  for (const auto& [state, permille] : life) {
    const std::uint32_t now = progress_permille(job_with({{state, permille}}));
    CHECK(now >= last);
    last = now;
  }
  CHECK(last == 1000);
  CHECK(progress_permille(job_with({{v1::PROVEN, 0}, {v1::WAITING, 0}})) == 500);
  CHECK(progress_permille(v1::JobStatus()) == 0);
}

TEST_CASE("the time left is no guess from nothing, and falls as work is done") {
  CHECK_FALSE(time_left(10, milliseconds(1000)).has_value());
  CHECK(time_left(500, milliseconds(1000)) == milliseconds(1000));
  CHECK(time_left(900, milliseconds(1800)) == milliseconds(200));
  CHECK(time_left(1000, milliseconds(1800)) == milliseconds(0));
}

TEST_CASE("an endpoint is an ipc address or a path, and its events lie beside it") {
  const auto by_scheme = address_of_endpoint("ipc:///run/groth16d/client.sock");
  REQUIRE(by_scheme.has_value());
  CHECK(by_scheme->client_socket == "/run/groth16d/client.sock");
  CHECK(by_scheme->events_socket == "/run/groth16d/events.sock");
  CHECK(address_of_endpoint("/run/groth16d/client.sock")->client_socket == by_scheme->client_socket);
  CHECK_FALSE(address_of_endpoint("tcp://127.0.0.1:1").has_value());
}

TEST_CASE("a private daemon that cannot start is an error, and leaves no folder") {
  std::string folder = (std::filesystem::temp_directory_path() / "groth16d-private-XXXXXX").string();
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  ::setenv("TMPDIR", folder.c_str(), 1);
  PrivateDaemonOptions options;
  options.program = "/bin/false";
  options.start_timeout = milliseconds(2000);

  const auto daemon = PrivateDaemon::start(options);

  ::unsetenv("TMPDIR");
  REQUIRE_FALSE(daemon.has_value());
  CHECK(daemon.error().name == "private_daemon.start");
  CHECK(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}
