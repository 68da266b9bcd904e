// A leaf bounds its own process alone, and says afterwards whether the kernel killed it; a cgroup that is not ours to
// divide is left alone, with the reason.
#include <catch2/catch.hpp>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/cgroup.hpp"
#include "supervisor/memory_watch.hpp"
#include "supervisor/spawner.hpp"
#include "tests/memory_cgroup.hpp"
#include "tests/supervisor/scratch_folder.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;

namespace {

constexpr std::uint64_t kMiB = 1 << 20;

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

std::string text_of(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// A tree of plain files in which we are in `path`.
CgroupFiles tree(const ScratchFolder& folder, const std::string& own) {
  write(folder / "own", own);
  return {folder / "own", folder / "fs"};
}

void make_v2(const std::filesystem::path& cgroup, const std::string& controllers, const std::string& procs) {
  write(cgroup / "cgroup.controllers", controllers);
  write(cgroup / "cgroup.procs", procs);
  write(cgroup / "cgroup.subtree_control", "");
}

std::string refusal(const Result<Cgroup>& taken) {
  REQUIRE_FALSE(taken.has_value());
  CHECK(taken.error().name == "cgroup.not_delegated");
  return taken.error().text;
}

// A child in the leaf that touches `bytes` of memory and then waits; its exit status.
int run_in(const CgroupLeaf& leaf, std::uint64_t bytes, int signal) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (::write(leaf.procs(), "0", 1) != 1) ::_exit(1);
    char* memory =
        static_cast<char*>(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for (std::uint64_t page = 0; page < bytes; page += 4096) memory[page] = 1;
    ::close(ends[1]);
    while (true) ::pause();
  }
  ::close(ends[1]);
  char byte = 0;
  CHECK(::read(ends[0], &byte, 1) == 0);  // it waits, or is gone
  ::close(ends[0]);
  if (signal != 0) ::kill(pid, signal);
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  return status;
}

}  // namespace

TEST_CASE("a cgroup that is not ours to divide is left alone, and the reason said") {
  const ScratchFolder folder;
  const std::string me = std::to_string(::getpid());
  const auto slice = folder / "fs" / "a.slice";
  CHECK(refusal(Cgroup::take("auto", tree(folder, "0::/\n"))).find("root cgroup") != std::string::npos);
  CHECK(refusal(Cgroup::take("auto", tree(folder, "5:cpu:/x\n"))).find("names no cgroup") != std::string::npos);
  make_v2(slice, "cpu memory pids\n", "1\n" + me + "\n");
  CHECK(refusal(Cgroup::take("auto", tree(folder, "0::/a.slice\n"))).find("other processes") != std::string::npos);
  make_v2(slice, "cpu pids\n", me + "\n");
  CHECK(refusal(Cgroup::take("auto", tree(folder, "0::/a.slice\n"))).find("no memory controller") != std::string::npos);
  CHECK(refusal(Cgroup::take("auto", tree(folder, "4:memory:/none\n0::/a.slice\n"))).find("not writable") !=
        std::string::npos);
  CHECK(Cgroup::take(folder / "fs", tree(folder, "0::/\n")).error().name == "cgroup.path");
}

TEST_CASE("a delegated v2 cgroup gets the supervisor's leaf, hands memory on, and is given back as it was") {
  const ScratchFolder folder;
  const auto service = folder / "fs" / "a.service";
  make_v2(service, "memory pids\n", std::to_string(::getpid()) + "\n");
  write(service / "supervisor" / "cgroup.procs", "");
  write(service / "synth-0" / "cgroup.procs", "");
  for (const char* file : {"memory.max", "memory.swap.max", "memory.oom.group"}) write(service / "synth-0" / file, "");
  {
    auto cgroup = Cgroup::take("auto", tree(folder, "0::/a.service\n"));
    INFO((cgroup ? "" : cgroup.error().text));
    REQUIRE(cgroup.has_value());
    CHECK(cgroup->version() == CgroupVersion::v2);
    CHECK(text_of(service / "supervisor" / "cgroup.procs") == "0");
    CHECK(text_of(service / "cgroup.subtree_control") == "+memory");
    auto leaf = cgroup->leaf("synth-0");
    REQUIRE(leaf.has_value());
    REQUIRE(leaf->limit(64 * kMiB).has_value());
    CHECK(text_of(service / "synth-0" / "memory.max") == std::to_string(64 * kMiB));
    CHECK(text_of(service / "synth-0" / "memory.swap.max") == "0");
    CHECK(text_of(service / "synth-0" / "memory.oom.group") == "1");

    write(service / "synth-0" / "memory.current", "1000\n");
    write(service / "synth-0" / "memory.peak", "2000\n");
    write(service / "synth-0" / "memory.events", "low 0\nhigh 0\nmax 7\noom 1\noom_kill 1\n");
    CHECK(leaf->counters().current_bytes == 1000);
    CHECK(leaf->counters().peak_bytes == 2000);
    CHECK(leaf->was_oom_killed());
  }
  CHECK(text_of(service / "cgroup.subtree_control") == "-memory");
  CHECK(text_of(service / "cgroup.procs").starts_with("0"));
}

