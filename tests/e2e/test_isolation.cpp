// Memory pressure takes a worker, never the daemon: a worker over its own limit dies alone, and pressure in the cgroup
// that all share takes them in the order of what is cheapest to do again.
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/e2e/run_program.hpp"
#include "tests/e2e/scene.hpp"
#include "tests/memory_cgroup.hpp"

using namespace groth16d;
using namespace groth16d::e2e;
using groth16::CurveId;

namespace {

constexpr std::uint32_t kSmall = 6;
constexpr std::uint32_t kLarge = 15;  // some seconds in the prove stage
constexpr std::uint32_t kHeavy = 17;  // more than 16 MiB while it is loaded
constexpr std::uint64_t kMiB = 1 << 20;

client::PrivateDaemon start_in(const MemoryCgroup& cgroup, const fs::path& root, const std::string& further,
                               std::uint32_t cpu) {
  std::ofstream(root / "groth16d.toml") << "cgroup = \"" << cgroup.folder().string() << "\"\nbudget = \"2 GiB\"\n"
                                        << further;
  client::PrivateDaemonOptions options;
  options.program = program("groth16d");
  options.roots = {root.string()};
  options.config_file = root / "groth16d.toml";
  options.cpu = cpu;
  auto daemon = client::PrivateDaemon::start(options);
  INFO((daemon ? std::string() : daemon.error().text));
  REQUIRE(daemon.has_value());
  return std::move(*daemon);
}

std::uint32_t attempts(const v1::JobStatus& job, const std::string& stage) {
  std::uint32_t most = 0;
  for (const auto& span : job.timeline())
    if (span.stage() == stage) most = std::max(most, span.attempt());
  return most;
}

}  // namespace

TEST_CASE("a worker over its own limit is killed alone, and its stage is done again") {
  const auto cgroup = memory_cgroup_or_skip();
  if (!cgroup) return;
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bn254, kLarge, 1);
  const auto daemon = start_in(*cgroup, folder.path(), "worker_memory_max = \"192 MiB\"\n", 1);
  auto client = connect(daemon);
  add_circuit(client, "large", files);
  REQUIRE(client.submit(request_for("pressed", "large", files.witnesses)).has_value());
  REQUIRE(eventually([&] { return worker_on(client, "cpu-0").stage() == "prove"; }));
  const auto before = worker_on(client, "cpu-0");
  const auto synth = worker_on(client, "synth-0");
  const auto final = worker_on(client, "final-0");
  CHECK(before.leaf_limit_bytes() == 192 * kMiB);
  {
    const Fillers fillers(cgroup->folder() / "cpu-0", 192 * kMiB, static_cast<pid_t>(before.pid()), Fillers::kAtOnce);
    REQUIRE(eventually([&] { return worker_on(client, "cpu-0").epoch() > before.epoch(); }, std::chrono::minutes(1)));
  }
  CHECK_THAT(worker_on(client, "cpu-0").last_death(), Catch::StartsWith("oom (signal 9), peak "));
  CHECK(worker_on(client, "synth-0").pid() == synth.pid());
  CHECK(worker_on(client, "final-0").pid() == final.pid());

  const auto ended = wait_for(client, "pressed");
  INFO(ended.failure().text());
  REQUIRE(ended.state() == v1::DONE);
  CHECK(attempts(ended, "prove") >= 2);
  CHECK(attempts(ended, "synth") == 1);
  checked_result(client, "pressed", files.vk);
}

TEST_CASE("a circuit that no loader can hold fails as such, and the next job is proven") {
  const auto cgroup = memory_cgroup_or_skip();
  if (!cgroup) return;
  const TemporaryFolder folder;
  const auto large = make_circuit(folder.path() / "large", CurveId::bls12_381, kHeavy, 1);
  const auto small = make_circuit(folder.path() / "small", CurveId::bn254, kSmall, 1);
  const auto daemon = start_in(*cgroup, folder.path(), "worker_memory_max = \"16 MiB\"\n", 2);
  auto client = connect(daemon);
  add_circuit(client, "small", small);
  REQUIRE(run_job(client, request_for("before", "small", small.witnesses)).state() == v1::DONE);
  add_circuit(client, "large", large);

  const auto ended = run_job(client, request_for("heavy", "large", large.witnesses));

  INFO(ended.failure().text());
  CHECK(ended.state() == v1::FAILED);
  CHECK(ended.failure().text() == "loading circuit large ended 3 workers");
  std::string deaths;
  const auto workers = client.workers();
  REQUIRE(workers);
  for (const auto& one : *workers) deaths += one.last_death() + "\n";
  CHECK(deaths.find("oom (signal 9)") != std::string::npos);
  CHECK(run_job(client, request_for("after", "small", small.witnesses)).state() == v1::DONE);
}

TEST_CASE("pressure in the common cgroup takes synth, then final, then prove, and never the supervisor") {
  const auto cgroup = memory_cgroup_or_skip();
  if (!cgroup) return;
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bn254, kSmall, 1);
  auto daemon = start_in(*cgroup, folder.path(), "worker_memory_max = \"1 GiB\"\n", 1);
  auto client = connect(daemon);
  add_circuit(client, "small", files);
  REQUIRE(run_job(client, request_for("before", "small", files.witnesses)).state() == v1::DONE);
  // The daemon too: it was started outside.
  std::ofstream(cgroup->folder() / "cgroup.procs") << daemon.pid() << std::flush;
  const auto pid = client.daemon_status()->pid();
  const auto synth = worker_on(client, "synth-0"), final = worker_on(client, "final-0"),
             cpu = worker_on(client, "cpu-0");
  const KernelLog kernel;
  if (!kernel.readable()) {
    WARN("skipped: the kernel's log cannot be read");
    return;
  }
  constexpr std::uint64_t kLimit = 256 * kMiB;
  REQUIRE(cgroup->limit(kLimit));
  fs::create_directory(cgroup->folder() / "filler");
  {
    const Fillers fillers(cgroup->folder() / "filler", kLimit + 24 * kMiB, static_cast<pid_t>(cpu.pid()),
                          Fillers::kInOrder);
    const auto died = [&](const char* slot) {
      return daemon.log().find(slot + std::string(": pid")) != std::string::npos;
    };
    const bool all_died =
        eventually([&] { return died("synth-0") && died("final-0") && died("cpu-0"); }, std::chrono::minutes(1));
    INFO(daemon.log());
    REQUIRE(all_died);
  }
  const std::string daemon_log = daemon.log(), kernel_log = kernel.take();
  INFO(daemon_log << kernel_log);
  const auto first_death = [&](const v1::WorkerStatus& worker) {
    const auto place = daemon_log.find(worker.slot() + ": pid");
    REQUIRE(place != std::string::npos);
    CHECK(daemon_log.substr(place, daemon_log.find('\n', place) - place).find("oom (signal 9)") != std::string::npos);
    const auto killed = kernel_log.find("Killed process " + std::to_string(worker.pid()) + " ");
    REQUIRE(killed != std::string::npos);
    return killed;
  };
  CHECK(first_death(synth) < first_death(final));
  CHECK(first_death(final) < first_death(cpu));
  CHECK(client.daemon_status()->pid() == pid);

  CHECK(run_job(client, request_for("after", "small", files.witnesses)).state() == v1::DONE);
  daemon.stop();
  fs::remove(cgroup->folder() / "filler");
  for (const auto& entry : fs::directory_iterator(cgroup->folder())) CHECK_FALSE(entry.is_directory());
}
