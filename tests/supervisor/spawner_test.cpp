// A child is born with exactly what it was given, never outlives its parent, and its death is seen once.
#include <catch2/catch.hpp>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/spawner.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;

namespace {

struct Pair {
  UniqueFd ours;
  UniqueFd theirs;
};

Pair make_pair_of_ends() {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

SpawnRequest probe(int lifeline, const std::string& wish) {
  SpawnRequest request;
  request.executable = SPAWN_PROBE;
  request.environment = {"WISH=" + wish, "GROTH16D_SLOT=synth-0"};
  request.oom_score_adj = 700;
  request.lifeline = lifeline;
  return request;
}

bool readable_within(int descriptor, int timeout_ms) {
  pollfd item{descriptor, POLLIN, 0};
  return ::poll(&item, 1, timeout_ms) == 1;
}

std::string hear(int lifeline) {
  std::string text(4096, '\0');
  if (!readable_within(lifeline, 10'000)) return {};
  const ssize_t got = ::recv(lifeline, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

bool has(const std::string& report, const std::string& line) { return report.find(line + "\n") != std::string::npos; }

}  // namespace

TEST_CASE(
    "a child has its five descriptors, default signals, its own environment, a lower priority and a raised OOM score") {
  const Pair lifeline = make_pair_of_ends();
  const UniqueFd words(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const UniqueFd leaked(::open("/dev/null", O_RDWR));  // not close-on-exec: close_range must take it
  SpawnRequest request = probe(lifeline.theirs.get(), "");
  request.words = words.get();
  sigset_t term;
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &term, nullptr);
  const auto ignored = std::signal(SIGPIPE, SIG_IGN);

  ProcessSpawner spawner;
  const auto child = spawner.spawn(request);
  std::signal(SIGPIPE, ignored);
  sigset_t now;
  ::pthread_sigmask(SIG_UNBLOCK, &term, &now);

  REQUIRE(child);
  CHECK(::sigismember(&now, SIGTERM) == 1);  // the parent's mask is as it was
  const std::string report = hear(lifeline.ours.get());
  CHECK(has(report, "fds 0 1 2 3 4"));
  CHECK(has(report, "pdeathsig 9"));
  CHECK(has(report, "term_blocked 0"));
  CHECK(has(report, "pipe_default 1"));
  CHECK(has(report, "oom 700"));
  CHECK(has(report, "nice " + std::to_string(::getpriority(PRIO_PROCESS, 0) + 5)));
  CHECK(has(report, "variables 2"));
  REQUIRE(readable_within(child->pidfd.get(), 10'000));
  REQUIRE(spawner.reap(*child));
}

TEST_CASE("descriptors that already have the numbers 3 and 4, the wrong way round, still arrive in their places") {
  const Pair lifeline = make_pair_of_ends();
  const UniqueFd words(::open("/dev/zero", O_RDWR | O_CLOEXEC));
  const int kept3 = ::fcntl(3, F_DUPFD_CLOEXEC, 100);
  const int kept4 = ::fcntl(4, F_DUPFD_CLOEXEC, 100);
  const int theirs = ::fcntl(lifeline.theirs.get(), F_DUPFD_CLOEXEC, 100);
  const int ours = ::fcntl(lifeline.ours.get(), F_DUPFD_CLOEXEC, 100);
  const int zero = ::fcntl(words.get(), F_DUPFD_CLOEXEC, 100);
  REQUIRE(::dup3(theirs, 4, O_CLOEXEC) == 4);
  REQUIRE(::dup3(zero, 3, O_CLOEXEC) == 3);
  SpawnRequest request = probe(4, "");
  request.words = 3;
  ProcessSpawner spawner;
  const auto child = spawner.spawn(request);
  const std::string report = hear(ours);
  if (kept3 >= 0) ::dup3(kept3, 3, O_CLOEXEC);
  if (kept4 >= 0) ::dup3(kept4, 4, O_CLOEXEC);
  for (const int descriptor : {kept3, kept4, theirs, ours, zero}) ::close(descriptor);
  REQUIRE(child);
  CHECK(has(report, "fds 0 1 2 3 4"));
  REQUIRE(readable_within(child->pidfd.get(), 10'000));
  REQUIRE(spawner.reap(*child));
}

TEST_CASE("an executable that cannot be run is reported with its name and leaves no process") {
  const Pair lifeline = make_pair_of_ends();
  SpawnRequest request = probe(lifeline.theirs.get(), "");
  request.executable = "/nonexistent/groth16-synth";
  ProcessSpawner spawner;
  const auto child = spawner.spawn(request);
  REQUIRE_FALSE(child);
  CHECK(child.error().name == "spawn.exec");
  CHECK(child.error().text.find("/nonexistent/groth16-synth") != std::string::npos);
  CHECK(child.error().text.find("No such file") != std::string::npos);
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(errno == ECHILD);
}

TEST_CASE("the pidfd fires at a death, the exit code and the signal are told apart, and a second reap finds nothing") {
  ProcessSpawner spawner;
  const Pair first = make_pair_of_ends();
  const auto exits = spawner.spawn(probe(first.theirs.get(), ""));
  REQUIRE(exits);
  REQUIRE(readable_within(exits->pidfd.get(), 10'000));
  const auto status = spawner.reap(*exits);
  REQUIRE(status);
  CHECK_FALSE(status->by_signal);
  CHECK(status->code == 69);
  CHECK(status->text() == "exit 69");
  CHECK_FALSE(spawner.reap(*exits));
  CHECK(spawner.kill(*exits, SIGKILL));  // a dead process is no error

  const Pair second = make_pair_of_ends();
  const auto dies = spawner.spawn(probe(second.theirs.get(), "abort"));
  REQUIRE(dies);
  REQUIRE(readable_within(dies->pidfd.get(), 10'000));
  const auto signal = spawner.reap(*dies);
  REQUIRE(signal);
  CHECK(signal->by_signal);
  CHECK(signal->code == SIGKILL);
  CHECK(signal->text() == "SIGKILL");
}

TEST_CASE("a child that lives is not reaped, and dies by our signal") {
  const Pair lifeline = make_pair_of_ends();
  ProcessSpawner spawner;
  const auto child = spawner.spawn(probe(lifeline.theirs.get(), "stay"));
  REQUIRE(child);
  REQUIRE_FALSE(hear(lifeline.ours.get()).empty());
  const auto early = spawner.reap(*child);
  REQUIRE_FALSE(early);
  CHECK(early.error().code == ErrorCode::busy);
  REQUIRE(spawner.kill(*child, SIGKILL));
  REQUIRE(readable_within(child->pidfd.get(), 10'000));
  CHECK(spawner.reap(*child)->code == SIGKILL);
}

TEST_CASE("a child never outlives a parent that was killed") {
  Pair lifeline = make_pair_of_ends();
  const pid_t parent = ::fork();
  if (parent == 0) {
    ProcessSpawner spawner;
    const auto child = spawner.spawn(probe(lifeline.theirs.get(), "stay"));
    ::pause();
    ::_exit(child ? 0 : 1);
  }
  REQUIRE_FALSE(hear(lifeline.ours.get()).empty());  // the grandchild lives
  lifeline.theirs.reset();
  REQUIRE(::kill(parent, SIGKILL) == 0);
  REQUIRE(::waitpid(parent, nullptr, 0) == parent);
  // Its end of the lifeline closes with its death.
  REQUIRE(readable_within(lifeline.ours.get(), 1'000));
  char byte = 0;
  CHECK(::recv(lifeline.ours.get(), &byte, 1, 0) == 0);
}
