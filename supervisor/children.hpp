// The living workers: for each slot its process, its lifeline and its page of last words. Main thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "common/unique_fd.hpp"
#include "ipc/lifeline.hpp"
#include "supervisor/core/action.hpp"
#include "supervisor/core/event.hpp"
#include "supervisor/segments.hpp"
#include "supervisor/spawner.hpp"

namespace groth16d::supervisor {

struct ChildrenConfig {
  std::filesystem::path programs;  // where groth16-load, groth16-synth, groth16-cpu, groth16-final lie
  std::string workers_socket;      // path of the workers' socket
  std::string log_level;
  std::filesystem::path cache_dir;  // of groth16-load; "": no cache
  std::uint64_t cache_max_bytes = 0;
};

class Children {
 public:
  Children(Spawner& spawner, ChildrenConfig config) : spawner_(spawner), config_(std::move(config)) {}

  // Of workers that are spawned from now on.
  void set_log_level(const std::string& level) { config_.log_level = level; }

  // Spawned or SpawnFailed.
  Event spawn(const SpawnSlot& action);

  // A lease that the worker has no room for now waits here, in order; flush() when its lifeline is writable. One for a
  // process that is gone is dropped: its ExitObserved is under way.
  void lease(const Lease& action, const HeldSegment& segment);
  void flush(SlotId slot);

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
    std::deque<PendingLease> pending;
  };

  Result<Living> start(const SpawnSlot& action);
  Living* find(SlotId slot, Epoch epoch);

  Spawner& spawner_;
  ChildrenConfig config_;
  std::map<SlotId, Living> living_;
};

}  // namespace groth16d::supervisor
