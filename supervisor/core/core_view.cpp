// Snapshots for those who ask: jobs, workers, circuits, and every large buffer counted by kind and stage.
#include <algorithm>
#include <map>

#include "supervisor/core/machine.hpp"

namespace groth16d::supervisor {
namespace {

PartitionState state_of(const Partition& partition) {
  switch (partition.phase) {
    case Phase::ready_synth:
      return PartitionState::ready_synth;
    case Phase::synthesising:
      return PartitionState::synthesising;
    case Phase::sealing:
      return PartitionState::sealed;
    case Phase::sealed:
      if (partition.assemble != Track::idle) return PartitionState::finalizing;
      return partition.prove == Track::running || partition.prove == Track::done ? PartitionState::proving
                                                                                 : PartitionState::sealed;
    case Phase::storing:
      return PartitionState::finalizing;
    case Phase::proven:
      return PartitionState::proven;
    case Phase::stopping:
    case Phase::stopped:
      return PartitionState::stopped;
    default:
      return PartitionState::waiting;
  }
}

std::optional<BG2> b_g2_of(const Partition& partition) {
  switch (partition.b2) {
    case Track::idle:
      return std::nullopt;
    case Track::with_prove:
      return BG2::gpu;
    case Track::pending:
    case Track::running:
      return BG2::cpu;
    case Track::done:
      return partition.b2_slot.role == Role::gpu ? BG2::gpu : BG2::cpu;
  }
  return std::nullopt;
}

BufferStage buffer_stage(const Partition& partition) {
  switch (state_of(partition)) {
    case PartitionState::waiting:
    case PartitionState::ready_synth:
      return BufferStage::queued;
    case PartitionState::synthesising:
      return BufferStage::synthesising;
    case PartitionState::sealed:
      return BufferStage::sealed;
    case PartitionState::proving:
      return BufferStage::proving;
    case PartitionState::finalizing:
      return BufferStage::finalizing;
    case PartitionState::proven:
    case PartitionState::stopped:
      return BufferStage::done;
  }
  return BufferStage::none;
}

SlotState state_of(const Slot& slot) {
  switch (slot.phase) {
    case SlotPhase::empty:
    case SlotPhase::backoff:
      return SlotState::backoff;
    case SlotPhase::spawning:
    case SlotPhase::starting:
      return SlotState::starting;
    case SlotPhase::ready:
      if (!slot.tasks.empty()) return SlotState::busy;
      return slot.draining ? SlotState::draining : SlotState::ready;
    case SlotPhase::condemned:
      return SlotState::draining;
    case SlotPhase::failed:
      return SlotState::failed;
    case SlotPhase::disabled:
    case SlotPhase::gone:
      return SlotState::disabled;
  }
  return SlotState::failed;
}

std::string waiting_for(const Job& job, const std::string& memory_wait) {
  if (job.final_state) return "";
  if (job.storing_state) return "the journal";
  std::string first;
  for (const Partition& partition : job.partitions) {
    if (!partition.running.empty()) return "";
    if (!first.empty()) continue;
    switch (partition.phase) {
      case Phase::awaiting_circuit:
      case Phase::parked:
        first = "circuit";
        break;
      case Phase::ready_open:
      case Phase::ready_inspect:
        first = "a load slot";
        break;
      case Phase::queued:
        first = memory_wait.empty() ? "admission" : memory_wait;
        break;
      case Phase::memory_pause:
        first = "memory: an allocation failed";
        break;
      case Phase::ready_synth:
        first = "a synth slot";
        break;
      case Phase::sealed:
        first = partition.prove != Track::pending ? "a final slot"
                : partition.card_pauses > 0       ? "a prove slot: others hold the card's memory"
                                                  : "a prove slot";
        break;
      case Phase::storing:
        first = "the journal";
        break;
      default:
        break;
    }
  }
  return first;
}

}  // namespace

PartitionView Machine::partition_view(const Partition& partition) {
  PartitionView view{
      partition.index,   supervisor::state_of(partition), partition.most_attempts(), partition.progress_permille, {},
      b_g2_of(partition)};
  if (view.state == PartitionState::proven) view.progress_permille = 1000;
  for (const Partition::Running& running : partition.running) view.slots.push_back(running.slot);
  return view;
}

JobView Machine::job_view(const Job& job, TimePoint now, bool with_timeline) const {
  JobView view;
  view.job = job.record.job;
  view.circuit = job.record.circuit;
  view.state = state_of(job);
  view.priority = job.record.priority;
  view.failure = job.failure;
  view.age_ms = static_cast<std::uint64_t>(std::max<std::int64_t>(0, (now - job.accepted_at).count()));
  view.waiting_for = waiting_for(job, memory_wait_);
  const auto circuit = circuit_uids_.find(job.record.circuit);
  if (circuit != circuit_uids_.end()) view.warnings = circuits_.at(circuit->second).facts.warnings;
  for (const Partition& partition : job.partitions) view.partitions.push_back(partition_view(partition));
  if (with_timeline) view.timeline = job.timeline;
  return view;
}

std::optional<JobView> Machine::job(const JobId& id, TimePoint now) const {
  const auto it = job_uids_.find(id);
  if (it == job_uids_.end() || !jobs_.at(it->second).durable) return std::nullopt;
  return job_view(jobs_.at(it->second), now, true);
}

std::optional<ResultView> Machine::result(const JobId& id) const {
  const auto it = job_uids_.find(id);
  if (it == job_uids_.end()) return std::nullopt;
  const Job& job = jobs_.at(it->second);
  if (job.final_state != JobState::done || job.deleting) return std::nullopt;
  ResultView view{{}, job.key_digest, job.vk_digest, job.curve};
  for (const Partition& partition : job.partitions) view.proofs.push_back(partition.proof);
  return view;
}

std::vector<CircuitView> Machine::circuits() const {
  std::vector<CircuitView> views;
  for (const auto& [name, uid] : circuit_uids_) {
    const Circuit& circuit = circuits_.at(uid);
    if (circuit.phase == CircuitPhase::storing) continue;
    CircuitView view;
    view.circuit = name;
    view.state = state_of(circuit);
    view.source = circuit.source;
    view.facts = circuit.facts;
    view.loads = circuit.loads;
    view.cache_hits = circuit.cache_hits;
    view.adoptions = circuit.adoptions;
    view.source_bytes_read = circuit.source_bytes_read;
    view.failure = circuit.failure;
    if (circuit.inspected) {
      view.partition_bytes = partition_charge(circuit, 0).total() - segment_bytes(0);
      const PrivateNeeds formula = formula_needs(circuit.facts), reserved = private_needs(circuit);
      for (const Stage stage : {Stage::load, Stage::synth, Stage::prove, Stage::b2, Stage::assemble})
        view.needs.push_back({stage, formula[stage], circuit.peaks[stage].bytes, reserved[stage]});
    }
    views.push_back(std::move(view));
  }
  return views;
}

std::vector<WorkerView> Machine::workers() const {
  std::vector<WorkerView> views;
  for (const Slot& slot : slots_) views.push_back(worker_view(slot));
  return views;
}

WorkerView Machine::worker_view(const Slot& slot) const {
  WorkerView view;
  view.slot = slot.id;
  view.epoch = slot.epoch;
  view.pid = slot.pid;
  view.state = supervisor::state_of(slot);
  view.rss_bytes = slot.rss_bytes;
  view.restarts = slot.policy.restarts();
  view.last_death = slot.last_death;
  view.last_cause = slot.last_cause;
  view.build = slot.build;
  if (slot.tasks.empty()) return view;
  const Task& task = slot.tasks.front();
  view.stage = task.stage;
  view.progress_permille = slot.progress_permille;
  if (task.partition) {
    view.job = task.partition->job->record.job;
    view.partition = task.partition->index;
  } else if (task.circuit) {
    view.job = "circuit." + task.circuit->name;
  }
  return view;
}

DaemonView Machine::daemon() const {
  DaemonView view;
  const auto usable = [this](Stage stage) { return role_usable(stage); };
  const auto started = [this](Stage stage) {
    return std::any_of(slots_.begin(), slots_.end(),
                       [stage](const Slot& s) { return serves(s.id.role, stage) && s.ever_ready; });
  };
  constexpr std::array<Stage, 4> kChain = {Stage::inspect, Stage::synth, Stage::prove, Stage::b2};
  view.state = drain_ != Drain::none                                 ? DaemonState::draining
               : !std::all_of(kChain.begin(), kChain.end(), usable)  ? DaemonState::degraded
               : !std::all_of(kChain.begin(), kChain.end(), started) ? DaemonState::starting
               : std::any_of(slots_.begin(), slots_.end(), [](const Slot& s) { return s.phase == SlotPhase::failed; })
                   ? DaemonState::degraded
                   : DaemonState::ready;
  view.budget_total_bytes = budget_.total_bytes();
  view.budget_used_bytes = budget_.used_bytes();

  std::map<std::pair<BufferKind, BufferStage>, BufferCount> counts_by;
  const auto add = [&](BufferKind kind, BufferStage stage, std::uint64_t bytes) {
    BufferCount& count = counts_by.try_emplace({kind, stage}, BufferCount{kind, stage, 0, 0}).first->second;
    ++count.count;
    count.bytes += bytes;
  };
  const auto stage_of = [this](AccountId owner) {
    const auto it = owner.holder == Holder::partition ? partitions_.find(owner.id) : partitions_.end();
    return it == partitions_.end() ? BufferStage::none : buffer_stage(*it->second);
  };
  for (const auto& [ref, segment] : segments_.all())
    if (segment.kind && segment.state != Segment::State::asked)
      add(*segment.kind, stage_of(segment.owner), segment.total_bytes);
  for (const auto& [id, account] : budget_.accounts())
    if (const std::uint64_t bytes = account.charge[BufferKind::private_memory])
      add(BufferKind::private_memory, stage_of(id), bytes);
  for (const auto& [key, count] : counts_by) view.buffers.push_back(count);

  for (const auto& [uid, job] : jobs_) {
    const JobState state = state_of(job);
    if (!job.durable || is_final(state)) continue;
    ++(state == JobState::running ? view.jobs_running : view.jobs_queued);
    const std::size_t priority = static_cast<std::size_t>(job.record.priority) - 1;
    if (state != JobState::running) {
      ++view.queued_jobs[priority];
      auto& oldest = view.oldest_queued_job[priority];
      oldest = std::min(oldest.value_or(job.accepted_at), job.accepted_at);
    }
    for (const Partition& partition : job.partitions) {
      ++view.partitions[static_cast<std::size_t>(supervisor::state_of(partition))];
      if (partition.phase < Phase::allocating) ++view.queued_partitions[priority];
    }
  }
  view.jobs_done = jobs_done_;
  view.jobs_failed = jobs_failed_;
  view.syntheses = syntheses_;
  view.stale_events = stale_events_;
  view.private_overruns = private_overruns_;
  return view;
}

}  // namespace groth16d::supervisor
