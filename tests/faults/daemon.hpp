// Daemon: groth16d on folders that outlive its process, so that a test may kill it and start it again; and the
// questions about workers, memory and jobs that fault tests ask.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/lib/client.hpp"
#include "tests/e2e/scene.hpp"
#include "tests/faults/kernel_view.hpp"
#include "tests/faults/program_folder.hpp"

namespace groth16d::faults {

using e2e::eventually;
using e2e::TemporaryFolder;

// A configuration file, as a test needs it: short deadlines, so that a frozen worker is found in a second, and one
// thread a worker, so that memory does not hang on the machine's cores.
struct Settings {
  std::string budget = "2 GiB";
  std::uint32_t synth = 1, cpu = 1, final = 1, gpu = 0;
  std::vector<std::string> cards;  // UUIDs, one a GPU slot
  std::string b_g2 = "auto";
  std::string card_memory_max = "auto";
  std::map<std::string, std::string> deadlines = {{"heartbeat", "100 ms"}, {"heartbeat_timeout", "1500 ms"}};
  std::vector<std::string> lines;  // further lines before the tables
};

class Daemon {
 public:
  // `root`: where the files lie that jobs may name.
  Daemon(const ProgramFolder& programs, const fs::path& root, Settings settings = {});
  ~Daemon();  // SIGKILL, if it runs
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Starts it with these variables ("NAME=value") in its environment, and returns when it listens.
  void start(const std::vector<std::string>& environment = {});
  // The same for one that is not expected to listen.
  void launch(const std::vector<std::string>& environment = {});
  // Rewrites the configuration file; for the next start.
  void configure(const Settings& settings);

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  bool is_running();
  // Its exit code, or 128 + the signal. Fails the test after a generous while.
  int wait();
  // SIGKILL, and waits until it and its children are gone.
  void kill();
  // SIGTERM; the exit code.
  int stop();

  fs::path state_dir() const { return folder_.path() / "state"; }
  fs::path runtime_dir() const { return folder_.path() / "run"; }
  fs::path config_file() const { return folder_.path() / "groth16d.toml"; }
  std::string log() const;

  client::Client client(std::uint64_t timeout_ms = 30'000) const;

 private:
  const ProgramFolder& programs_;
  const fs::path root_;
  TemporaryFolder folder_;
  pid_t pid_ = -1;
};

// A folder in which a failpoint that fires once among all processes leaves its mark.
class Marks {
 public:
  // "GROTH16D_FAILPOINTS=..." and the folder of the marks.
  std::vector<std::string> environment(const std::string& failpoints) const;
  bool fired(const std::string& failpoint) const;
  void await(const std::string& failpoint) const;

 private:
  TemporaryFolder folder_;
};

v1::DaemonStatus daemon_status(client::Client& client);
using e2e::worker_on;
// Waits until the slot works at this stage of this job, and says who does.
v1::WorkerStatus await_stage(client::Client& client, const std::string& slot, const std::string& job,
                             const std::string& stage);
// Waits until the slot has a process that is not `before`, ready for work.
v1::WorkerStatus await_successor(client::Client& client, const v1::WorkerStatus& before);
void await_resident(client::Client& client, const std::string& circuit);

// The spans of a stage in a job's timeline, by outcome: {"died", "done"}.
std::vector<std::string> outcomes(const v1::JobStatus& job, const std::string& stage);

// Bytes of a kind of buffer in the daemon's own count.
std::uint64_t counted_bytes(const v1::DaemonStatus& status, const std::string& kind);

// What is resident when nothing is in flight: to be the same before and after.
struct Resident {
  std::uint64_t budget_used_bytes = 0;
  std::uint64_t memfd_bytes = 0;
  friend bool operator==(const Resident&, const Resident&) = default;
};
Resident resident(const Daemon& daemon, client::Client& client);
// Waits until what is resident is `before` again.
void await_memory_back(const Daemon& daemon, client::Client& client, const Resident& before);

}  // namespace groth16d::faults
