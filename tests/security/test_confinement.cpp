// What a worker has given up: tried in a child, because it is for ever.
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <functional>
#include <thread>

#include "common/hygiene.hpp"
#include "tests/sanitizers.hpp"
#include "workers/runtime/confinement.hpp"

using namespace groth16d;
using namespace groth16d::worker;

namespace {

// The exit code of a child that confines itself and then tries: 0 where `attempt` says that it went as it should.
int confined(Confinement confinement, const std::function<bool()>& attempt) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!harden_process() || !confine(confinement)) ::_exit(2);
    ::_exit(attempt() ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

bool fails_with(int error, long result) { return result == -1 && errno == error; }

}  // namespace

TEST_CASE("a worker has no network, with a device neither") {
  for (const auto confinement : {Confinement::full, Confinement::with_device}) {
    for (const int family : {AF_INET, AF_INET6, AF_NETLINK, AF_PACKET})
      CHECK(confined(confinement, [family] { return fails_with(EAFNOSUPPORT, ::socket(family, SOCK_STREAM, 0)); }) ==
            0);
    CHECK(confined(confinement, [] { return ::socket(AF_UNIX, SOCK_SEQPACKET, 0) >= 0; }) == 0);
  }
}

TEST_CASE("a worker starts no program and no process, and still has threads") {
  if (kAddressSanitizer) {
    WARN("skipped: the address sanitizer starts a process of its own at the end");
    return;
  }
  CHECK(confined(Confinement::full, [] {
          char* const words[] = {const_cast<char*>("true"), nullptr};
          return fails_with(EPERM, ::execv("/bin/true", words));
        }) == 0);
  CHECK(confined(Confinement::full, [] { return fails_with(EPERM, ::fork()); }) == 0);
  CHECK(confined(Confinement::full, [] {
          bool ran = false;
          std::thread([&] { ran = true; }).join();
          return ran;
        }) == 0);
  CHECK(confined(Confinement::full, [] { return fails_with(EPERM, ::ptrace(PTRACE_TRACEME, 0, 0, 0)); }) == 0);
  CHECK(confined(Confinement::full, [] { return ::open("/dev/null", O_RDWR) >= 0; }) == 0);
}
