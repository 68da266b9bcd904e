// Recovery: what the journal remembers becomes circuits, jobs and processes.
#include "supervisor/core/machine.hpp"

namespace groth16d::supervisor {

void Machine::handle(const Recovered& recovered) {
  if (recovered_) return stale();
  recovered_ = true;
  for (Slot& slot : slots_) spawn(slot);
  // Adopted segments have their numbers already; only then is it known which ones are new.
  for (const bool resident : {true, false})
    for (const Recovered::Circuit& entry : recovered.circuits)
      if (entry.resident.has_value() == resident && !circuit_uids_.contains(entry.name)) recover_circuit(entry);
  for (const Recovered::Job& job : recovered.jobs) recover_job(job);
}

void Machine::recover_circuit(const Recovered::Circuit& entry) {
  Circuit& circuit = create_circuit(entry.name, entry.source, false);
  circuit.wanted = true;
  if (entry.resident)
    adopt(circuit, entry);
  else
    open_circuit_files(circuit, CircuitPhase::opening);
}

void Machine::recover_job(const Recovered::Job& entry) {
  if (job_uids_.contains(entry.record.job) || entry.record.partitions.empty()) return stale();
  const auto known = circuit_uids_.find(entry.record.circuit);
  Circuit* circuit = known == circuit_uids_.end() ? nullptr : &circuits_.at(known->second);
  if (!circuit && !is_final(entry.state) && entry.record.by_path) {
    circuit = &create_circuit(entry.record.circuit, entry.record.source, true);
    open_circuit_files(*circuit, CircuitPhase::opening);
  }
  Job& job = create_job(entry.record, is_final(entry.state) ? nullptr : circuit);
  job.durable = true;
  job.accepted_at = now_ - Millis{static_cast<std::int64_t>(entry.age_ms)};
  for (std::size_t i = 0; i < entry.proofs.size() && i < job.partitions.size(); ++i) {
    if (!entry.proofs[i]) continue;
    job.partitions[i].proof = *entry.proofs[i];
    job.partitions[i].stored = true;
    job.partitions[i].phase = Phase::proven;
  }
  if (is_final(entry.state)) {
    job.final_state = entry.state;
    job.published = entry.state;
    job.failure = entry.failure;
    job.key_digest = entry.key_digest;
    job.vk_digest = entry.vk_digest;
    job.curve = entry.curve;
    for (Partition& partition : job.partitions)
      if (!partition.stored) partition.phase = Phase::stopped;
    timers_.arm({TimerKey::Kind::job_retention, job.uid}, now_ + config_.retention);
    return;
  }
  log(&job, 6, "", "recovered from the journal");
  if (!circuit) {
    end_job(
        job, JobState::failed,
        {ErrorCode::not_found, "circuit.unknown", "circuit " + entry.record.circuit + " is not registered any more"});
    return maybe_complete(job);
  }
  start_job(job);
}

}  // namespace groth16d::supervisor
