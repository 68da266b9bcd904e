// One worker's control group: its own limit of memory, and the kernel's count of what it used and of why it died.
//
// The same few things have other names in cgroup v1 and v2 (kernel: Documentation/admin-guide/cgroup-v1/memory.rst and
// cgroup-v2.rst); only this file knows them. Shared pages are charged to whoever allocated them, the supervisor, so a
// leaf's figures are its worker's private memory, its page tables and the page cache of files that it reads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "common/error.hpp"
#include "common/unique_fd.hpp"

namespace groth16d::supervisor {

enum class CgroupVersion { v1 = 1, v2 = 2 };

// 0 where the kernel does not tell.
struct LeafCounters {
  std::uint64_t current_bytes = 0;
  std::uint64_t peak_bytes = 0;  // v2: kernel 5.19 and later
  std::uint64_t oom_kills = 0;   // processes of this leaf that the kernel killed for memory, its own or an ancestor's
};

class CgroupLeaf {
 public:
  // The folder exists. Sets what never changes: no swap, and that an OOM kill takes the whole leaf.
  static Result<CgroupLeaf> adopt(std::filesystem::path folder, CgroupVersion version);

  // At most `bytes` from now on. Below what is used now the old limit stays: v2 would kill for it. Error: system.
  Result<void> limit(std::uint64_t bytes);
  std::uint64_t limit_bytes() const { return limit_bytes_; }

  // For the child: it writes "0" here before it touches memory.
  int procs() const { return procs_.get(); }

  LeafCounters counters() const { return read_counters(folder_, version_); }
  // Did the kernel kill a process of this leaf for memory since it was adopted?
  bool was_oom_killed() const { return counters().oom_kills > oom_kills_before_; }

  // After the pidfd: no process is in it any more. Error: system, and the folder stays for the next adopt.
  Result<void> remove();

  const std::filesystem::path& folder() const { return folder_; }

  // From any thread; a folder that is gone counts nothing.
  static LeafCounters read_counters(const std::filesystem::path& folder, CgroupVersion version);
  CgroupVersion version() const { return version_; }

 private:
  CgroupLeaf(std::filesystem::path folder, CgroupVersion version, UniqueFd procs)
      : folder_(std::move(folder)), version_(version), procs_(std::move(procs)) {}

  std::filesystem::path folder_;
  CgroupVersion version_;
  UniqueFd procs_;
  std::uint64_t limit_bytes_ = 0;  // 0: none
  std::uint64_t oom_kills_before_ = 0;
};

// Writes one value into a control file; open, write and close are checked. Error: system, naming file and value.
Result<void> write_control(const std::filesystem::path& file, const std::string& value);

}  // namespace groth16d::supervisor
