// Memory: which partition is admitted next, which circuit is loaded for it, and which idle key makes room.
//
// The head of the line waits alone: whatever comes free is its. Only a partition whose circuit is just being read steps
// aside (parked), since its key's bytes are reserved already and it competes for nothing meanwhile. No partition waits
// for memory while it holds memory.
#include <algorithm>

#include "supervisor/core/machine.hpp"

namespace groth16d::supervisor {

AdmissionLine<Partition>::Place Machine::place_of(const Partition& partition) const {
  const Job& job = *partition.job;
  if (mutated(Mutation::small_overtakes_large) && job.circuit)
    return {job.circuit->facts.witness_bytes << 32 | job.uid, partition.index};
  return {job.uid, partition.index};
}

void Machine::enqueue(Partition& partition) {
  partition.phase = Phase::queued;
  if (partition.waiting_since == TimePoint{}) partition.waiting_since = now_;
  partition.queued_before_admission = next_admission_;
  admission_.insert(partition.job->record.priority, place_of(partition), partition.waiting_since, &partition);
  touch(*partition.job);
}

void Machine::leave_lines(Partition& partition) {
  admission_.erase(partition.job->record.priority, place_of(partition));
  if (partition.job->circuit) partition.job->circuit->parked.erase(&partition);
  intake_line_.erase(&partition, partition.job->uid);
  inspect_line_.erase(&partition, partition.job->uid);
  for (auto* line : {&synth_line_, &prove_line_, &b2_line_, &assemble_line_})
    line->erase(&partition, partition.admission);
  timers_.disarm({TimerKey::Kind::partition_memory, partition.uid});
  timers_.disarm({TimerKey::Kind::partition_card, partition.uid});
  timers_.disarm({TimerKey::Kind::result_store, partition.uid});
}

void Machine::admit() {
  memory_wait_.clear();
  if (drain_ != Drain::none) return;
  while (const auto head = admission_.head(now_)) {
    if (config_.max_in_flight > 0 && in_flight_ >= config_.max_in_flight) return;
    if (!admit_head(*head)) {
      if (head->priority != Priority::critical)
        while (admit_reserved_share()) {
        }
      return;
    }
  }
}

// True where the head has left the line.
bool Machine::admit_head(const AdmissionLine<Partition>::Candidate& head) {
  Partition& partition = *head.entry;
  Circuit& circuit = *partition.job->circuit;
  const bool critical = head.priority == Priority::critical;
  if (circuit.inspected) {
    if (auto error = never_fits(circuit, partition.input.input_bytes, head.priority)) {
      end_job(*partition.job, JobState::failed, std::move(*error));
      return true;
    }
  }
  if (circuit.phase == CircuitPhase::resident) {
    const Charge charge = partition_charge(circuit, partition.input.input_bytes);
    if (!budget_.try_reserve({Holder::partition, partition.uid}, charge, critical)) {
      wait_for_memory(charge.total(), critical, &circuit);
      return false;
    }
    start_partition(partition);
    return true;
  }
  if (circuit.phase == CircuitPhase::known && !circuit.blocked && circuit.inspected && !begin_load(circuit, critical)) {
    wait_for_memory(load_charge(circuit).total(), critical, &circuit);
    return false;
  }
  admission_.erase(head.priority, head.place);
  partition.phase = Phase::parked;
  circuit.parked.insert(&partition);
  return true;
}

// A blocked head of another class loses nothing when a CRITICAL job takes what is reserved for CRITICAL jobs.
bool Machine::admit_reserved_share() {
  Partition* partition = admission_.front(Priority::critical);
  if (!partition || partition->job->circuit->phase != CircuitPhase::resident) return false;
  if (config_.max_in_flight > 0 && in_flight_ >= config_.max_in_flight) return false;
  const Charge charge = partition_charge(*partition->job->circuit, partition->input.input_bytes);
  if (!budget_.fits_reserved_share(charge.total())) return false;
  if (!budget_.try_reserve({Holder::partition, partition->uid}, charge, true)) return false;
  start_partition(*partition);
  return true;
}

PrivateNeeds Machine::private_needs(const Circuit& circuit) const {
  PrivateNeeds formula = formula_needs(circuit.facts);
  const bool cards_alone_prove = config_.role(Role::cpu).slots == 0;
  if (cards_alone_prove) formula[Stage::prove] = std::min(formula[Stage::prove], kCardProveBytes);
  PrivateNeeds needs = circuit.peaks.corrected(formula, config_.need_margin_bytes);
  if (cards_alone_prove && config_.b_g2 == BG2::gpu) needs[Stage::b2] = 0;
  return needs;
}

// A worker's peak beyond its resting size, which its slot pays for.
void Machine::observe_peak(const Slot& slot, AssignmentId assignment, std::uint64_t peak_bytes, bool complete) {
  const Task& task =
      *std::find_if(slot.tasks.begin(), slot.tasks.end(), [assignment](const Task& t) { return t.id == assignment; });
  Circuit* circuit = task.circuit ? task.circuit : task.partition->job->circuit;
  if (peak_bytes == 0 || !circuit || task.stage == Stage::inspect) return;
  const std::uint64_t resting = config_.role(slot.id.role).resting_bytes;
  const std::uint64_t beyond = peak_bytes > resting ? peak_bytes - resting : 0;
  const std::uint64_t reserved = (task.partition ? task.partition->needs : private_needs(*circuit))[task.stage];
  if (beyond > reserved) {
    ++private_overruns_;
    log(task.partition ? task.partition->job : nullptr, 4, to_string(slot.id),
        std::string(to_string(task.stage)) + " took " + std::to_string(beyond) + " bytes of private memory, " +
            std::to_string(reserved) + " were reserved");
  }
  // Beside CPU workers a GPU worker's small peak says nothing about what the next prove stage takes.
  const bool exceptional = task.stage == Stage::prove && slot.id.role == Role::gpu && config_.role(Role::cpu).slots > 0;
  if (!exceptional) circuit->peaks.observe(task.stage, beyond, complete);
}

// Rows are evaluated on the host for CPU workers alone; without one `ab` does not exist.
std::uint64_t Machine::ab_bytes(const Circuit& circuit) const {
  const bool are_read = config_.role(Role::cpu).slots > 0 || mutated(Mutation::rows_for_nobody);
  return are_read ? circuit.facts.ab_bytes : 0;
}

Charge Machine::partition_charge(const Circuit& circuit, std::uint64_t input_bytes) const {
  Charge charge;
  charge[BufferKind::input] = segment_bytes(input_bytes);
  charge[BufferKind::witness] = segment_bytes(circuit.facts.witness_bytes);
  if (ab_bytes(circuit) > 0) charge[BufferKind::ab] = segment_bytes(ab_bytes(circuit));
  charge[BufferKind::private_memory] = private_needs(circuit).whole_life();
  return charge;
}

std::optional<Error> Machine::never_fits(const Circuit& circuit, std::uint64_t input_bytes, Priority priority) const {
  Charge resident = load_charge(circuit);
  const std::uint64_t loading = resident.total();
  resident[BufferKind::private_memory] = 0;  // the loader's, gone by then
  const Charge partition = partition_charge(circuit, input_bytes);
  for (std::size_t k = 0; k < kBufferKinds; ++k) resident.bytes[k] += partition.bytes[k];
  const std::uint64_t most = std::max(loading, resident.total());
  const std::uint64_t available = budget_.ever_available(priority == Priority::critical);
  if (most <= available) return std::nullopt;
  return Error{ErrorCode::too_large, "budget.too_large",
               "circuit " + shown_name(circuit.name) + " needs " + std::to_string(most) +
                   " bytes for one partition and its key, and " + std::to_string(available) +
                   " bytes can ever be available"};
}

void Machine::wait_for_memory(std::uint64_t bytes, bool critical, const Circuit* except) {
  memory_wait_bytes_ = bytes;
  memory_wait_ =
      "memory: needs " + std::to_string(bytes) + " bytes, " + std::to_string(budget_.free_bytes(critical)) + " free";
  make_room(bytes, critical, except);
}

// After so many failures in a row, before memory is asked for again.
Millis Machine::memory_pause(std::uint32_t failures) const {
  constexpr Millis kMost{30'000};
  return std::min(config_.memory_retry * (1 << std::min(failures - 1, 5u)), kMost);
}

// Evicts idle circuits, oldest first and those without jobs before others, if that makes `bytes` fit; else running
// partitions have to finish first, and evicting now would only cost a reload.
void Machine::make_room(std::uint64_t bytes, bool critical, const Circuit* except) {
  const std::uint64_t deficit = budget_.deficit(bytes, critical);
  std::uint64_t coming = 0;
  std::vector<Circuit*> idle;
  std::uint64_t idle_bytes = 0;
  for (auto& [uid, circuit] : circuits_) {
    const Charge* charge = budget_.find({Holder::circuit, uid});
    if (!charge) continue;
    if (circuit.phase == CircuitPhase::retreating) coming += charge->total();
    if (circuit.phase != CircuitPhase::resident || circuit.in_flight > 0 || &circuit == except) continue;
    idle.push_back(&circuit);
    idle_bytes += charge->total();
  }
  if (deficit <= coming || deficit > coming + idle_bytes) return;
  std::sort(idle.begin(), idle.end(), [](const Circuit* a, const Circuit* b) {
    return std::tuple(a->unfinished_jobs > 0, a->last_used, a->uid) <
           std::tuple(b->unfinished_jobs > 0, b->last_used, b->uid);
  });
  for (Circuit* circuit : idle) {
    if (deficit <= coming) return;
    coming += budget_.find({Holder::circuit, circuit->uid})->total();
    log(nullptr, 5, "", "evicting circuit " + shown_name(circuit->name) + " to make room");
    retreat(*circuit, circuit->by_path && circuit->unfinished_jobs == 0 ? AfterRetreat::erase : AfterRetreat::known);
  }
}

// Registered circuits are loaded ahead of their first job, as long as nobody waits for memory.
void Machine::load_wanted() {
  if (drain_ != Drain::none || !memory_wait_.empty()) return;
  std::vector<Circuit*> wanted;
  for (auto& [uid, circuit] : circuits_)
    if (circuit.wanted && circuit.phase == CircuitPhase::known && circuit.inspected && !circuit.blocked)
      wanted.push_back(&circuit);
  for (Circuit* circuit : wanted) {
    const std::uint64_t bytes = load_charge(*circuit).total();
    if (bytes > budget_.ever_available(true)) {
      fail_circuit(*circuit, {ErrorCode::too_large, "budget.too_large",
                              "circuit " + shown_name(circuit->name) + " needs " + std::to_string(bytes) +
                                  " bytes to be loaded, and " + std::to_string(budget_.ever_available(true)) +
                                  " bytes can ever be available"});
    } else {
      begin_load(*circuit, false);
    }
  }
}

void Machine::start_partition(Partition& partition) {
  Circuit& circuit = *partition.job->circuit;
  const AccountId owner{Holder::partition, partition.uid};
  admission_.erase(partition.job->record.priority, place_of(partition));
  partition.phase = Phase::allocating;
  partition.admitted = true;
  partition.admission = next_admission_++;
  partition.needs = private_needs(circuit);
  partition.b_g2 = config_.b_g2;
  last_admitted_[static_cast<std::size_t>(partition.job->record.priority) - 1] = {partition.job->uid, partition.index,
                                                                                  partition.admission};
  ++in_flight_;
  ++circuit.in_flight;
  circuit.last_used = now_;
  partition.input_segment = segments_.create(owner, BufferKind::input, partition.input.input_bytes).ref;
  partition.witness = segments_.create(owner, BufferKind::witness, circuit.facts.witness_bytes).ref;
  std::vector<SegmentRef> refs = {partition.input_segment, partition.witness};
  if (ab_bytes(circuit) > 0) {
    partition.ab = segments_.create(owner, BufferKind::ab, ab_bytes(circuit)).ref;
    refs.push_back(partition.ab);
  }
  partition.request =
      ask_segments(owner, refs, Work{partition.job->record.job, partition.index, partition.most_attempts()});
  touch(*partition.job);
}

}  // namespace groth16d::supervisor
