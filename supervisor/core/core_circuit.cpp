// The life of a circuit: registered, inspected, loaded, evicted, failed, removed. The prose is in circuit.hpp.
#include <algorithm>

#include "supervisor/core/machine.hpp"

namespace groth16d::supervisor {
namespace {

bool is_circuit_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 &&
         name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") ==
             std::string::npos;
}

AccountId account(const Circuit& circuit) { return {Holder::circuit, circuit.uid}; }

}  // namespace

// ------------------------------------------------------------------ registration

void Machine::handle(const CircuitAddRequested& request) {
  if (drain_ != Drain::none)
    return reply_error(request.token, {ErrorCode::unavailable, "daemon.draining", "the daemon is draining"});
  if (!is_circuit_name(request.circuit))
    return reply_error(request.token,
                       {ErrorCode::malformed, "circuit.name", "a circuit's name is 1 to 64 of [A-Za-z0-9._-]"});
  if (request.source.key_path.empty())
    return reply_error(request.token, {ErrorCode::malformed, "circuit.key_path", "no key path is given"});
  const auto it = circuit_uids_.find(request.circuit);
  if (it == circuit_uids_.end()) {
    Circuit& circuit = create_circuit(request.circuit, request.source, false);
    circuit.phase = CircuitPhase::storing;
    circuit.add_tokens.push_back(request.token);
    ++journal_writes_;
    return act(StoreCircuit{circuit.name, circuit.source});
  }
  Circuit& circuit = circuits_.at(it->second);
  if (circuit.remove_asked || circuit.source != request.source)
    return reply_error(
        request.token,
        {ErrorCode::conflict, "circuit.exists",
         circuit.remove_asked ? "circuit " + shown_name(circuit.name) + " is being removed"
                              : "circuit " + shown_name(circuit.name) + " exists with other files; remove it first"});
  if (circuit.phase == CircuitPhase::storing) return circuit.add_tokens.push_back(request.token);
  if (circuit.phase != CircuitPhase::failed) return reply(request.token, 200);
  circuit.failure.reset();  // its files may have been mended
  circuit.deaths.clear();
  circuit.retries = circuit.allocation_failures = 0;
  circuit.inspected = false;
  circuit.wanted = true;
  open_circuit_files(circuit, CircuitPhase::opening);
  reply(request.token, 202);
}

Circuit& Machine::create_circuit(CircuitName name, CircuitSource source, bool by_path) {
  const std::uint64_t uid = next_uid_++;
  Circuit& circuit = circuits_[uid];
  circuit.uid = uid;
  circuit.name = std::move(name);
  circuit.source = std::move(source);
  circuit.by_path = by_path;
  circuit.last_used = now_;
  circuit_uids_[circuit.name] = uid;
  return circuit;
}

void Machine::handle(const CircuitStored& event) {
  const auto it = circuit_uids_.find(event.circuit);
  if (it == circuit_uids_.end() || circuits_.at(it->second).phase != CircuitPhase::storing) return stale();
  Circuit& circuit = circuits_.at(it->second);
  --journal_writes_;
  for (const ReplyToken token : circuit.add_tokens) reply(token, 202);
  circuit.add_tokens.clear();
  circuit.wanted = true;
  if (drain_ != Drain::none) {
    circuit.phase = CircuitPhase::known;
    return;
  }
  open_circuit_files(circuit, CircuitPhase::opening);
}

void Machine::handle(const CircuitStoreFailed& event) {
  const auto it = circuit_uids_.find(event.circuit);
  if (it == circuit_uids_.end() || circuits_.at(it->second).phase != CircuitPhase::storing) return stale();
  Circuit& circuit = circuits_.at(it->second);
  --journal_writes_;
  Error error = event.error;
  if (error.code == ErrorCode::system) error.code = ErrorCode::unavailable;
  for (const ReplyToken token : circuit.add_tokens) reply_error(token, error);
  circuit_uids_.erase(circuit.name);
  circuits_.erase(circuit.uid);
}

void Machine::handle(const CircuitRemoveRequested& request) {
  const auto it = circuit_uids_.find(request.circuit);
  if (it == circuit_uids_.end() || circuits_.at(it->second).by_path)
    return reply_error(request.token,
                       {ErrorCode::not_found, "circuit.unknown", "there is no circuit " + request.circuit});
  Circuit& circuit = circuits_.at(it->second);
  if (circuit.unfinished_jobs > 0 || circuit.phase == CircuitPhase::storing)
    return reply_error(request.token, {ErrorCode::conflict, "circuit.in_use",
                                       "circuit " + shown_name(circuit.name) + " has " +
                                           std::to_string(circuit.unfinished_jobs) + " unfinished jobs"});
  circuit.remove_tokens.push_back(request.token);
  if (circuit.remove_asked) return;
  circuit.remove_asked = true;
  ++journal_writes_;
  act(DeleteCircuit{circuit.name});
}

