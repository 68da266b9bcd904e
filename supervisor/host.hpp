// What this machine, or the part of it that the cgroup leaves us, can give.
#pragma once

#include <cstdint>
#include <filesystem>

#include "common/error.hpp"

namespace groth16d::supervisor {

// Where to read; tests give their own tree.
struct HostFiles {
  std::filesystem::path meminfo = "/proc/meminfo";
  std::filesystem::path own_cgroup = "/proc/self/cgroup";
  std::filesystem::path cgroup_root = "/sys/fs/cgroup";
};

// min(MemTotal, the tightest memory limit of our cgroup and its ancestors, v2 or v1) in bytes. Error: system
// "host.memory".
Result<std::uint64_t> usable_memory_bytes(const HostFiles& files = {});

// What is left of that for the budget: less 5 GiB or 5 %, the larger, for everything that no reservation counts (page
// cache, kernel, other processes); on machines where that would be more than a quarter, less a quarter.
std::uint64_t automatic_budget_bytes(std::uint64_t usable_bytes);

// CPUs that we may run on.
unsigned usable_cores();

}  // namespace groth16d::supervisor
