// The order of the steps is the point of this file; each comment says what would go wrong without its step.
#include "supervisor/spawner.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/failpoint.hpp"

namespace groth16d::supervisor {
namespace {

constexpr int kFirstFreeDescriptor = 5;
constexpr int kWorkerNice = 5;  // a third of the supervisor's share of a core
// exec of a file on a local disk takes milliseconds; a child that is slower than this is left to its start deadline.
constexpr int kExecWait_ms = 2'000;

// What the child tells its parent when it does not reach exec.
enum class Step : std::uint8_t { cgroup, parent_death, descriptors, exec };

struct ExecFailure {
  Step step = Step::exec;
  int error = 0;
};

const char* to_text(Step step) {
  switch (step) {
    case Step::cgroup:
      return "joining its cgroup leaf";
    case Step::parent_death:
      return "PR_SET_PDEATHSIG";
    case Step::descriptors:
      return "placing descriptors";
    case Step::exec:
      return "exec";
  }
  return "exec";
}

// All that the child needs, made before the fork: it must not allocate.
struct Prepared {
  const char* file = nullptr;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  std::string oom_score_adj;
  int lifeline = -1;
  int words = -1;
  int cgroup_procs = -1;
  int report = -1;  // write end of the CLOEXEC pipe
  pid_t parent = 0;
  // Test builds only: the child kills its parent at this place.
  bool orphaned_before_death_signal = false;
  bool orphaned_before_exec = false;
};

Prepared prepare(const SpawnRequest& request, int report) {
  Prepared prepared;
  prepared.file = request.executable.c_str();
  prepared.arguments = {const_cast<char*>(request.executable.c_str()), nullptr};
  for (const std::string& variable : request.environment)
    prepared.environment.push_back(const_cast<char*>(variable.c_str()));
  prepared.environment.push_back(nullptr);
  prepared.oom_score_adj = std::to_string(request.oom_score_adj);
  prepared.lifeline = request.lifeline;
  prepared.words = request.words;
  prepared.cgroup_procs = request.cgroup_procs;
  prepared.report = report;
  prepared.parent = ::getpid();
  prepared.orphaned_before_death_signal = GROTH16D_FAILPOINT("spawn.orphaned_before_death_signal");
  prepared.orphaned_before_exec = GROTH16D_FAILPOINT("spawn.orphaned_before_exec");
  return prepared;
}

// ---------------------------------------------------------------- in the child: async-signal-safe calls only

[[noreturn]] void give_up(int report, Step step) {
  const ExecFailure message{step, errno};
  [[maybe_unused]] const auto written = ::write(report, &message, sizeof message);
  ::_exit(78);
}

void raise_oom_score(const std::string& value) {
  // Our parent is not dumpable, which makes /proc/self root's; exec resets this, and core files are limited to size 0.
  ::prctl(PR_SET_DUMPABLE, 1);
  // Without /proc, or below a value that only a privileged process may go under, the old score stays: a worse victim,
  // no worse proof.
  const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const auto written = ::write(file, value.data(), value.size());
  ::close(file);
}

void reset_signals() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal)
    ::sigaction(signal, &standard, nullptr);  // EINVAL for KILL, STOP and glibc's own
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// First out of the way of the targets, then onto them: a source may itself have the number 3 or 4.
bool place_descriptors(const Prepared& prepared, int& report) {
  constexpr int kAside = 10;
  const int lifeline = ::fcntl(prepared.lifeline, F_DUPFD_CLOEXEC, kAside);
  const int words = prepared.words < 0 ? -2 : ::fcntl(prepared.words, F_DUPFD_CLOEXEC, kAside);
  const int moved = ::fcntl(report, F_DUPFD_CLOEXEC, kAside);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (lifeline < 0 || words == -1 || moved < 0 || null < 0) return false;
  report = moved;
  if (::dup2(null, 0) < 0 || ::dup2(2, 1) < 0 || ::dup2(lifeline, 3) < 0) return false;
  if (words >= 0 ? ::dup2(words, 4) < 0 : (::close(4) < 0 && errno != EBADF)) return false;
  // Marked, not closed: the report pipe must live until exec.
  return ::syscall(SYS_close_range, kFirstFreeDescriptor, ~0U, CLOSE_RANGE_CLOEXEC) == 0;
}

[[noreturn]] void become_worker(const Prepared& prepared) {
  int report = prepared.report;
  // First of all: what it touches from here on is charged to its leaf, and it never works outside its limit.
  if (prepared.cgroup_procs >= 0 && ::write(prepared.cgroup_procs, "0", 1) != 1) give_up(report, Step::cgroup);
  raise_oom_score(prepared.oom_score_adj);
  if (prepared.orphaned_before_death_signal) ::kill(prepared.parent, SIGKILL);
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up(report, Step::parent_death);
  // The parent may have died before the line above: then nobody will ever send that signal.
  if (::getppid() != prepared.parent) ::_exit(70);
  // A process group of its own: Ctrl-C on a terminal reaches the supervisor, which drains its workers.
  ::setpgid(0, 0);
  // Where every core proves, whoever asks the supervisor would wait for a time slice: its answers come first.
  ::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + kWorkerNice);
  reset_signals();
  if (!place_descriptors(prepared, report)) give_up(report, Step::descriptors);
  if (prepared.orphaned_before_exec) ::kill(prepared.parent, SIGKILL);
  ::execve(prepared.file, prepared.arguments.data(), prepared.environment.data());
  give_up(report, Step::exec);
}

