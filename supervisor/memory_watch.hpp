// What the kernel says each worker holds, read beside the loop: /proc may take its time under memory pressure.
//
// Private memory is RssAnon of /proc/<pid>/status, which everyone may read. Pss (shared pages divided by their users)
// is in smaps_rollup, which only a tracer may read of a hardened worker: 0 where we may not. Reading it walks every
// page that is mapped, so it has a slower pace of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "supervisor/cgroup_leaf.hpp"
#include "supervisor/core/types.hpp"
#include "supervisor/helper_thread.hpp"

namespace groth16d::supervisor {

struct WatchedWorker {
  SlotId slot;
  Epoch epoch = 0;
  std::uint32_t pid = 0;
  std::optional<std::pair<std::filesystem::path, CgroupVersion>> leaf;
  std::uint64_t leaf_limit_bytes = 0;
};

// 0 where it is not known.
struct WorkerMemory {
  Epoch epoch = 0;
  std::uint64_t private_bytes = 0;
  std::uint64_t pss_bytes = 0;
  std::uint64_t leaf_bytes = 0;
  std::uint64_t leaf_peak_bytes = 0;
  std::uint64_t leaf_limit_bytes = 0;
};

// Of one process; a field that cannot be read is 0, and Pss beyond this much of mapped segments is not read.
inline constexpr std::uint64_t kMostSharedForPss = std::uint64_t{4} << 30;
std::uint64_t private_bytes_of(std::uint32_t pid);
std::uint64_t pss_bytes_of(std::uint32_t pid);

class MemoryWatch {
 public:
  static constexpr std::chrono::milliseconds kPace{1'000};
  static constexpr int kRoundsPerPss = 5;

  MemoryWatch();

  // Once a kPace, while no earlier round is under way. Otherwise nothing happens.
  void look(std::vector<WatchedWorker> workers, TimePoint now);

  // The last round's figures of this process; zeros where there are none.
  WorkerMemory of(SlotId slot, Epoch epoch) const;

  int descriptor() const { return thread_.descriptor(); }
  void take();

 private:
  struct Round {
    std::vector<WatchedWorker> workers;
    bool with_pss = false;
  };
  using Figures = std::map<SlotId, WorkerMemory>;
  static Figures read(const Round& round);

  bool under_way_ = false;
  std::uint64_t rounds_ = 0;
  TimePoint next_{};
  Figures figures_;
  HelperThread<Round, Figures> thread_;
};

}  // namespace groth16d::supervisor
