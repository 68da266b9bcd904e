// The operator's verbs against a real process tree: workers restarted, drained and disabled under load, and a
// configuration that is applied whole or not at all.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/e2e/run_program.hpp"
#include "tests/e2e/scene.hpp"

using namespace groth16d;
using namespace groth16d::e2e;
using groth16::CurveId;
using Json = nlohmann::json;

namespace {

constexpr std::uint32_t kSmall = 6;    // 2^6 rows: milliseconds
constexpr std::uint32_t kMedium = 13;  // half a second a partition

client::Client connect_operator(const client::PrivateDaemon& daemon) {
  auto client = client::Client::connect_operator(daemon.address());
  REQUIRE(client.has_value());
  return std::move(*client);
}

// The most times that any stage of any partition was begun, and the number of spans that a death or a cancel ended.
std::uint32_t most_attempts(const v1::JobStatus& job) {
  std::uint32_t most = 0;
  for (const auto& span : job.timeline()) most = std::max(most, span.attempt());
  return most;
}

// The programs in a folder of their own, so that a test may change them.
client::PrivateDaemon start_from_copies(const fs::path& folder, const fs::path& bin) {
  fs::create_directories(bin);
  for (const char* name : {"groth16d", "groth16-load", "groth16-synth", "groth16-cpu", "groth16-final"})
    fs::copy_file(program(name), bin / name);
  client::PrivateDaemonOptions options;
  options.program = bin / "groth16d";
  options.roots = {folder.string()};
  auto daemon = client::PrivateDaemon::start(options);
  INFO((daemon ? std::string() : daemon.error().text));
  REQUIRE(daemon.has_value());
  return std::move(*daemon);
}

// As a package manager does: another file under the same name.
void upgrade(const fs::path& file) {
  const fs::path next = file.string() + ".next";
  fs::copy_file(file, next);
  std::ofstream(next, std::ios::app | std::ios::binary) << '\0';
  fs::rename(next, file);
}

bool runs(std::uint32_t pid, const fs::path& file) {
  return fs::equivalent("/proc/" + std::to_string(pid) + "/exe", file);
}

v1::WorkerStatus restart(client::Client& operators, const std::string& slot, bool now) {
  client::WaitOptions options;
  options.timeout = std::chrono::minutes(2);
  auto worker = client::operate_and_wait(operators, ipc::Command::worker_restart, slot, now, options);
  INFO((worker ? std::string() : worker.error().text));
  REQUIRE(worker.has_value());
  return *worker;
}

}  // namespace

TEST_CASE("operators' verbs are refused on the clients' socket, and clients' verbs are taken on the operators'") {
  const TemporaryFolder folder;
  const auto daemon = start_daemon(folder.path());
  auto client = connect(daemon);
  auto operators = connect_operator(daemon);

  for (const auto verb : {ipc::Command::worker_restart, ipc::Command::worker_drain, ipc::Command::worker_reset,
                          ipc::Command::worker_enable, ipc::Command::worker_disable}) {
    const auto refused = client.operate(verb, "synth-0");
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().name == "protocol.not_operator");
    CHECK(refused.error().code == ErrorCode::denied);
  }
  CHECK(client.kick("nobody").error().name == "protocol.not_operator");
  CHECK(client.reload().error().name == "protocol.not_operator");
  CHECK(worker_on(client, "synth-0").epoch() == worker_on(operators, "synth-0").epoch());
  CHECK(operators.ping().has_value());
  CHECK(operators.kick("nobody").error().name == "job.unknown");
  CHECK(operators.operate(ipc::Command::worker_restart, "synth-7").error().code == ErrorCode::not_found);
  CHECK(operators.operate(ipc::Command::worker_restart, "synth").error().name == "request.slot");
  CHECK(operators.operate(ipc::Command::worker_drain, "synth-0", true).error().name == "request.now");
  CHECK(operators.reload().error().name == "config.no_file");
  const fs::path socket = daemon.address().operator_socket;
  CHECK((fs::status(socket).permissions() & fs::perms::others_all) == fs::perms::none);
}

