// What the kernel says about a process tree, read from /proc: who lives, who holds which memory. The other side of
// everything that a daemon counts about itself.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace groth16d::faults {

// False for a zombie: it holds nothing any more.
bool is_alive(pid_t pid);

// Living processes whose executable lies in `folder`.
std::vector<pid_t> processes_run_from(const std::filesystem::path& folder);

// Living children of every thread of the process.
std::vector<pid_t> children_of(pid_t pid);

// The memfds that a process has open: allocated bytes (st_blocks) by inode number, each once however often it is open.
// The name is the memfd's own.
struct Memfd {
  std::string name;
  std::uint64_t bytes = 0;
};
std::map<ino_t, Memfd> memfds_of(pid_t pid);
std::uint64_t sum_of(const std::map<ino_t, Memfd>& memfds);

// Whether any process of the machine that we may look into has one of these memfds open or mapped.
bool anyone_holds(const std::set<ino_t>& memfds);

// A process's share of memory that is no shared memory: Pss without Pss_Shmem (smaps_rollup). 0 where it is gone.
std::uint64_t private_bytes_of(pid_t pid);

}  // namespace groth16d::faults
