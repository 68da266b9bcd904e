// Failpoints fire when they are told to. The functions are tested directly: they exist in every build, the macro's
// calls only in test builds.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "common/clock.hpp"
#include "common/failpoint.hpp"
#include "tests/temporary_directory.hpp"

using namespace groth16d;

namespace {

// How a child that hits `name` ends, as waitpid says.
int status_of_child_hitting(const char* name) {
  const pid_t child = ::fork();
  if (child == 0) {
    static_cast<void>(failpoint_hit(name));
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("a failpoint fires at its n-th hit and not again") {
  REQUIRE(arm_failpoints("a=error@3;b=error"));
  CHECK_FALSE(failpoint_hit("a"));
  CHECK_FALSE(failpoint_hit("a"));
  CHECK(failpoint_hit("a"));
  CHECK_FALSE(failpoint_hit("a"));
  CHECK(failpoint_hit("b"));
  CHECK_FALSE(failpoint_hit("b"));
  CHECK_FALSE(failpoint_hit("unarmed"));
}

TEST_CASE("with a plus it fires at every later hit too") {
  REQUIRE(arm_failpoints("a=error@2+"));
  CHECK_FALSE(failpoint_hit("a"));
  CHECK(failpoint_hit("a"));
  CHECK(failpoint_hit("a"));
}

TEST_CASE("kill and exit end the process in their own way, delay only waits") {
  REQUIRE(arm_failpoints("die=kill;leave=exit:70;wait=delay:30"));
  const int killed = status_of_child_hitting("die");
  CHECK((WIFSIGNALED(killed) && WTERMSIG(killed) == SIGKILL));
  const int left = status_of_child_hitting("leave");
  CHECK((WIFEXITED(left) && WEXITSTATUS(left) == 70));
  const std::uint64_t begin_ms = monotonic_ms();
  CHECK_FALSE(failpoint_hit("wait"));
  CHECK(monotonic_ms() - begin_ms >= 29);
}

TEST_CASE("hang never returns") {
  REQUIRE(arm_failpoints("stop=hang"));
  const pid_t child = ::fork();
  if (child == 0) {
    static_cast<void>(failpoint_hit("stop"));
    ::_exit(0);
  }
  ::usleep(50'000);
  CHECK(::waitpid(child, nullptr, WNOHANG) == 0);
  REQUIRE(::kill(child, SIGKILL) == 0);
  CHECK(::waitpid(child, nullptr, 0) == child);
}

TEST_CASE("with a directory of marks it fires once among all processes, and leaves the mark") {
  const TemporaryDirectory marks;
  REQUIRE(::setenv("GROTH16D_FAILPOINT_MARKS", marks.path().c_str(), 1) == 0);
  REQUIRE(arm_failpoints("die=kill"));
  CHECK(WIFSIGNALED(status_of_child_hitting("die")));
  CHECK(WIFEXITED(status_of_child_hitting("die")));
  CHECK(std::filesystem::exists(marks / "die"));
  REQUIRE(::unsetenv("GROTH16D_FAILPOINT_MARKS") == 0);
}

TEST_CASE("a list that does not parse is refused and changes nothing") {
  REQUIRE(arm_failpoints("a=error"));
  for (const char* list : {"a", "a=", "=kill", "a=explode", "a=delay", "a=delay:x", "a=exit:", "a=kill:1", "a=kill@0",
                           "a=kill@", "a=kill@x", "b=error;a=kill@-1"}) {
    CAPTURE(list);
    CHECK(arm_failpoints(list).error().name == "failpoint.syntax");
  }
  CHECK(failpoint_hit("a"));
}

TEST_CASE("the macro is the function in test builds and false in all others") {
  REQUIRE(arm_failpoints("a=error"));
#ifdef GROTH16D_FAILPOINTS
  CHECK(GROTH16D_FAILPOINT("a"));
#else
  static_assert(!GROTH16D_FAILPOINT("a"));
  CHECK(failpoint_hit("a"));
#endif
}
