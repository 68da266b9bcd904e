// A hardened process leaves no core, and a child does not outlive its parent. Each runs in a child of the test.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <new>

#include "common/hygiene.hpp"
#include "common/secret.hpp"

using namespace groth16d;

namespace {

template <class Body>
int exit_code_of_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("a hardened process is not dumpable, has no core limit left and gains no privileges") {
  CHECK(exit_code_of_child([] {
          if (!harden_process()) return 1;
          rlimit limit{1, 1};
          if (::getrlimit(RLIMIT_CORE, &limit) != 0 || limit.rlim_max != 0) return 2;
          if (::prctl(PR_GET_DUMPABLE) != 0) return 3;
          if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) return 4;
          return 0;
        }) == 0);
}

TEST_CASE("a child learns that its parent is already gone") {
  CHECK(exit_code_of_child([] {
          const bool with_parent = die_with_parent(::getppid()).has_value();
          const auto without = die_with_parent(::getppid() + 1);
          return with_parent && !without && without.error().name == "parent.gone" ? 0 : 1;
        }) == 0);
}

TEST_CASE("a secret is wiped when its scope ends") {
  using Key = std::array<unsigned char, 32>;
  alignas(Secret<Key>) std::array<unsigned char, sizeof(Secret<Key>)> place{};
  Key key;
  key.fill(0x5a);
  auto* secret = new (place.data()) Secret<Key>(key);
  REQUIRE(place[7] == 0x5a);
  secret->~Secret();
  // Read through the array that holds the place: its bytes outlive the object.
  CHECK(std::all_of(place.begin(), place.end(), [](unsigned char byte) { return byte == 0; }));
}