// ---------------------------------------------------------------- in the parent

Error system_error(const char* name, const std::string& what) {
  return {ErrorCode::system, name, fmt::format("{}: {}", what, std::strerror(errno))};
}

// End of file: exec happened and closed the pipe. Nothing in time: the start deadline decides.
std::optional<ExecFailure> read_report(int pipe) {
  pollfd readable{pipe, POLLIN, 0};
  int ready = 0;
  do ready = ::poll(&readable, 1, kExecWait_ms);
  while (ready < 0 && errno == EINTR);
  ExecFailure message;
  if (ready <= 0 || ::read(pipe, &message, sizeof message) != sizeof message) return std::nullopt;
  return message;
}

int open_pidfd(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

}  // namespace

std::string ExitStatus::text() const {
  if (!by_signal) return fmt::format("exit {}", code);
  const char* name = ::sigabbrev_np(code);
  return fmt::format("SIG{}", name == nullptr ? std::to_string(code) : name);
}

Result<Child> ProcessSpawner::spawn(const SpawnRequest& request) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return tl::unexpected(system_error("spawn.fork", "pipe"));
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  const Prepared prepared = prepare(request, write_end.get());

  // No handler of ours may run in the child, so every signal waits until the child has reset them.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  if (pid == 0) become_worker(prepared);
  const int fork_error = errno;
  // Our unreaped child: its number cannot be another's yet.
  const int pidfd = pid > 0 ? open_pidfd(pid) : -1;
  const int pidfd_error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);

  if (pid < 0) {
    errno = fork_error;
    return tl::unexpected(system_error("spawn.fork", "fork"));
  }
  if (pidfd < 0) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    errno = pidfd_error;
    return tl::unexpected(system_error("spawn.pidfd", "pidfd_open"));
  }
  Child child{pid, UniqueFd(pidfd)};
  write_end.reset();
  if (const auto report = read_report(read_end.get())) {
    ::waitpid(pid, nullptr, 0);
    errno = report->error;
    return tl::unexpected(
        system_error("spawn.exec", fmt::format("{}: {}", request.executable.string(), to_text(report->step))));
  }
  return child;
}

Result<void> ProcessSpawner::kill(const Child& child, int signal) {
  if (::syscall(SYS_pidfd_send_signal, child.pidfd.get(), signal, nullptr, 0) == 0 || errno == ESRCH) return {};
  return tl::unexpected(system_error("spawn.kill", fmt::format("pidfd_send_signal to {}", child.pid)));
}

Result<ExitStatus> ProcessSpawner::reap(const Child& child) {
  siginfo_t info{};
  int status = 0;
  do status = ::waitid(static_cast<idtype_t>(P_PIDFD), static_cast<id_t>(child.pidfd.get()), &info, WEXITED | WNOHANG);
  while (status != 0 && errno == EINTR);
  if (status != 0) return tl::unexpected(system_error("spawn.reap", fmt::format("waitid of {}", child.pid)));
  if (info.si_pid == 0) return failure(ErrorCode::busy, "spawn.alive", fmt::format("process {} still runs", child.pid));
  return ExitStatus{info.si_code != CLD_EXITED, info.si_status};
}

}  // namespace groth16d::supervisor