void Machine::handle(const CircuitDeleted& event) {
  const auto it = circuit_uids_.find(event.circuit);
  if (it == circuit_uids_.end() || circuits_.at(it->second).remove_tokens.empty()) return stale();
  Circuit& circuit = circuits_.at(it->second);
  --journal_writes_;
  for (const ReplyToken token : circuit.remove_tokens) reply(token, 200);
  circuit.remove_tokens.clear();
  retreat(circuit, AfterRetreat::erase);
}

void Machine::handle(const CircuitDeleteFailed& event) {
  const auto it = circuit_uids_.find(event.circuit);
  if (it == circuit_uids_.end() || circuits_.at(it->second).remove_tokens.empty()) return stale();
  Circuit& circuit = circuits_.at(it->second);
  --journal_writes_;
  Error error = event.error;
  if (error.code == ErrorCode::system) error.code = ErrorCode::unavailable;
  for (const ReplyToken token : circuit.remove_tokens) reply_error(token, error);
  circuit.remove_tokens.clear();
  circuit.remove_asked = false;
}

// ------------------------------------------------------------------ inspection and loading

void Machine::open_circuit_files(Circuit& circuit, CircuitPhase phase) {
  circuit.phase = phase;
  circuit.key_file = new_file(account(circuit));
  std::vector<FileSpec> files = {FileSpec{circuit.key_file, circuit.source.key_path, false, {}, 0}};
  if (circuit.has_r1cs()) {
    circuit.r1cs_file = new_file(account(circuit));
    files.push_back(FileSpec{circuit.r1cs_file, circuit.source.r1cs_path, false, {}, 0});
  }
  circuit.request = ask_files(account(circuit), std::move(files));
  publish(circuit);
}

void Machine::circuit_files_opened(Circuit& circuit) {
  if (circuit.phase == CircuitPhase::opening) {
    circuit.phase = CircuitPhase::ready_inspect;
    inspect_circuits_.push_back(&circuit);
  } else if (circuit.phase == CircuitPhase::opening_load) {
    circuit.phase = CircuitPhase::allocating;
    std::vector<SegmentRef> refs;
    circuit.key = segments_.create(account(circuit), BufferKind::key, circuit.facts.key_bytes).ref;
    refs.push_back(circuit.key);
    if (circuit.facts.r1cs_bytes > 0) {
      circuit.r1cs = segments_.create(account(circuit), BufferKind::r1cs, circuit.facts.r1cs_bytes).ref;
      refs.push_back(circuit.r1cs);
    }
    circuit.request = ask_segments(account(circuit), refs, Work{"circuit." + circuit.name, 0, circuit.attempt});
  } else {
    settle(circuit);
  }
}

void Machine::circuit_allocated(Circuit& circuit) {
  if (circuit.phase != CircuitPhase::allocating) return settle(circuit);
  circuit.phase = CircuitPhase::ready_load;
  load_circuits_.push_back(&circuit);
}

void Machine::circuit_request_failed(Circuit& circuit, const Error& error, bool allocation) {
  if (circuit.phase == CircuitPhase::retreating) return settle(circuit);
  if (!allocation) return fail_circuit(circuit, error);
  if (++circuit.allocation_failures > config_.max_allocation_failures) return fail_circuit(circuit, error);
  log(nullptr, 4, "", "circuit " + shown_name(circuit.name) + " waits: " + error.text);
  circuit.blocked = true;
  timers_.arm({TimerKey::Kind::circuit_memory, circuit.uid}, now_ + memory_pause(circuit.allocation_failures));
  retreat(circuit, AfterRetreat::known);
}

