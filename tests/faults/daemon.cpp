#include "tests/faults/daemon.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <thread>

namespace groth16d::faults {
namespace {

using std::chrono::milliseconds;

// Watchdogs, not measurements: under sanitizers and four other tests everything takes its time.
constexpr std::chrono::minutes kPatience{2};

std::string quoted(const fs::path& path) { return "\"" + path.string() + "\""; }

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Ours, without what would arm a failpoint there.
std::vector<std::string> environment_with(const std::vector<std::string>& more) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    if (!text.starts_with("GROTH16D_FAILPOINT") && !text.starts_with("NOTIFY_SOCKET=")) variables.push_back(text);
  }
  variables.insert(variables.end(), more.begin(), more.end());
  return variables;
}

}  // namespace

Daemon::Daemon(const ProgramFolder& programs, const fs::path& root, Settings settings)
    : programs_(programs), root_(root) {
  configure(settings);
}

Daemon::~Daemon() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

void Daemon::configure(const Settings& settings) {
  std::ofstream file(config_file());
  file << "state_dir = " << quoted(state_dir()) << "\nruntime_dir = " << quoted(runtime_dir()) << "\nroots = ["
       << quoted(root_) << "]\nbudget = \"" << settings.budget << "\"\n";
  for (const std::string& line : settings.lines) file << line << '\n';
  file << "[slots]\nsynth = " << settings.synth << "\ncpu = " << settings.cpu << "\nfinal = " << settings.final
       << "\ngpu = " << settings.gpu << "\n[threads]\nload = 1\nsynth = 1\ncpu = 1\nfinal = 1\n[gpu]\ndevices = [";
  for (const std::string& card : settings.cards) file << quoted(card) << ", ";
  file << "]\nb_g2 = " << quoted(settings.b_g2) << "\nmemory_max = " << quoted(settings.card_memory_max)
       << "\n[deadlines]\n";
  for (const auto& [name, value] : settings.deadlines) file << name << " = \"" << value << "\"\n";
  REQUIRE(file.flush());
}

void Daemon::launch(const std::vector<std::string>& environment) {
  REQUIRE(pid_ < 0);
  std::vector<std::string> words{programs_.daemon().string(), "--config", config_file().string()};
  std::vector<std::string> variables = environment_with(environment);
  const auto argv = pointers_to(words), envp = pointers_to(variables);
  const std::string log_file = (folder_.path() / "log").string();
  pid_ = ::fork();
  REQUIRE(pid_ >= 0);
  if (pid_ > 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int log = ::open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::close_range(STDERR_FILENO + 1, ~0U, 0);
  ::execve(argv[0], argv.data(), envp.data());
  ::_exit(127);
}

void Daemon::start(const std::vector<std::string>& environment) {
  launch(environment);
  const client::Address address = client::address_in(runtime_dir().string());
  const bool listens = eventually([&] { return client::is_listening(address) || !is_running(); }, kPatience);
  INFO(log());
  REQUIRE(listens);
  REQUIRE(is_running());
}

void Daemon::signal(int number) const {
  REQUIRE(pid_ > 0);  // or it would reach processes of others
  REQUIRE(::kill(pid_, number) == 0);
}

bool Daemon::is_running() { return pid_ > 0 && is_alive(pid_); }

int Daemon::wait() {
  int status = 0;
  const bool ended = eventually([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; }, kPatience);
  INFO(log());
  REQUIRE(ended);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void Daemon::kill() {
  signal(SIGKILL);
  REQUIRE(wait() == 128 + SIGKILL);
  REQUIRE(eventually([&] { return programs_.processes().empty(); }, kPatience));
}

int Daemon::stop() {
  signal(SIGTERM);
  return wait();
}

std::string Daemon::log() const {
  std::stringstream text;
  text << std::ifstream(folder_.path() / "log").rdbuf();
  return text.str();
}

client::Client Daemon::client(std::uint64_t timeout_ms) const {
  auto connected = client::Client::connect(client::address_in(runtime_dir().string()), timeout_ms);
  REQUIRE(connected.has_value());
  return std::move(*connected);
}

std::vector<std::string> Marks::environment(const std::string& failpoints) const {
  return {"GROTH16D_FAILPOINTS=" + failpoints, "GROTH16D_FAILPOINT_MARKS=" + folder_.path().string()};
}

bool Marks::fired(const std::string& failpoint) const { return fs::exists(folder_.path() / failpoint); }

void Marks::await(const std::string& failpoint) const {
  INFO("failpoint " << failpoint);
  REQUIRE(eventually([&] { return fired(failpoint); }, kPatience));
}

v1::DaemonStatus daemon_status(client::Client& client) {
  const auto status = client.daemon_status();
  INFO((status ? std::string() : status.error().text));
  REQUIRE(status.has_value());
  return *status;
}

v1::WorkerStatus await_stage(client::Client& client, const std::string& slot, const std::string& job,
                             const std::string& stage) {
  v1::WorkerStatus found;
  INFO("stage " << stage << " of job " << job << " on " << slot);
  REQUIRE(eventually(
      [&] {
        found = worker_on(client, slot);
        return found.job() == job && found.stage() == stage;
      },
      kPatience));
  return found;
}

v1::WorkerStatus await_successor(client::Client& client, const v1::WorkerStatus& before) {
  v1::WorkerStatus found;
  INFO("a successor on " << before.slot());
  REQUIRE(eventually(
      [&] {
        found = worker_on(client, before.slot());
        return found.epoch() > before.epoch() && (found.state() == "ready" || found.state() == "busy");
      },
      kPatience));
  return found;
}

void await_resident(client::Client& client, const std::string& circuit) {
  REQUIRE(eventually(
      [&] {
        const auto circuits = client.circuits(circuit);
        return circuits && circuits->size() == 1 && circuits->front().state() == "resident";
      },
      kPatience));
}

std::vector<std::string> outcomes(const v1::JobStatus& job, const std::string& stage) {
  std::vector<std::string> found;
  for (const auto& span : job.timeline())
    if (span.stage() == stage) found.push_back(span.outcome());
  return found;
}

std::uint64_t counted_bytes(const v1::DaemonStatus& status, const std::string& kind) {
  std::uint64_t bytes = 0;
  for (const auto& buffer : status.buffers())
    if (buffer.kind() == kind) bytes += buffer.bytes();
  return bytes;
}

Resident resident(const Daemon& daemon, client::Client& client) {
  return {daemon_status(client).budget_used_bytes(), sum_of(memfds_of(daemon.pid()))};
}

void await_memory_back(const Daemon& daemon, client::Client& client, const Resident& before) {
  Resident now;
  const bool same = eventually(
      [&] {
        now = resident(daemon, client);
        return now == before;
      },
      kPatience);
  CHECK(now.budget_used_bytes == before.budget_used_bytes);
  CHECK(now.memfd_bytes == before.memfd_bytes);
  CHECK(same);
}

}  // namespace groth16d::faults
