// A slot and the process in it.
//
// A slot without a process is waiting out a back-off, failed, disabled or gone (after drain). SpawnSlot makes it
// *spawning*; Spawned tells the pid; READY makes it *ready*. A process that is to end is asked to (draining) or is
// *condemned*: it has been sent a signal, none of its messages is believed any more, and nothing of it is reclaimed
// before its pidfd has fired. Only ExitObserved ends an epoch.
#pragma once

#include <set>

#include "supervisor/core/action.hpp"
#include "supervisor/core/mutation.hpp"
#include "supervisor/restart/restart_policy.hpp"

namespace groth16d::supervisor {

struct Partition;
struct Circuit;

// Work that a slot has on board.
struct Task {
  AssignmentId id = 0;
  Stage stage = Stage::inspect;
  Partition* partition = nullptr;  // or
  Circuit* circuit = nullptr;
  std::vector<SegmentRef> leases;
  std::uint32_t attempt = 0;
  bool with_b2 = false;  // of PROVE on a card
  std::uint64_t beats = 0;
  TimePoint begun_at{}, progress_at{};
  std::optional<TimePoint> cancel_deadline;
  std::size_t span = 0;  // in the job's timeline
};

enum class SlotPhase { empty, backoff, spawning, starting, ready, condemned, failed, disabled, gone };

struct Slot {
  SlotId id;
  std::size_t index = 0;
  SlotPhase phase = SlotPhase::empty;
  Epoch epoch = 0;
  std::uint32_t pid = 0;
  std::string build;
  std::uint32_t credit = 0;
  std::vector<Task> tasks;
  std::set<SegmentRef> held;  // leases that it has
  bool ever_ready = false;

  // How the process is meant to end.
  enum class Intent { run, respawn, disable, fail };
  Intent intent = Intent::run;
  bool draining = false;  // no new work
  bool drain_sent = false;
  std::optional<Death> verdict;  // why it was condemned
  bool kill_when_spawned = false;
  bool abort_sent = false;

  TimePoint heard_at{};
  std::optional<TimePoint> respawn_at, start_deadline, kill_at, release_deadline, drain_deadline;

  RestartPolicy policy;
  std::uint64_t rss_bytes = 0;
  std::uint32_t progress_permille = 0;
  std::string last_death;
  std::optional<Death> last_cause;  // of last_death

  explicit Slot(const CoreConfig& config) : policy(config) {}

  bool has_process() const {
    return phase == SlotPhase::spawning || phase == SlotPhase::starting || phase == SlotPhase::ready ||
           phase == SlotPhase::condemned;
  }
  // It works, or will again without an operator.
  bool usable() const {
    return phase != SlotPhase::failed && phase != SlotPhase::disabled && phase != SlotPhase::gone &&
           intent != Intent::disable && intent != Intent::fail;
  }
  // READY may come twice; a worker never gets a second assignment.
  bool takes_work() const {
    if (phase != SlotPhase::ready || draining) return false;
    return (credit > 0 && tasks.empty()) || mutated(Mutation::credit_ignored);
  }
};

}  // namespace groth16d::supervisor
