// The living workers: for each slot its process, its lifeline and its page of last words. Main thread only.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "common/unique_fd.hpp"
#include "ipc/lifeline.hpp"
#include "supervisor/cgroup.hpp"
#include "supervisor/core/action.hpp"
#include "supervisor/core/event.hpp"
#include "supervisor/memory_watch.hpp"
#include "supervisor/segments.hpp"
#include "supervisor/spawner.hpp"

namespace groth16d::supervisor {

struct ChildrenConfig {
  std::filesystem::path programs;  // where groth16-load, groth16-synth, groth16-cpu, groth16-gpu, groth16-final lie
  std::string workers_socket;      // path of the workers' socket
  std::string log_level;
  std::filesystem::path cache_dir;  // of groth16-load; "": no cache
  std::uint64_t cache_max_bytes = 0;
  std::vector<std::string> gpu_devices;               // UUID of each gpu slot's card; empty: cards 0, 1, ...
  std::optional<std::uint64_t> gpu_memory_max_bytes;  // of a card's memory; none: what is free
};

// How much memory a worker may have for itself. What is reckoned counts twice, for a worker is killed for the rest;
// the allowance is for its libraries and heap at rest and for the page tables of everything that it could map.
struct WorkerLimits {
  std::optional<std::uint64_t> fixed_bytes;  // whatever it works on
  std::array<std::uint64_t, kRoles> resting_bytes{};
  std::uint64_t most_bytes = 0;  // the budget: for work whose need is not known

  std::uint64_t resting(Role role) const { return resting_bytes[static_cast<std::size_t>(role)]; }
  std::uint64_t at_rest(Role role) const;
  std::uint64_t during(Role role, std::optional<std::uint64_t> need_bytes) const;
};

class Children {
 public:
  // `cgroup`: none where no leaves can be made.
  Children(Spawner& spawner, ChildrenConfig config, WorkerLimits limits = {}, std::optional<Cgroup> cgroup = {})
      : spawner_(spawner), config_(std::move(config)), limits_(limits), cgroup_(std::move(cgroup)) {}

  // Of workers that are spawned from now on.
  void set_log_level(const std::string& level) { config_.log_level = level; }
  // Of assignments from now on.
  void set_budget(std::uint64_t bytes) { limits_.most_bytes = bytes; }

  // Spawned or SpawnFailed.
  Event spawn(const SpawnSlot& action);

  // A lease that the worker has no room for now waits here, in order; flush() when its lifeline is writable. One for a
  // process that is gone is dropped: its ExitObserved is under way.
  void lease(const Lease& action, const HeldSegment& segment);
  void flush(SlotId slot);

  // The limit of the worker's leaf while it has this on board.
  void limit_for(const Assign& action);

  void kill(const Kill& action);

  // After the slot's pidfd became readable: reaps, reads the last words. nullopt: it was not dead.
  std::optional<ExitObserved> reap(SlotId slot);

  // For the poll: pidfds of all, and lifelines that have leases waiting.
  struct Watched {
    SlotId slot;
    int pidfd = -1;
    int waiting_lifeline = -1;  // -1: nothing waits
  };
  std::vector<Watched> watched() const;

  // For the figures of memory.
  std::vector<WatchedWorker> processes() const;

 private:
  struct PendingLease {
    ipc::LeaseMessage message;
    UniqueFd descriptor;  // our own duplicate: the segment may be freed meanwhile
  };
  struct Living {
    Epoch epoch = 0;
    Child child;
    UniqueFd lifeline;
    UniqueFd words;
    std::optional<CgroupLeaf> leaf;
    std::uint64_t reserved_bytes = 0;  // for its last assignment, and at rest
    std::deque<PendingLease> pending;
  };

  Result<Living> start(const SpawnSlot& action);
  std::optional<CgroupLeaf> make_leaf(SlotId slot) const;
  void close_leaf(Living& living, ExitObserved& observed) const;
  Living* find(SlotId slot, Epoch epoch);

  Spawner& spawner_;
  ChildrenConfig config_;
  WorkerLimits limits_;
  std::optional<Cgroup> cgroup_;
  std::map<SlotId, Living> living_;  // before the cgroup goes
};

}  // namespace groth16d::supervisor