void Machine::handle(const CircuitInspected& event) {
  Slot* slot = believe_task(event.from, Stage::inspect);
  if (!slot) return;
  Circuit* circuit = find_task(*slot, event.from.assignment)->circuit;
  if (!circuit) return stale();
  const bool wanted = circuit->phase == CircuitPhase::inspecting;
  end_task(*slot, event.from.assignment, wanted ? "done" : "cancelled");
  succeed(slot->id);
  circuit->source_bytes_read += event.facts.source_bytes_read;
  if (wanted) {
    if (circuit->facts.key_digest != event.facts.key_digest) circuit->peaks = {};
    circuit->facts = event.facts;
    circuit->inspected = true;
    log(nullptr, 6, to_string(slot->id),
        "circuit " + shown_name(circuit->name) + " inspected: " + circuit->facts.curve + ", " +
            std::to_string(circuit->facts.n_constraints) + " constraints");
    retreat(*circuit, AfterRetreat::known);
  } else {
    settle(*circuit);
  }
}

void Machine::circuit_known(Circuit& circuit) {
  publish(circuit);
  unpark(circuit);
  if (drain_ != Drain::none || !circuit.inspected) return;
  begin_intakes(circuit);
  forget_if_unused(circuit);
}

// The circuit's sizes are known now.
void Machine::begin_intakes(Circuit& circuit) {
  if (drain_ != Drain::none) return;
  for (auto& [uid, job] : jobs_) {
    if (job.circuit != &circuit || !job.durable) continue;
    for (Partition& partition : job.partitions) begin_intake(partition);
    maybe_complete(job);
  }
}

void Machine::unpark(Circuit& circuit) {
  const std::set<Partition*> parked = std::exchange(circuit.parked, {});
  for (Partition* partition : parked) enqueue(*partition);
}

Charge Machine::load_charge(const Circuit& circuit) const {
  Charge charge;
  charge[BufferKind::key] = segment_bytes(circuit.facts.key_bytes);
  if (circuit.facts.r1cs_bytes > 0) charge[BufferKind::r1cs] = segment_bytes(circuit.facts.r1cs_bytes);
  charge[BufferKind::private_memory] = private_needs(circuit)[Stage::load];
  return charge;
}

bool Machine::begin_load(Circuit& circuit, bool critical) {
  if (!budget_.try_reserve(account(circuit), load_charge(circuit), critical)) return false;
  open_circuit_files(circuit, CircuitPhase::opening_load);
  return true;
}

void Machine::handle(const CircuitLoaded& event) {
  Slot* slot = believe_task(event.from, Stage::load);
  if (!slot) return;
  Circuit* circuit = find_task(*slot, event.from.assignment)->circuit;
  const bool adopting = circuit->phase == CircuitPhase::adopting;
  const bool wanted = circuit->phase == CircuitPhase::loading;
  if (!adopting) observe_peak(*slot, event.from.assignment, event.private_peak_bytes, true);
  end_task(*slot, event.from.assignment, wanted || adopting ? "done" : "cancelled");
  succeed(slot->id);
  if (adopting) return adopted(*circuit, event.facts);
  circuit->source_bytes_read += event.facts.source_bytes_read;
  if (!wanted) return settle(*circuit);
  circuit->facts = event.facts;
  ++circuit->loads;
  if (event.facts.source_bytes_read == 0) ++circuit->cache_hits;
  circuit->phase = CircuitPhase::sealing;
  doom(circuit->key_file);
  doom(circuit->r1cs_file);
  if (const Charge* charge = budget_.find(account(*circuit)))
    budget_.release(account(*circuit), BufferKind::private_memory, (*charge)[BufferKind::private_memory]);
  settle(*circuit);
}

void Machine::circuit_resident(Circuit& circuit) {
  circuit.phase = CircuitPhase::resident;
  circuit.wanted = false;
  circuit.last_used = now_;
  circuit.deaths.clear();
  circuit.retries = circuit.allocation_failures = 0;
  circuit.b2_refused_by.reset();
  log(nullptr, 6, "", "circuit " + shown_name(circuit.name) + " is resident");
  if (!circuit.by_path)
    act(KeepResident{circuit.name, circuit.key, circuit.r1cs, circuit.facts.key_digest, circuit.facts.r1cs_digest});
  publish(circuit);
  unpark(circuit);
}

// ------------------------------------------------------------------ the way back

void Machine::retreat(Circuit& circuit, AfterRetreat after) {
  circuit.after = circuit.phase == CircuitPhase::retreating ? std::max(circuit.after, after) : after;
  circuit.phase = CircuitPhase::retreating;
  std::erase(inspect_circuits_, &circuit);
  std::erase(load_circuits_, &circuit);
  cancel_tasks(circuit);
  for (const SegmentRef ref : {circuit.key_file, circuit.r1cs_file, circuit.key, circuit.r1cs}) doom(ref);
  settle(circuit);
}

