// The automatic budget follows the tightest limit that holds us.
#include <catch2/catch.hpp>

#include <fstream>

#include "supervisor/host.hpp"
#include "tests/supervisor/scratch_folder.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;

namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

HostFiles host(const ScratchFolder& folder, const std::string& cgroup) {
  write_text(folder / "meminfo", "MemTotal:       67108864 kB\nMemFree:  1 kB\n");
  write_text(folder / "own", cgroup);
  return {folder / "meminfo", folder / "own", folder / "cgroup"};
}

}  // namespace

TEST_CASE("without a limit all of the machine's memory is usable") {
  const ScratchFolder folder;
  CHECK(*usable_memory_bytes(host(folder, "0::/system.slice/groth16d.service\n")) == 64 * kGiB);
}

TEST_CASE("the tightest limit of any ancestor counts, and max is none") {
  const ScratchFolder folder;
  const HostFiles files = host(folder, "0::/groth16d.slice/groth16d.service\n");
  write_text(folder / "cgroup/groth16d.slice/groth16d.service/memory.max", "max\n");
  write_text(folder / "cgroup/groth16d.slice/memory.max", "17179869184\n");
  CHECK(*usable_memory_bytes(files) == 16 * kGiB);
  write_text(folder / "cgroup/groth16d.slice/groth16d.service/memory.max", "8589934592\n");
  CHECK(*usable_memory_bytes(files) == 8 * kGiB);
}

TEST_CASE("a limit of cgroup v1 counts too") {
  const ScratchFolder folder;
  const HostFiles files = host(folder, "5:cpu,cpuacct:/a\n4:memory:/docker/x\n");
  write_text(folder / "cgroup/memory/docker/x/memory.limit_in_bytes", "4294967296\n");
  CHECK(*usable_memory_bytes(files) == 4 * kGiB);
}

TEST_CASE("the margin is 5 GiB or 5 percent, and never more than a quarter") {
  CHECK(automatic_budget_bytes(512 * kGiB) == 512 * kGiB - 512 * kGiB / 20);
  CHECK(automatic_budget_bytes(64 * kGiB) == 59 * kGiB);
  CHECK(automatic_budget_bytes(8 * kGiB) == 6 * kGiB);
}
