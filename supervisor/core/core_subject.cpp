// Finds the subject of an event, without believing or changing anything.
#include <iterator>

#include "supervisor/core/machine.hpp"

namespace groth16d::supervisor {
namespace {

enum class DaemonPhase { recovering, running, draining, leaving, exited };
enum class JobPhase {
  absent,
  accepting,
  received,
  queued,
  running,
  ending,
  committing,
  done,
  failed,
  cancelled,
  quarantined,
  deleting
};
constexpr const char* kDaemonStates[] = {"recovering", "running", "draining", "leaving", "exited"};
constexpr const char* kJobStates[] = {"absent",     "accepting", "received", "queued",    "running",     "ending",
                                      "committing", "done",      "failed",   "cancelled", "quarantined", "deleting"};
constexpr const char* kCircuitStates[] = {
    "storing", "opening", "ready_inspect", "inspecting", "known",    "opening_load", "allocating", "ready_load",
    "loading", "sealing", "ready_adopt",   "adopting",   "resident", "retreating",   "failed",     "absent"};
constexpr const char* kPartitionStates[] = {
    "awaiting_circuit", "ready_open", "opening",      "ready_inspect", "inspecting",  "inspected",
    "queued",           "parked",     "memory_pause", "allocating",    "ready_synth", "synthesising",
    "sealing",          "sealed",     "storing",      "proven",        "retreating",  "stopping"};
constexpr const char* kSlotStates[] = {"empty",     "backoff", "spawning", "starting", "ready",
                                       "condemned", "failed",  "disabled", "gone",     "stale"};
// Beyond SlotPhase (the event is of another epoch, or of no slot) and CircuitPhase (there is no such circuit).
// CircuitPhase::deleting too (nobody finds such a circuit any more).
constexpr std::size_t kSlotStale = std::size(kSlotStates) - 1;
constexpr std::size_t kCircuitAbsent = std::size(kCircuitStates) - 1;

Subject found(Subject::Kind kind, auto state) { return {kind, static_cast<std::uint8_t>(state)}; }

// A stopped partition is found only by what comes too late; it shares the name of the way there.
Subject subject_of(const Partition& p) { return found(Subject::Kind::partition, std::min(p.phase, Phase::stopping)); }
Subject subject_of(const Circuit& c) { return found(Subject::Kind::circuit, c.phase); }

}  // namespace

std::string to_string(Subject subject) {
  const auto name = [state = subject.state](const char* kind, const auto& names) {
    return state < std::size(names) ? kind + std::string(names[state]) : std::string();
  };
  switch (subject.kind) {
    case Subject::Kind::daemon:
      return name("daemon.", kDaemonStates);
    case Subject::Kind::job:
      return name("job.", kJobStates);
    case Subject::Kind::circuit:
      return name("circuit.", kCircuitStates);
    case Subject::Kind::partition:
      return name("partition.", kPartitionStates);
    case Subject::Kind::slot:
      return name("slot.", kSlotStates);
  }
  return {};
}

Subject Machine::job_subject(const JobId& id) const {
  const auto phase = [&] {
    const auto it = job_uids_.find(id);
    if (it == job_uids_.end()) return JobPhase::absent;
    const Job& job = jobs_.at(it->second);
    if (job.deleting) return JobPhase::deleting;
    if (!job.durable) return JobPhase::accepting;
    if (job.storing_state) return JobPhase::committing;
    if (job.ending) return JobPhase::ending;
    constexpr std::array<JobPhase, 7> kOf = {JobPhase::received,   JobPhase::queued, JobPhase::running,
                                             JobPhase::done,       JobPhase::failed, JobPhase::cancelled,
                                             JobPhase::quarantined};
    return kOf[static_cast<std::size_t>(state_of(job))];
  };
  return found(Subject::Kind::job, phase());
}

Subject Machine::slot_subject(SlotId id, Epoch epoch, AssignmentId assignment) const {
  const Slot* slot = find_slot(id);
  if (!slot || slot->epoch != epoch) return found(Subject::Kind::slot, kSlotStale);
  for (const Task& task : slot->tasks) {
    if (task.id != assignment) continue;
    return task.partition ? subject_of(*task.partition) : subject_of(*task.circuit);
  }
  return found(Subject::Kind::slot, slot->phase);
}

Subject Machine::owner_subject(std::optional<AccountId> owner) const {
  if (owner && owner->holder == Holder::circuit)
    if (const auto it = circuits_.find(owner->id); it != circuits_.end()) return subject_of(it->second);
  if (owner && owner->holder == Holder::partition)
    if (const auto it = partitions_.find(owner->id); it != partitions_.end()) return subject_of(*it->second);
  return found(Subject::Kind::circuit, kCircuitAbsent);
}

Subject Machine::subject(const Event& event) const {
  return std::visit(
      [this](const auto& e) -> Subject {
        if constexpr (requires { e.from.assignment; }) {
          return slot_subject(e.from.slot, e.from.epoch, e.from.assignment);
        } else if constexpr (requires { e.epoch; }) {
          return slot_subject(e.slot, e.epoch, 0);
        } else if constexpr (requires { e.verb; }) {
          const Slot* slot = find_slot(e.slot);
          return slot_subject(e.slot, slot ? slot->epoch : 0, 0);
        } else if constexpr (requires { e.request; }) {
          const auto it = requests_.find(e.request);
          return owner_subject(it == requests_.end() ? std::nullopt : std::optional(it->second.owner));
        } else if constexpr (requires { e.segment; }) {
          const Segment* segment = segments_.find(e.segment);
          return owner_subject(segment ? std::optional(segment->owner) : std::nullopt);
        } else if constexpr (requires { e.job; }) {
          return job_subject(e.job);
        } else if constexpr (requires { e.circuit; }) {
          const auto it = circuit_uids_.find(e.circuit);
          return owner_subject(it == circuit_uids_.end() ? std::nullopt
                                                         : std::optional(AccountId{Holder::circuit, it->second}));
        } else {
          return daemon_subject();
        }
      },
      event);
}

Subject Machine::daemon_subject() const {
  const auto phase = [this] {
    if (!recovered_) return DaemonPhase::recovering;
    if (exited_) return DaemonPhase::exited;
    if (drain_ == Drain::none) return DaemonPhase::running;
    return drain_ == Drain::orderly ? DaemonPhase::draining : DaemonPhase::leaving;
  };
  return found(Subject::Kind::daemon, phase());
}

}  // namespace groth16d::supervisor
