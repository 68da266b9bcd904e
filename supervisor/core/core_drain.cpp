// Drain: the way out. Orderly: finish what has reached the prove stage, leave the rest to the journal, end every
// process, free every segment, exit. Fast: kill, wait for the pidfds, exit; nothing is lost, work in flight is done
// again next time.
#include <algorithm>

#include "supervisor/core/machine.hpp"

namespace groth16d::supervisor {

void Machine::handle(const DrainRequested& request) {
  if (drain_ != Drain::none || request.fast) return begin_fast_drain();
  drain_ = Drain::orderly;
  log(nullptr, 5, "", "draining");
  timers_.arm({TimerKey::Kind::drain, 0}, now_ + config_.drain_deadline);
  for (auto& [uid, job] : jobs_)
    for (Partition& partition : job.partitions)
      if (!keeps_running(partition)) stop(partition);
}

// Proofs under way hold what cost most to make.
bool Machine::keeps_running(const Partition& partition) const {
  if (drain_ == Drain::fast) return false;
  if (partition.phase == Phase::storing) return true;
  if (partition.phase != Phase::sealed || partition.job->ending) return false;
  return partition.prove == Track::running || partition.prove == Track::done || partition.b2 == Track::running ||
         partition.b2 == Track::done;
}

void Machine::begin_fast_drain() {
  if (drain_ == Drain::fast) return;
  drain_ = Drain::fast;
  log(nullptr, 4, "", "leaving at once; unfinished work stays in the journal");
  timers_.disarm({TimerKey::Kind::drain, 0});
  for (auto& [uid, job] : jobs_)
    for (Partition& partition : job.partitions)
      if (partition.phase != Phase::storing || !partition.store_under_way) stop(partition);
  for (Slot& slot : slots_) {
    slot.intent = Slot::Intent::run;
    condemn(slot, Death::requested, KillSignal::kill, "the daemon leaves");
  }
}

void Machine::advance_drain() {
  if (drain_ == Drain::none || exited_) return;
  bool kept = false;
  for (auto& [uid, job] : jobs_)
    for (Partition& partition : job.partitions) {
      // What fell back out of the kept stages waits for the next start.
      if (partition.phase == Phase::queued || partition.phase == Phase::memory_pause ||
          partition.phase == Phase::awaiting_circuit || partition.phase == Phase::parked)
        stop(partition);
      kept = kept || (partition.phase != Phase::stopped && partition.phase != Phase::proven);
    }
  for (auto& [uid, circuit] : circuits_)
    if (circuit.running && circuit.phase != CircuitPhase::retreating) retreat(circuit, AfterRetreat::known);
  const bool needed = kept && drain_ == Drain::orderly;
  for (Slot& slot : slots_) {
    const bool prover = slot.id.role != Role::load && slot.id.role != Role::synth;
    if (slot.has_process()) {
      if (slot.tasks.empty() && !(needed && prover)) ask_to_drain(slot);
    } else if (slot.phase != SlotPhase::gone && !(needed && prover && slot.usable())) {
      slot.phase = SlotPhase::gone;
      slot.respawn_at.reset();
      budget_.close({Holder::slot, slot.index});
    }
  }
  if (kept) return;
  std::vector<Circuit*> holding;
  for (auto& [uid, circuit] : circuits_)
    if (!circuit.holds_nothing() && circuit.phase != CircuitPhase::retreating) holding.push_back(&circuit);
  for (Circuit* circuit : holding) retreat(*circuit, AfterRetreat::known);
  const bool empty =
      std::all_of(slots_.begin(), slots_.end(), [](const Slot& s) { return s.phase == SlotPhase::gone; });
  const bool settled = empty && segments_.empty() && requests_.empty() && journal_writes_ == 0;
  if (!settled && !mutated(Mutation::exit_before_empty)) return;
  const bool unstored =
      std::any_of(jobs_.begin(), jobs_.end(), [](const auto& entry) { return entry.second.store_retry; });
  if (unstored && drain_ == Drain::orderly) return;
  exited_ = true;
  act(Exit{0});
}

}  // namespace groth16d::supervisor