void Machine::settle(Circuit& circuit) {
  if (circuit.phase == CircuitPhase::sealing) {
    if (!unleased(circuit.key) || !unleased(circuit.r1cs)) return;
    for (const SegmentRef ref : {circuit.key, circuit.r1cs}) {
      Segment* segment = segments_.find(ref);
      if (!segment || segment->sealing) continue;
      segment->sealing = true;
      act(SealSegment{ref});
    }
    return;
  }
  if (circuit.phase != CircuitPhase::retreating || !circuit.holds_nothing()) return;
  budget_.close(account(circuit));
  AfterRetreat after = circuit.after;
  if (after == AfterRetreat::erase && circuit.unfinished_jobs > 0) after = AfterRetreat::known;  // one came meanwhile
  if (drain_ != Drain::none && after == AfterRetreat::inspect_again) after = AfterRetreat::known;
  switch (after) {
    case AfterRetreat::inspect_again:
      return open_circuit_files(circuit, CircuitPhase::opening);
    case AfterRetreat::known:
      circuit.phase = CircuitPhase::known;
      return circuit_known(circuit);
    case AfterRetreat::failed:
      circuit.phase = CircuitPhase::failed;
      publish(circuit);
      return forget_if_unused(circuit);
    case AfterRetreat::erase:
      timers_.disarm({TimerKey::Kind::circuit_memory, circuit.uid});
      act(Publish{"circuit." + circuit.name, "circuit", {}, 0, "", "removed", ""});
      circuit_uids_.erase(circuit.name);
      circuits_.erase(circuit.uid);
      return;
  }
}

void Machine::forget_if_unused(Circuit& circuit) {
  if (!circuit.by_path || circuit.unfinished_jobs > 0) return;
  if (circuit.phase == CircuitPhase::known || circuit.phase == CircuitPhase::failed)
    retreat(circuit, AfterRetreat::erase);
}

void Machine::fail_circuit(Circuit& circuit, Error error) {
  log(nullptr, 3, "", "circuit " + shown_name(circuit.name) + " failed: " + error.text);
  circuit.failure = error;
  circuit.wanted = false;
  std::vector<Job*> waiting;
  for (auto& [uid, job] : jobs_)
    if (job.circuit == &circuit) waiting.push_back(&job);
  for (Job* job : waiting) end_job(*job, JobState::failed, error);
  retreat(circuit, AfterRetreat::failed);
}

void Machine::circuit_task_lost(Circuit& circuit, SlotId slot, Death death) {
  if (circuit.phase == CircuitPhase::retreating) return settle(circuit);
  const bool counts = death == Death::crash || death == Death::oom || death == Death::stuck || death == Death::frozen;
  if (circuit.phase == CircuitPhase::adopting && !counts) {  // the segments have not suffered
    circuit.phase = CircuitPhase::ready_adopt;
    return load_circuits_.push_back(&circuit);
  }
  if (counts) {
    circuit.deaths.push_back(slot);
    blame_.record(circuit.uid, slot);
  }
  if (circuit.deaths.size() >= config_.deaths_to_quarantine) {
    for (Slot& s : slots_) s.policy.forgive(circuit.uid);
    blame_.forget_job(circuit.uid);
    return fail_circuit(circuit, {ErrorCode::internal, "circuit.quarantined",
                                  "loading circuit " + shown_name(circuit.name) + " ended " +
                                      std::to_string(circuit.deaths.size()) + " workers"});
  }
  circuit.wanted = true;
  if (circuit.phase == CircuitPhase::adopting) return adoption_failed(circuit, "its check ended with a worker");
  retreat(circuit, circuit.inspected ? AfterRetreat::known : AfterRetreat::inspect_again);
}

CircuitState Machine::state_of(const Circuit& circuit) const {
  if (circuit.failure) return CircuitState::failed;
  if (circuit.phase == CircuitPhase::resident) return CircuitState::resident;
  if (circuit.phase >= CircuitPhase::opening_load && circuit.phase <= CircuitPhase::adopting)
    return CircuitState::loading;
  return CircuitState::registered;
}

void Machine::publish(const Circuit& circuit) {
  act(Publish{"circuit." + circuit.name,
              "circuit",
              {},
              0,
              "",
              std::string(to_string(state_of(circuit))),
              circuit.failure ? circuit.failure->text : ""});
}

}  // namespace groth16d::supervisor
