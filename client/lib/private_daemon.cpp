#include "client/lib/private_daemon.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <utility>

#include "common/posix.hpp"

namespace groth16d::client {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPollPause{2};
constexpr milliseconds kStopPatience{10'000};  // a daemon without jobs stops in milliseconds
constexpr off_t kLogTailBytes = off_t{64} << 10;

std::string log_path(const std::string& folder) { return folder + "/log"; }

// Mode 0700 by mkdtemp. Short, because a socket's path may have 107 bytes.
Result<std::string> make_folder() {
  const char* base = std::getenv("TMPDIR");
  std::string folder = std::string(base != nullptr && *base != '\0' ? base : "/tmp") + "/groth16d-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return system_failure("mkdtemp", folder);
  for (const char* part : {"/state", "/run"}) {
    if (::mkdir((folder + part).c_str(), 0700) != 0) return system_failure("mkdir", folder + part);
  }
  return folder;
}

std::vector<std::string> arguments(const PrivateDaemonOptions& options, const std::string& folder) {
  std::vector<std::string> words = {options.program,   "--private",     "--state-dir",
                                    folder + "/state", "--runtime-dir", folder + "/run"};
  if (!options.config_file.empty()) words.insert(words.end(), {"--config", options.config_file});
  if (options.one_shot) words.emplace_back("--one-shot");
  for (const auto& root : options.roots) words.insert(words.end(), {"--root", root});
  words.insert(words.end(), {"--synth", std::to_string(options.synth), "--cpu", std::to_string(options.cpu), "--final",
                             std::to_string(options.final)});
  return words;
}

// In the child: async-signal-safe calls only. The daemon ends with its owner, and a Ctrl-C is the owner's to handle.
[[noreturn]] void become_daemon(const std::vector<char*>& argv, int log_fd, pid_t owner) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != owner) ::_exit(1);
  ::setpgid(0, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int null_fd = ::open("/dev/null", O_RDONLY);
  ::dup2(null_fd, STDIN_FILENO);
  ::dup2(log_fd, STDOUT_FILENO);
  ::dup2(log_fd, STDERR_FILENO);
  ::close_range(STDERR_FILENO + 1, ~0U, 0);
  ::execv(argv[0], argv.data());
  static constexpr char kMessage[] = "groth16d cannot be executed\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  ::_exit(127);
}

Result<pid_t> spawn(const PrivateDaemonOptions& options, const std::string& folder) {
  auto log = open_file(log_path(folder), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (!log) return tl::unexpected<Error>(log.error());
  std::vector<std::string> words = arguments(options, folder);
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t owner = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return system_failure("fork", options.program);
  if (pid == 0) become_daemon(argv, log->get(), owner);
  return pid;
}

void remove_folder(const std::string& folder) {
  std::error_code ignored;  // what cannot be removed is in a temporary folder of this user
  fs::remove_all(folder, ignored);
}

}  // namespace

Result<std::string> companion_program(const std::string& name) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return system_failure("readlink", "/proc/self/exe", error.value());
  const fs::path beside = self.parent_path();
  const fs::path installed = beside.parent_path() / "libexec" / "groth16d";
  for (const fs::path& folder : {beside, installed})
    if (fs::exists(folder / name, error)) return (folder / name).string();
  return failure(ErrorCode::unavailable, "program.absent",
                 name + ": neither in " + beside.string() + " nor in " + installed.string() +
                     "; it is part of the package groth16d or groth16d-client");
}

Result<PrivateDaemon> PrivateDaemon::start(const PrivateDaemonOptions& options) {
  auto folder = make_folder();
  if (!folder) return tl::unexpected<Error>(folder.error());
  auto pid = spawn(options, *folder);
  if (!pid) {
    remove_folder(*folder);
    return tl::unexpected<Error>(pid.error());
  }
  PrivateDaemon daemon(*folder, *pid);
  if (auto ready = daemon.wait_until_listening(options.start_timeout); !ready) {
    return tl::unexpected<Error>(ready.error());
  }
  return daemon;
}

PrivateDaemon::PrivateDaemon(PrivateDaemon&& other) noexcept
    : stopping_(other.stopping_), folder_(std::exchange(other.folder_, {})), pid_(std::exchange(other.pid_, -1)) {}

PrivateDaemon::~PrivateDaemon() { stop(); }

Address PrivateDaemon::address() const { return address_in(runtime_dir()); }

bool PrivateDaemon::has_exited() {
  if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
  return pid_ < 0;
}

Result<void> PrivateDaemon::wait_until_listening(milliseconds timeout) {
  const auto end = Clock::now() + timeout;
  while (!is_listening(address())) {
    const bool exited = has_exited();
    if (exited || Clock::now() >= end) {
      return failure(ErrorCode::unavailable, "private_daemon.start",
                     std::string("the private groth16d ") +
                         (exited ? "ended before it was ready:\n" : "did not get ready in time:\n") + log());
    }
    std::this_thread::sleep_for(kPollPause);
  }
  return {};
}

std::string PrivateDaemon::log() const {
  auto file = open_file(log_path(folder_), O_RDONLY);
  if (!file) return {};
  const off_t size = ::lseek(file->get(), 0, SEEK_END);
  ::lseek(file->get(), std::max<off_t>(0, size - kLogTailBytes), SEEK_SET);
  std::string text(static_cast<std::size_t>(std::clamp<off_t>(size, 0, kLogTailBytes)), '\0');
  const ssize_t got = ::read(file->get(), text.data(), text.size());
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

void PrivateDaemon::begin_stop() {
  if (has_exited() || std::exchange(stopping_, true)) return;
  // The second signal ends the drain that the first begins: nobody is left who wants its jobs. Two of one kind could
  // arrive as one.
  ::kill(pid_, SIGTERM);
  ::kill(pid_, SIGINT);
}

void PrivateDaemon::stop() {
  if (!has_exited()) {
    begin_stop();
    const auto end = Clock::now() + kStopPatience;
    while (!has_exited() && Clock::now() < end) std::this_thread::sleep_for(kPollPause);
  }
  if (!has_exited()) {
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
  }
  if (!folder_.empty()) remove_folder(std::exchange(folder_, {}));
}

}  // namespace groth16d::client
