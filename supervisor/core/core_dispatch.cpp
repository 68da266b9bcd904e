// Work to slots: leases first, then the assignment that names them.
#include <algorithm>

#include "supervisor/core/machine.hpp"

namespace groth16d::supervisor {
namespace {

using Leases = std::vector<std::pair<SegmentRef, LeaseMode>>;

Work next_work(Partition& partition, Stage stage) {
  std::uint32_t& attempts = partition.attempts[static_cast<std::size_t>(stage)];
  if (attempts == 0 || !mutated(Mutation::attempts_not_counted)) ++attempts;
  return Work{partition.job->record.job, partition.index, attempts};
}

}  // namespace

bool Machine::serves(Role role, Stage stage) {
  switch (stage) {
    case Stage::inspect:
    case Stage::load:
      return role == Role::load;
    case Stage::synth:
      return role == Role::synth;
    case Stage::prove:
      return role == Role::cpu || role == Role::gpu;
    case Stage::b2:
    case Stage::assemble:
      return role == Role::final;
  }
  return false;
}

void Machine::dispatch() {
  for (Slot& slot : slots_) {
    // Leases of finished work come back before new work goes out, or a lease on its way back could pass for a kept one.
    if (!slot.takes_work() || owes_leases(slot)) continue;
    switch (slot.id.role) {
      case Role::load:
        dispatch_load(slot);
        break;
      case Role::synth:
        dispatch_synth(slot);
        break;
      case Role::cpu:
      case Role::gpu:
        dispatch_prove(slot);
        break;
      case Role::final:
        dispatch_final(slot);
        break;
    }
  }
}

// Where a stage of this partition failed once, another slot of the kind does it, if one is left.
bool Machine::may_take(const Slot& slot, const Partition& partition, Stage stage) const {
  const bool only_cards = stage == Stage::prove && partition.for_cards && has_usable_card();
  const auto is_of_kind = [&](const Slot& any) {
    return serves(any.id.role, stage) && (any.id.role == Role::gpu || !only_cards);
  };
  if (!is_of_kind(slot)) return false;
  if (!partition.is_tainted_by(slot.id)) return true;
  if (stage == Stage::prove && now_ < partition.tainted_until) return false;
  return std::none_of(slots_.begin(), slots_.end(), [&](const Slot& other) {
    return is_of_kind(other) && other.usable() && !partition.is_tainted_by(other.id);
  });
}

void Machine::dispatch_load(Slot& slot) {
  if (!inspect_circuits_.empty()) {
    Circuit& circuit = *inspect_circuits_.front();
    inspect_circuits_.pop_front();
    circuit.phase = CircuitPhase::inspecting;
    Leases leases = {{circuit.key_file, LeaseMode::read_only}};
    if (circuit.r1cs_file) leases.emplace_back(circuit.r1cs_file, LeaseMode::read_only);
    assign_circuit(slot, circuit, Stage::inspect, leases,
                   AssignInspectCircuit{circuit.key_file, circuit.r1cs_file, circuit.source.key_path,
                                        circuit.source.r1cs_path, circuit.source.allow_insecure_key});
    return;
  }
  if (Circuit* circuit = take_circuit_to_load(slot.id.role)) return assign_load(slot, *circuit);
  Partition* partition =
      inspect_line_.pick(now_, [&](const Partition& p) { return may_take(slot, p, Stage::inspect); });
  if (!partition) return;
  inspect_line_.erase(partition, partition->job->uid);
  partition->phase = Phase::inspecting;
  const PartitionInput& input = partition->job->record.partitions[partition->index];
  const CircuitFacts& facts = partition->job->circuit->facts;
  assign_partition(
      slot, *partition, Stage::inspect, {{partition->input_file, LeaseMode::read_only}},
      AssignInspectInput{partition->input_file, input.name, input.declared_public_json, facts.curve, facts.n_vars,
                         facts.n_public, static_cast<std::uint32_t>(partition->job->partitions.size())});
}

// The next circuit that this role loads: a card makes keys if there is one, load slots read and check them.
Circuit* Machine::take_circuit_to_load(Role role) {
  const bool has_cards = has_usable_card();
  const auto it = std::find_if(load_circuits_.begin(), load_circuits_.end(), [&](const Circuit* circuit) {
    const bool is_made = circuit->facts.is_generated && circuit->phase != CircuitPhase::ready_adopt;
    return (is_made && has_cards) == (role == Role::gpu) || mutated(Mutation::keys_made_by_readers);
  });
  if (it == load_circuits_.end()) return nullptr;
  Circuit* const circuit = *it;
  load_circuits_.erase(it);
  return circuit;
}

void Machine::assign_load(Slot& slot, Circuit& circuit) {
  if (circuit.phase == CircuitPhase::ready_adopt) return assign_adopt(slot, circuit);
  circuit.phase = CircuitPhase::loading;
  Leases leases = {{circuit.key_file, LeaseMode::read_only}, {circuit.key, LeaseMode::writable}};
  if (circuit.r1cs_file) leases.emplace_back(circuit.r1cs_file, LeaseMode::read_only);
  if (circuit.r1cs) leases.emplace_back(circuit.r1cs, LeaseMode::writable);
  assign_circuit(slot, circuit, Stage::load, leases,
                 AssignLoad{circuit.key_file, circuit.r1cs_file, circuit.source.key_path, circuit.source.r1cs_path,
                            circuit.source.allow_insecure_key, circuit.facts.key_digest, circuit.facts.r1cs_digest,
                            circuit.key, circuit.r1cs});
}

void Machine::dispatch_synth(Slot& slot) {
  Partition* partition = synth_line_.pick(now_, [&](const Partition& p) { return may_take(slot, p, Stage::synth); });
  if (!partition) return;
  synth_line_.erase(partition, partition->admission);
  partition->phase = Phase::synthesising;
  ++syntheses_;
  const SegmentRef r1cs = partition->job->circuit->r1cs;
  Leases leases = {{partition->input_segment, LeaseMode::read_only}, {partition->witness, LeaseMode::writable}};
  if (partition->ab) leases.emplace_back(partition->ab, LeaseMode::writable);
  if (r1cs) leases.emplace_back(r1cs, LeaseMode::read_only);
  assign_partition(slot, *partition, Stage::synth, leases,
                   AssignSynth{partition->input_segment, partition->job->record.partitions[partition->index].name, r1cs,
                               partition->witness, partition->ab});
}

void Machine::dispatch_prove(Slot& slot) {
  if (slot.id.role == Role::gpu) {
    if (Circuit* circuit = take_circuit_to_load(slot.id.role)) return assign_load(slot, *circuit);
  }
  // A CPU worker takes `ab` over and transforms it in place; a GPU worker evaluates the rows itself.
  const bool takes_ab = slot.id.role == Role::cpu;
  Partition* partition =
      prove_line_.pick(now_, [&](const Partition& p) { return unleased(p.ab) && may_take(slot, p, Stage::prove); });
  if (!partition) return;
  prove_line_.erase(partition, partition->admission);
  partition->prove = Track::running;
  const Circuit& circuit = *partition->job->circuit;
  Leases leases = {{circuit.key, LeaseMode::read_only}, {partition->witness, LeaseMode::read_only}};
  if (circuit.r1cs) leases.emplace_back(circuit.r1cs, LeaseMode::read_only);
  const SegmentRef ab = takes_ab ? partition->ab : SegmentRef{};
  if (ab) leases.emplace_back(ab, LeaseMode::writable);
  const bool fresh = ab && partition->ab_is_fresh;
  if (takes_ab) partition->ab_is_fresh = false;
  if (takes_ab && partition->b2 == Track::with_prove) b2_to_finalizers(*partition);
  const bool with_b2 = partition->b2 == Track::with_prove;
  Task& task =
      assign_partition(slot, *partition, Stage::prove, leases,
                       AssignProve{circuit.key, circuit.r1cs, partition->witness, ab, fresh, partition->b_g2, with_b2});
  task.with_b2 = with_b2;
}

void Machine::dispatch_final(Slot& slot) {
  // Assembly first: it is short and frees a witness.
  const auto fits = [&](Stage stage) {
    return [this, &slot, stage](const Partition& p) { return may_take(slot, p, stage); };
  };
  if (Partition* partition = assemble_line_.pick(now_, fits(Stage::assemble))) {
    const Circuit& circuit = *partition->job->circuit;
    Leases leases = {{circuit.key, LeaseMode::read_only}, {partition->witness, LeaseMode::read_only}};
    if (circuit.r1cs) leases.emplace_back(circuit.r1cs, LeaseMode::read_only);
    assemble_line_.erase(partition, partition->admission);
    partition->assemble = Track::running;
    assign_partition(slot, *partition, Stage::assemble, leases,
                     AssignAssemble{circuit.key, circuit.r1cs, partition->witness, partition->sums, partition->b2_point,
                                    partition->input.statement});
    return;
  }
  Partition* partition = b2_line_.pick(now_, fits(Stage::b2));
  if (!partition) return;
  const Circuit& circuit = *partition->job->circuit;
  Leases leases = {{circuit.key, LeaseMode::read_only}, {partition->witness, LeaseMode::read_only}};
  if (circuit.r1cs) leases.emplace_back(circuit.r1cs, LeaseMode::read_only);
  b2_line_.erase(partition, partition->admission);
  partition->b2 = Track::running;
  assign_partition(slot, *partition, Stage::b2, leases, AssignB2{circuit.key, circuit.r1cs, partition->witness});
}

Task& Machine::assign(Slot& slot, Stage stage, const Work& work, std::uint64_t private_bytes, const Leases& leases,
                      Assignment what) {
  if (slot.credit == 0) violations_.push_back("I8: an assignment beyond the credit of " + to_string(slot.id));
  --slot.credit;
  Task& task = slot.tasks.emplace_back();
  task.id = next_assignment_++;
  task.stage = stage;
  task.attempt = work.attempt;
  task.begun_at = task.progress_at = now_;
  for (const auto& [ref, mode] : leases) {
    lease(slot, ref, mode, task.id);
    task.leases.push_back(ref);
  }
  slot.progress_permille = 0;
  // The process may take what the formula allows: a peak above a corrected need is to be seen, not to be killed.
  const auto known = stage == Stage::inspect ? std::nullopt : std::optional(private_bytes);
  act(Assign{slot.id, slot.epoch, task.id, work, std::move(what), known});
  publish(slot);
  return task;
}

Task& Machine::assign_partition(Slot& slot, Partition& partition, Stage stage, const Leases& leases, Assignment what) {
  Job& job = *partition.job;
  const Work work = next_work(partition, stage);
  partition.progress_permille = 0;
  Task& task = assign(slot, stage, work, std::max(partition.needs[stage], formula_needs(job.circuit->facts)[stage]),
                      leases, std::move(what));
  task.partition = &partition;
  task.span = job.timeline.size();
  partition.running.push_back({stage, slot.id, task.id});
  StageSpan span{partition.index, stage, slot.id, work.attempt, 0, 0, "", {}};
  if (const Charge* held = budget_.find({Holder::partition, partition.uid})) span.held = *held;
  span.begin_ms = static_cast<std::uint64_t>((now_ - job.accepted_at).count());
  job.timeline.push_back(span);
  act(Publish{"job." + job.record.job, "stage", job.record.job, partition.index, to_string(slot.id),
              std::string(to_string(stage)), "begins"});
  touch(job);
  return task;
}

Task& Machine::assign_circuit(Slot& slot, Circuit& circuit, Stage stage, const Leases& leases, Assignment what) {
  const Work work{"circuit." + circuit.name, 0, ++circuit.attempt};
  Task& task = assign(slot, stage, work, std::max(private_needs(circuit)[stage], formula_needs(circuit.facts)[stage]),
                      leases, std::move(what));
  task.circuit = &circuit;
  circuit.running = true;
  publish(circuit);
  return task;
}

void Machine::cancel_tasks(Partition& partition) {
  for (const Partition::Running& running : partition.running) {
    Slot& slot = *find_slot(running.slot);
    Task* task = find_task(slot, running.assignment);
    if (!task || task->cancel_deadline || slot.phase == SlotPhase::condemned) continue;
    task->cancel_deadline = now_ + config_.cancel_grace;
    act(CancelAssignment{slot.id, slot.epoch, task->id});
  }
}

void Machine::cancel_tasks(Circuit& circuit) {
  if (!circuit.running) return;
  for (Slot& slot : slots_)
    for (Task& task : slot.tasks) {
      if (task.circuit != &circuit || task.cancel_deadline || slot.phase == SlotPhase::condemned) continue;
      task.cancel_deadline = now_ + config_.cancel_grace;
      act(CancelAssignment{slot.id, slot.epoch, task.id});
    }
}

}  // namespace groth16d::supervisor