TEST_CASE("groth16ctl restarts, drains, enables, disables and resets workers, and says when it is done") {
  const TemporaryFolder folder;
  const auto daemon = start_daemon(folder.path());
  auto client = connect(daemon);
  REQUIRE(eventually([&] { return worker_on(client, "synth-0").state() == "ready"; }));
  const auto json = [&](std::vector<std::string> arguments, int exit_code = 0) {
    arguments.insert(arguments.begin(), {"--json", "--runtime-dir", daemon.runtime_dir()});
    const auto outcome = ctl(arguments);
    INFO(outcome.err << outcome.out);
    CHECK(outcome.exit_code == exit_code);
    return Json::parse(outcome.out, nullptr, false);
  };
  const std::uint64_t epoch = worker_on(client, "synth-0").epoch();

  const Json restarted = json({"worker", "restart", "synth-0", "--wait"});
  CHECK(restarted.at("done") == true);
  CHECK(restarted.at("worker").at("epoch").get<std::uint64_t>() > epoch);
  CHECK(json({"worker", "restart", "synth-0", "--now", "--wait"}).at("worker").at("state") == "ready");
  CHECK(worker_on(client, "synth-0").restarts() == 0);  // an operator's restart counts against nobody
  CHECK(json({"worker", "drain", "synth-0", "--wait"}).at("worker").at("state") == "disabled");
  CHECK(json({"worker", "restart", "synth-0"}, 4).at("error").at("name") == "slot.resting");
  CHECK(json({"worker", "enable", "synth-0", "--wait"}).at("worker").at("state") == "ready");
  CHECK(json({"worker", "disable", "synth-0", "--wait", "--at-most", "60"}).at("worker").at("pid") == 0);
  CHECK(json({"worker", "enable", "synth-0"}).at("done") == false);
  CHECK(json({"worker", "reset", "synth-0", "--wait"}).at("worker").at("state") == "ready");
  CHECK(json({"worker", "restart", "gpu-9"}, 4).at("error").at("name") == "slot.unknown");
  CHECK(json({"job", "kick", "nobody"}, 4).at("error").at("name") == "job.unknown");
  CHECK(json({"job", "cancel", "nobody"}, 4).at("error").at("name") == "job.unknown");
  CHECK(json({"reload", "--wait"}, 4).at("error").at("name") == "config.no_file");
}

TEST_CASE("every worker gets a new program in turn under load: no job fails, and drained work is never done twice") {
  const bool now = GENERATE(false, true);
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bn254, kMedium, 2);
  const fs::path bin = folder.path() / "bin";
  const auto daemon = start_from_copies(folder.path(), bin);
  auto client = connect(daemon);
  auto operators = connect_operator(daemon);
  add_circuit(client, "load", files);
  std::vector<std::string> jobs;
  for (int number = 0; number < 12; ++number) {
    jobs.push_back("job-" + std::to_string(number));
    REQUIRE(client.submit(request_for(jobs.back(), "load", files.witnesses)).has_value());
  }
  REQUIRE(eventually([&] { return worker_on(client, "cpu-0").state() == "busy"; }));

  for (const std::string slot : {"load-0", "synth-0", "cpu-0", "final-0"}) {
    const auto before = worker_on(client, slot);
    const fs::path file = bin / ("groth16-" + slot.substr(0, slot.find('-')));
    upgrade(file);
    CHECK_FALSE(runs(before.pid(), file));
    const auto after = restart(operators, slot, now);
    CHECK(after.pid() != before.pid());
    CHECK(runs(after.pid(), file));
    CHECK(after.restarts() == before.restarts());
  }

  for (const auto& job : jobs) {
    const auto ended = wait_for(client, job);
    INFO(job << ": " << ended.failure().text());
    REQUIRE(ended.state() == v1::DONE);
    CHECK(most_attempts(ended) <= (now ? 2U : 1U));
  }
  checked_result(client, jobs.front(), files.vk);
  checked_result(client, jobs.back(), files.vk);
}

TEST_CASE("a role that is drained leaves its work waiting, and enabling it goes on with it") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bn254, kSmall, 1);
  const auto daemon = start_daemon(folder.path(), 1, 2);
  auto client = connect(daemon);
  auto operators = connect_operator(daemon);
  add_circuit(client, "rest", files);
  REQUIRE(run_job(client, request_for("before", "rest", files.witnesses)).state() == v1::DONE);
  client::WaitOptions options;
  options.timeout = std::chrono::minutes(1);
  REQUIRE(client::operate_and_wait(operators, ipc::Command::worker_drain, "cpu-1", false, options).has_value());

  REQUIRE(run_job(client, request_for("with-one", "rest", files.witnesses)).state() == v1::DONE);
  const auto ended = client.status("with-one");
  REQUIRE(ended);
  for (const auto& span : ended->timeline()) CHECK(span.slot() != "cpu-1");
  REQUIRE(client.submit(request_for("waits", "rest", files.witnesses)).has_value());
  REQUIRE(client::operate_and_wait(operators, ipc::Command::worker_enable, "cpu-1", false, options).has_value());

  CHECK(wait_for(client, "waits").state() == v1::DONE);
}
