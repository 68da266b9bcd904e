// One message is one line with the right priority, whatever a client put into it.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "common/log.hpp"

using namespace groth16d;

namespace {

// What a child writes to stderr.
template <class Body>
std::string stderr_of(Body body) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    body();
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; (got = ::read(ends[0], piece.data(), piece.size())) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return text;
}

}  // namespace

TEST_CASE("under systemd a line begins with its syslog priority") {
  const std::string text = stderr_of([] {
    ::setenv("JOURNAL_STREAM", "8:1", 1);
    start_log({"synth-0", "info"});
    spdlog::info("{} sealed", JobTag{"j1", 3});
    spdlog::warn("{} late", JobTag{"j2"});
    spdlog::debug("not shown");
  });
  CHECK(text == "<6>synth-0: job=j1 partition=3 sealed\n<4>synth-0: job=j2 late\n");
}

TEST_CASE("elsewhere a line begins with its time") {
  const std::string text = stderr_of([] {
    ::unsetenv("JOURNAL_STREAM");
    start_log({"gpu-0", "debug"});
    spdlog::debug("shown");
  });
  CHECK_THAT(text,
             Catch::Matchers::Matches("20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3} debug gpu-0: shown\n"));
}

TEST_CASE("a text with line breaks cannot forge a line") {
  const std::string text = stderr_of([] {
    ::setenv("JOURNAL_STREAM", "8:1", 1);
    start_log({"groth16d", "nonsense"});
    spdlog::error("bad name {}", "x\n<0>groth16d: forged\x1b[2J");
  });
  CHECK(text == "<3>groth16d: bad name x <0>groth16d: forged [2J\n");
}
