// The life of a partition, from the inspection of its input to its stored proof. The prose is in job.hpp.
#include <algorithm>

#include "supervisor/core/machine.hpp"

namespace groth16d::supervisor {
namespace {

constexpr std::uint32_t kIntakeAhead = 4;  // input files held open beyond one a load slot

AccountId account(const Partition& partition) { return {Holder::partition, partition.uid}; }

// Errors of a card's memory (cuda/device.hpp). What others hold they may give back.
bool others_hold_a_card(const Error& error) {
  return error.name == "gpu.memory_taken" || error.name == "gpu.out_of_memory";
}
bool lacks_card_memory(const Error& error) { return error.name == "gpu.plan" || others_hold_a_card(error); }

// A death that says something about the work: not our own decisions about the process.
bool counts_for_work(Death death) {
  return death == Death::crash || death == Death::oom || death == Death::frozen || death == Death::stuck ||
         death == Death::unusable;
}

}  // namespace

// ------------------------------------------------------------------ intake

void Machine::begin_intake(Partition& partition) {
  Job& job = *partition.job;
  if (partition.phase != Phase::awaiting_circuit || job.ending || !job.durable || !job.circuit || drain_ != Drain::none)
    return;
  if (job.circuit->failure) return;
  if (!job.circuit->inspected) return;
  partition.phase = Phase::ready_open;
  intake_line_.insert(&partition, job.uid, job.critical(), now_);
}

// Queued jobs may be many and descriptors are few: only the next inputs in line are open.
void Machine::open_inputs() {
  if (drain_ != Drain::none) return;
  while (intake_files_ < config_.role(Role::load).slots + kIntakeAhead) {
    Partition* partition = intake_line_.pick(now_, [](const Partition&) { return true; });
    if (!partition) return;
    intake_line_.erase(partition, partition->job->uid);
    partition->phase = Phase::opening;
    partition->input_file = new_file(account(*partition));
    ++intake_files_;
    partition->request = ask_files(
        account(*partition), {FileSpec{partition->input_file, {}, true, partition->job->record.job, partition->index}});
  }
}

void Machine::partition_files_opened(Partition& partition) {
  if (partition.phase != Phase::opening) return settle(partition);
  partition.phase = Phase::ready_inspect;
  inspect_line_.insert(&partition, partition.job->uid, partition.job->critical(), now_);
}

void Machine::handle(const InputInspected& event) {
  Slot* slot = believe_task(event.from, Stage::inspect);
  if (!slot) return;
  Partition* partition = find_task(*slot, event.from.assignment)->partition;
  if (!partition) return stale();
  const bool wanted = partition->phase == Phase::inspecting;
  end_task(*slot, event.from.assignment, wanted ? "done" : "cancelled");
  succeed(slot->id);
  if (!wanted) return settle(*partition);
  partition->input = event.facts;
  if (event.facts.partitions != 1)
    return end_job(*partition->job, JobState::failed,
                   {ErrorCode::malformed, "input.partitions",
                    "input " + partition->job->record.partitions[partition->index].name + " holds " +
                        std::to_string(event.facts.partitions) + " partitions; one was expected"});
  partition->phase = Phase::inspected;
  doom(partition->input_file);
  settle(*partition);
}

// ------------------------------------------------------------------ allocation and synthesis

void Machine::partition_allocated(Partition& partition) {
  if (partition.phase == Phase::allocating) {
    partition.phase = Phase::ready_synth;
    partition.allocation_failures = 0;
    partition.ab_is_fresh = true;
    synth_line_.insert(&partition, partition.admission, partition.job->critical(), now_);
    touch(*partition.job);
  } else if (partition.phase == Phase::sealed) {
    partition.ab_is_fresh = false;  // a second `ab`, after a proof that did not verify
    open_tracks(partition);
  } else {
    settle(partition);
  }
}

void Machine::partition_request_failed(Partition& partition, const Error& error, bool allocation) {
  if (partition.phase == Phase::retreating || partition.phase == Phase::stopping) return settle(partition);
  if (!allocation) return end_job(*partition.job, JobState::failed, error);
  if (++partition.allocation_failures > config_.max_allocation_failures)
    return end_job(*partition.job, JobState::failed, error);
  log(partition.job, 4, "", "partition " + std::to_string(partition.index) + " waits: " + error.text);
  retreat(partition, Phase::memory_pause);
}

void Machine::handle(const WitnessSealed& event) {
  Slot* slot = believe_task(event.from, Stage::synth);
  if (!slot) return;
  Partition& partition = *find_task(*slot, event.from.assignment)->partition;
  const bool wanted = partition.phase == Phase::synthesising;
  observe_peak(*slot, event.from.assignment, event.private_peak_bytes, true);
  end_task(*slot, event.from.assignment, wanted ? "done" : "cancelled");
  succeed(slot->id);
  if (!wanted) return settle(partition);
  partition.phase = Phase::sealing;
  shrink_private(partition, partition.needs.after_synthesis(true, true));
  doom(partition.input_segment);
  if (mutated(Mutation::permit_back_after_synthesis)) leave_budget(partition);
  settle(partition);
}

void Machine::try_seal(Partition& partition) {
  Segment* witness = segments_.find(partition.witness);
  if (!witness || witness->sealing || !unleased(partition.witness) || !unleased(partition.ab)) return;
  witness->sealing = true;
  act(SealSegment{witness->ref});
}

void Machine::witness_sealed(Partition& partition) {
  if (partition.phase != Phase::sealing) return settle(partition);
  partition.phase = Phase::sealed;
  open_tracks(partition);
}

// ------------------------------------------------------------------ prove, b2, assembly

void Machine::open_tracks(Partition& partition) {
  partition.prove = Track::pending;
  partition.assemble = Track::idle;
  prove_line_.insert(&partition, partition.admission, partition.job->critical(), now_);
  open_b2(partition);
}

// A track's assignment has reported: ends the task. nullptr where the report is stale, or comes for a partition that
// no longer waits for it.
Partition* Machine::end_track(const WorkerToken& from, std::uint64_t private_peak_bytes, Stage stage,
                              Track Partition::*track, SlotId Partition::*by, Millis loading) {
  Slot* slot = believe_task(from, stage);
  if (!slot) return nullptr;
  const Task& task = *find_task(*slot, from.assignment);
  Partition& partition = *task.partition;
  note_b2_time(*slot, task, loading);
  const bool wanted = partition.phase == Phase::sealed && partition.*track == Track::running;
  observe_peak(*slot, from.assignment, private_peak_bytes, true);
  end_task(*slot, from.assignment, wanted ? "done" : "cancelled");
  if (!wanted) {
    settle(partition);
    return nullptr;
  }
  partition.*track = Track::done;
  partition.*by = slot->id;
  return &partition;
}

void Machine::handle(const ProveDone& event) {
  Partition* ended = end_track(event.from, event.private_peak_bytes, Stage::prove, &Partition::prove,
                               &Partition::prove_slot, event.loading);
  if (!ended) return;
  Partition& partition = *ended;
  partition.sums = event.sums;
  if (partition.b2 == Track::with_prove) take_card_b2(partition, event.b2);
  shrink_private(partition, partition.needs.after_synthesis(false, partition.b2 != Track::done));
  if (!mutated(Mutation::ab_kept_to_the_end)) doom(partition.ab);  // phase 1: gone while b_g2_msm may still run
  try_assemble(partition);
}

void Machine::handle(const B2Done& event) {
  Partition* ended = end_track(event.from, event.private_peak_bytes, Stage::b2, &Partition::b2, &Partition::b2_slot);
  if (!ended) return;
  Partition& partition = *ended;
  partition.b2_point = event.point;
  shrink_private(partition, partition.needs.after_synthesis(partition.prove != Track::done, false));
  try_assemble(partition);
}

void Machine::try_assemble(Partition& partition) {
  if (partition.prove != Track::done || partition.b2 != Track::done) return;
  partition.assemble = Track::pending;
  assemble_line_.insert(&partition, partition.admission, partition.job->critical(), now_);
}

void Machine::handle(const AssembleDone& event) {
  Slot* slot = believe_task(event.from, Stage::assemble);
  if (!slot) return;
  Partition& partition = *find_task(*slot, event.from.assignment)->partition;
  const bool wanted = partition.phase == Phase::sealed && partition.assemble == Track::running;
  observe_peak(*slot, event.from.assignment, event.private_peak_bytes, true);
  end_task(*slot, event.from.assignment, wanted ? "done" : "cancelled");
  if (!wanted) return settle(partition);
  if (partition.suspect_slot && *partition.suspect_slot != partition.prove_slot) {
    log(partition.job, 3, to_string(*partition.suspect_slot),
        "its sums did not verify, those of " + to_string(partition.prove_slot) + " did");
    record_fault(partition, *partition.suspect_slot);
  }
  for (const SlotId good : {partition.prove_slot, partition.b2_slot, slot->id}) succeed(good);
  partition.phase = Phase::storing;
  partition.assemble = Track::done;
  partition.proof = event.proof;
  partition.sums.clear();
  partition.b2_point.clear();
  shrink_private(partition, 0);
  doom(partition.witness);  // phase 2: verified
  store_result(partition);
  settle(partition);
}

void Machine::verification_failed(Partition& partition, const Error& error) {
  ++partition.verification_failures;
  log(partition.job, 3, "", "partition " + std::to_string(partition.index) + ": " + error.text);
  if (partition.verification_failures > 1)
    return end_job(
        *partition.job, JobState::failed,
        {ErrorCode::mismatch, "proof.verification",
         "partition " + std::to_string(partition.index) +
             " was proven twice and neither proof verified: the key or the witness is wrong. " + error.text});
  partition.suspect_slot = partition.prove_slot;
  partition.avoid.insert(partition.prove_slot);
  partition.avoid.insert(partition.b2_slot);
  partition.prove = partition.b2 = partition.assemble = Track::idle;
  partition.sums.clear();
  partition.b2_point.clear();
  // Prove and B2 again from the witness, if a second `ab` can be had without waiting; else everything from the start.
  if (partition.ab) return retreat(partition, Phase::queued);
  Charge again;
  const std::uint64_t ab = ab_bytes(*partition.job->circuit);
  if (ab > 0) again[BufferKind::ab] = segment_bytes(ab);
  const Charge* have = budget_.find(account(partition));
  const std::uint64_t private_have = have ? (*have)[BufferKind::private_memory] : 0;
  const std::uint64_t private_need = partition.needs.after_synthesis(true, true);
  again[BufferKind::private_memory] = private_need > private_have ? private_need - private_have : 0;
  if (!budget_.try_reserve(account(partition), again, partition.job->critical()))
    return retreat(partition, Phase::queued);
  if (ab == 0) return open_tracks(partition);
  partition.ab = segments_.create(account(partition), BufferKind::ab, ab).ref;
  partition.request = ask_segments(account(partition), {partition.ab},
                                   Work{partition.job->record.job, partition.index, partition.most_attempts()});
}

// ------------------------------------------------------------------ the result

void Machine::store_result(Partition& partition) {
  partition.store_under_way = true;
  ++journal_writes_;
  act(StoreResult{partition.job->record.job, partition.index, partition.proof});
}

void Machine::handle(const ResultStored& event) {
  Job* job = find_job(event.job);
  if (!job || event.partition >= job->partitions.size()) return stale();
  Partition& partition = job->partitions[event.partition];
  if (!partition.store_under_way) return stale();
  --journal_writes_;
  partition.store_under_way = false;
  partition.stored = true;
  settle(partition);
}

void Machine::handle(const ResultStoreFailed& event) {
  Job* job = find_job(event.job);
  if (!job || event.partition >= job->partitions.size()) return stale();
  Partition& partition = job->partitions[event.partition];
  if (!partition.store_under_way) return stale();
  --journal_writes_;
  partition.store_under_way = false;
  log(job, 3, "",
      "the journal refused the result of partition " + std::to_string(event.partition) + ": " + event.error.text);
  if (partition.phase == Phase::storing && drain_ == Drain::fast) return stop(partition);
  if (partition.phase == Phase::storing)
    timers_.arm({TimerKey::Kind::result_store, partition.uid}, now_ + config_.store_retry);
  settle(partition);
}

// ------------------------------------------------------------------ failures

void Machine::handle(const AssignmentCancelled& event) {
  Slot* slot = believe(event.from);
  if (!slot) return;
  Task* task = find_task(*slot, event.from.assignment);
  if (!task || !task->cancel_deadline) return stale();
  Partition* partition = task->partition;
  Circuit* circuit = task->circuit;
  end_task(*slot, event.from.assignment, "cancelled");
  if (partition) settle(*partition);
  if (circuit) settle(*circuit);
}

void Machine::handle(const AssignmentFailed& event) {
  Slot* slot = believe(event.from);
  if (!slot) return;
  const Task* found = find_task(*slot, event.from.assignment);
  if (!found) return stale();
  const Task task = *found;
  observe_peak(*slot, event.from.assignment, event.private_peak_bytes, false);
  end_task(*slot, event.from.assignment, task.cancel_deadline ? "cancelled" : "failed");
  if (task.circuit) {
    Circuit& circuit = *task.circuit;
    if (circuit.phase == CircuitPhase::retreating) return settle(circuit);
    if (circuit.phase == CircuitPhase::adopting) return adoption_failed(circuit, event.error.text);
    if (task.stage == Stage::load && others_hold_a_card(event.error))
      return circuit_request_failed(circuit, event.error, true);
    if (!event.retryable || ++circuit.retries > config_.max_retries) return fail_circuit(circuit, event.error);
    circuit.wanted = true;
    return retreat(circuit, circuit.inspected ? AfterRetreat::known : AfterRetreat::inspect_again);
  }
  Partition& partition = *task.partition;
  if (task.cancel_deadline) return settle(partition);
  if (task.stage == Stage::assemble && event.blame == Blame::verification)
    return verification_failed(partition, event.error);
  partition.for_cards = partition.for_cards || lacks_card_memory(event.error);
  if (others_hold_a_card(event.error)) return await_card(partition, task.stage, slot->id, event.error);
  const bool again = event.retryable || event.blame == Blame::slot;
  if (!again || ++partition.retries > config_.max_retries)
    return end_job(*partition.job, JobState::failed, event.error);
  log(partition.job, 4, to_string(slot->id),
      std::string(to_string(task.stage)) + " of partition " + std::to_string(partition.index) +
          " is tried again: " + event.error.text);
  partition.avoid.insert(slot->id);
  if (event.blame == Blame::slot) record_fault(partition, slot->id);
  retry_stage(partition, task.stage);
}

// Like an allocation of the host's that failed: others may give back what they hold.
void Machine::await_card(Partition& partition, Stage stage, SlotId slot, const Error& error) {
  if (++partition.card_pauses > config_.max_allocation_failures) {
    record_fault(partition, slot);
    return end_job(*partition.job, JobState::failed, error);
  }
  partition.avoid.insert(slot);
  partition.tainted_until = now_ + memory_pause(partition.card_pauses);
  timers_.arm({TimerKey::Kind::partition_card, partition.uid}, partition.tainted_until);
  log(partition.job, 4, to_string(slot), "partition " + std::to_string(partition.index) + " waits: " + error.text);
  retry_stage(partition, stage);
}

void Machine::partition_task_lost(Partition& partition, Stage stage, SlotId slot, Death death) {
  if (partition.phase == Phase::stopping || partition.phase == Phase::retreating) return settle(partition);
  if (counts_for_work(death)) {
    partition.deaths.push_back({slot, death});
    record_fault(partition, slot);
  }
  log(partition.job, 4, to_string(slot),
      "died (" + std::string(to_string(death)) + ") in " + std::string(to_string(stage)) + " of partition " +
          std::to_string(partition.index));
  if (partition.accusing_deaths() >= config_.deaths_to_quarantine) return quarantine(*partition.job, partition);
  retry_stage(partition, stage);
}

void Machine::record_fault(Partition& partition, SlotId slot) { blame_.record(partition.job->uid, slot); }

// The stage alone is done again; what its inputs were is still there (docs/DESIGN.md, section 6).
void Machine::retry_stage(Partition& partition, Stage stage) {
  const bool urgent = partition.job->critical();
  if (mutated(Mutation::retry_synthesises_again)) stage = std::min(stage, Stage::synth);
  switch (stage) {
    case Stage::inspect:
      return retreat(partition, Phase::awaiting_circuit);
    case Stage::load:
    case Stage::synth:
      return retreat(partition, Phase::queued);
    case Stage::prove:
      partition.prove = Track::pending;
      return prove_line_.insert(&partition, partition.admission, urgent, now_);
    case Stage::b2:
      partition.b2 = Track::pending;
      return b2_line_.insert(&partition, partition.admission, urgent, now_);
    case Stage::assemble:
      partition.assemble = Track::pending;
      return assemble_line_.insert(&partition, partition.admission, urgent, now_);
  }
}

// ------------------------------------------------------------------ ways back

void Machine::give_back(Partition& partition) {
  leave_lines(partition);
  partition.tainted_until = {};
  cancel_tasks(partition);
  partition.prove = partition.b2 = partition.assemble = Track::idle;
  partition.sums.clear();
  partition.b2_point.clear();
  for (const SegmentRef ref : {partition.input_file, partition.input_segment, partition.witness, partition.ab})
    doom(ref);
}

void Machine::retreat(Partition& partition, Phase after) {
  partition.phase = Phase::retreating;
  partition.after = after;
  give_back(partition);
  touch(*partition.job);
  settle(partition);
}

void Machine::stop(Partition& partition) {
  if (partition.phase == Phase::proven || partition.phase == Phase::stopped || partition.phase == Phase::stopping)
    return;
  partition.phase = Phase::stopping;
  give_back(partition);
  settle(partition);
}

void Machine::leave_budget(Partition& partition) {
  if (!partition.admitted) return;
  partition.admitted = false;
  budget_.close(account(partition));
  --in_flight_;
  --partition.job->circuit->in_flight;
  partition.job->circuit->last_used = now_;
}

void Machine::shrink_private(const Partition& partition, std::uint64_t keep_bytes) {
  const Charge* charge = budget_.find(account(partition));
  const std::uint64_t have = charge ? (*charge)[BufferKind::private_memory] : 0;
  if (have > keep_bytes) budget_.release(account(partition), BufferKind::private_memory, have - keep_bytes);
}

// Takes the step, if any, that waited until something came back.
void Machine::settle(Partition& partition) {
  Job& job = *partition.job;
  switch (partition.phase) {
    case Phase::inspected:
      if (partition.holds_nothing()) enqueue(partition);
      return;
    case Phase::sealing:
      return try_seal(partition);
    case Phase::storing: {
      const bool store = std::exchange(partition.store_under_way, false);
      const bool empty = partition.holds_nothing();  // but for the journal's answer, which holds no memory
      partition.store_under_way = store;
      if (empty) leave_budget(partition);
      if (!empty || !(partition.stored || mutated(Mutation::done_before_stored))) return;
      partition.phase = Phase::proven;
      log(&job, 6, "", "partition " + std::to_string(partition.index) + " is proven");
      act(Publish{"job." + job.record.job, "partition", job.record.job, partition.index, "", "proven", ""});
      touch(job);
      return maybe_complete(job);
    }
    case Phase::retreating:
      if (!partition.holds_nothing()) return;
      leave_budget(partition);
      if (partition.after == Phase::queued) return enqueue(partition);
      partition.phase = partition.after;
      if (partition.after == Phase::awaiting_circuit) return begin_intake(partition);
      timers_.arm({TimerKey::Kind::partition_memory, partition.uid},
                  now_ + memory_pause(partition.allocation_failures));
      return;
    case Phase::stopping:
      if (!partition.holds_nothing()) return;
      leave_budget(partition);
      partition.phase = Phase::stopped;
      touch(job);
      return maybe_complete(job);
    default:
      return;
  }
}

}  // namespace groth16d::supervisor