TEST_CASE("a process over its leaf's limit is killed by the kernel, and the leaf knows it from an operator's kill") {
  const auto parent = memory_cgroup_or_skip();
  if (!parent) return;
  auto cgroup = Cgroup::take(parent->folder());
  INFO((cgroup ? "" : cgroup.error().text));
  REQUIRE(cgroup.has_value());
  CHECK(cgroup->version() == CgroupVersion::v1);
  auto leaf = cgroup->leaf("synth-0");
  INFO((leaf ? "" : leaf.error().text));
  REQUIRE(leaf.has_value());
  REQUIRE(leaf->limit(32 * kMiB).has_value());

  int status = run_in(*leaf, 8 * kMiB, SIGKILL);
  CHECK(WIFSIGNALED(status));
  CHECK_FALSE(leaf->was_oom_killed());
  CHECK(leaf->counters().peak_bytes >= 8 * kMiB);
  CHECK(leaf->counters().peak_bytes < 32 * kMiB);

  status = run_in(*leaf, 64 * kMiB, 0);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGKILL);
  CHECK(leaf->was_oom_killed());
  CHECK(leaf->counters().peak_bytes >= 31 * kMiB);

  REQUIRE(leaf->limit(128 * kMiB).has_value());
  REQUIRE(leaf->limit(16 * kMiB).has_value());
  CHECK(leaf->limit_bytes() == 16 * kMiB);
  REQUIRE(leaf->remove().has_value());
  CHECK_FALSE(std::filesystem::exists(leaf->folder()));
}

TEST_CASE("what a killed predecessor left is swept, and a new leaf counts only its own kills") {
  const auto parent = memory_cgroup_or_skip();
  if (!parent) return;
  std::filesystem::create_directory(parent->folder() / "cpu-0");
  std::filesystem::create_directory(parent->folder() / "other");
  {
    auto cgroup = Cgroup::take(parent->folder());
    REQUIRE(cgroup.has_value());
    CHECK_FALSE(std::filesystem::exists(parent->folder() / "cpu-0"));
    CHECK(std::filesystem::exists(parent->folder() / "other"));
    {
      auto first = cgroup->leaf("cpu-0");
      REQUIRE((first && first->limit(16 * kMiB)));
      run_in(*first, 32 * kMiB, 0);
      CHECK(first->was_oom_killed());
    }
    CHECK_FALSE(cgroup->leaf("cpu-0")->was_oom_killed());
  }
  CHECK_FALSE(std::filesystem::exists(parent->folder() / "cpu-0"));
}

TEST_CASE("a spawned child is in its leaf before it runs, and its memory is seen from outside") {
  const auto parent = memory_cgroup_or_skip();
  if (!parent) return;
  auto cgroup = Cgroup::take(parent->folder());
  REQUIRE(cgroup.has_value());
  auto leaf = cgroup->leaf("final-0");
  REQUIRE((leaf && leaf->limit(64 * kMiB)));
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  const UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  SpawnRequest request;
  request.executable = SPAWN_PROBE;
  request.environment = {"WISH=stay"};
  request.lifeline = theirs.get();
  request.cgroup_procs = leaf->procs();
  ProcessSpawner spawner;
  const auto child = spawner.spawn(request);
  REQUIRE(child.has_value());
  const auto pid = static_cast<std::uint32_t>(child->pid);
  CHECK(text_of(leaf->folder() / "cgroup.procs") == std::to_string(pid) + "\n");

  MemoryWatch watch;
  watch.look({{{Role::final, 0}, 3, pid, std::pair(leaf->folder(), leaf->version()), leaf->limit_bytes()}},
             TimePoint{Millis{1'000}});
  for (int turn = 0; turn < 500 && watch.of({Role::final, 0}, 3).private_bytes == 0; ++turn) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    watch.take();
  }
  const WorkerMemory memory = watch.of({Role::final, 0}, 3);
  CHECK(memory.private_bytes > 0);
  CHECK(memory.pss_bytes > 0);
  CHECK(memory.leaf_bytes > 0);
  CHECK(memory.leaf_bytes < 64 * kMiB);
  CHECK(memory.leaf_limit_bytes == 64 * kMiB);
  CHECK(watch.of({Role::final, 0}, 4).private_bytes == 0);  // another epoch's figures are nobody's

  REQUIRE(spawner.kill(*child, SIGKILL).has_value());
  while (!spawner.reap(*child)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(leaf->remove().has_value());
}
