// The world's processes: what they do with assignments, leases and signals, and how they die.
#include <algorithm>

#include "tests/core/trace.hpp"
#include "tests/core/world.hpp"

namespace groth16d::supervisor::test {
namespace {

std::vector<std::pair<SegmentRef, bool>> named_by(const Assignment& what) {
  std::vector<std::pair<SegmentRef, bool>> refs;  // ref, writable
  const auto add = [&](SegmentRef ref, bool writable) {
    if (ref) refs.emplace_back(ref, writable);
  };
  std::visit(
      [&](const auto& a) {
        using T = std::decay_t<decltype(a)>;
        if constexpr (requires { a.key_file; }) {
          add(a.key_file, false);
          add(a.r1cs_file, false);
        }
        if constexpr (requires { a.input_file; }) add(a.input_file, false);
        if constexpr (requires { a.input; }) add(a.input, false);
        constexpr bool load = std::is_same_v<T, AssignLoad>;
        constexpr bool synth = std::is_same_v<T, AssignSynth>;
        if constexpr (requires { a.key; }) add(a.key, load);
        if constexpr (requires { a.r1cs; }) add(a.r1cs, load);
        if constexpr (requires { a.witness; }) add(a.witness, synth);
        if constexpr (requires { a.ab; }) add(a.ab, true);
      },
      what);
  return refs;
}

std::string name_of(const Work& work) { return work.job + "/" + std::to_string(work.partition); }

}  // namespace

World::Process* World::process(SlotId slot, Epoch epoch) {
  const auto it = processes_.find({slot, epoch});
  return it == processes_.end() ? nullptr : &it->second;
}

void World::act(const SpawnSlot& spawn) {
  for (const auto& [key, process] : processes_)
    if (key.first == spawn.slot && process.alive) fault("W14: " + to_string(spawn.slot) + " gets a second process");
  if (spawn_fails()) return answer(SpawnFailed{spawn.slot, spawn.epoch, {ErrorCode::system, "spawn.fork", "EAGAIN"}});
  Process& p = processes_[{spawn.slot, spawn.epoch}];
  p.slot = spawn.slot;
  p.epoch = spawn.epoch;
  p.pid = ++last_pid_;
  later(Millis{0}, [this, life = life_, slot = spawn.slot, epoch = spawn.epoch, pid = p.pid] {
    if (life != life_) return;
    pass(Spawned{slot, epoch, pid});
    Process* born = process(slot, epoch);
    if (!born || !born->alive) return;
    send(*born, WorkerHello{{slot, epoch, 0}, pid, "test"});
  });
}

void World::act(const Welcome& welcome) {
  Process* p = process(welcome.slot, welcome.epoch);
  if (!p || !p->alive || p->frozen) return;
  send(*p, WorkerReady{{p->slot, p->epoch, 0}, 1});
  beat(p->slot, p->epoch);
}

void World::send(Process& p, Event event) {
  p.sent_until = std::max(p.sent_until, now_ + latency());
  const Millis delay = p.sent_until - now_;
  const int copies = repeats() ? 2 : 1;
  for (int i = 0; i < copies; ++i)
    later(delay, [this, life = life_, event] {
      if (life == life_) pass(event);
    });
}

void World::beat(SlotId slot, Epoch epoch) {
  later(config_.heartbeat, [this, life = life_, slot, epoch] {
    Process* p = life == life_ ? process(slot, epoch) : nullptr;
    if (!p || !p->alive || p->frozen) return;
    if (!p->task || p->behaviour.end != Behaviour::End::hangs) ++p->beats;
    send(*p, WorkerHeartbeat{{slot, epoch, p->task ? p->task->assignment : 0}, 500, p->beats, 1'000'000, 0});
    beat(slot, epoch);
  });
}

CircuitName World::circuit_of(const std::string& job) const {
  if (job.starts_with("circuit.")) return job.substr(8);
  const auto entry = journal_.find(job);
  return entry == journal_.end() ? CircuitName() : entry->second.record.circuit;
}

std::uint64_t World::private_bytes_of(const Assign& assign) const {
  if (std::holds_alternative<AssignAdopt>(assign.what)) return 0;
  const CircuitFacts f = facts("/keys/" + circuit_of(assign.work.job) + ".zkey");
  const std::array<std::uint64_t, kStages> bytes = {0,
                                                    f.load_private_bytes,
                                                    f.synth_private_bytes,
                                                    f.prove_private_bytes,
                                                    f.b2_private_bytes,
                                                    f.assemble_private_bytes};
  return bytes[static_cast<std::size_t>(stage_of(assign.what))];
}

// What the core says about a circuit when it admits work holds for that work, whatever is observed meanwhile.
void World::note_promise(const Work& work) {
  auto& promise = promises_[name_of(work)];
  for (const CircuitView& view : core_->circuits()) {
    if (view.circuit != circuit_of(work.job)) continue;
    for (const PrivateNeedView& need : view.needs) promise[static_cast<std::size_t>(need.stage)] = need.reserved_bytes;
  }
  b2_on_cards_.erase(name_of(work));
  if (config_.b_g2 == BG2::gpu && config_.role(Role::cpu).slots == 0) b2_on_cards_.insert(name_of(work));
}

// As far as a view tells: other states are also those of a slot that is on its way out.
bool World::has_usable_card() const {
  const std::vector<WorkerView> workers = core_->workers();
  return std::any_of(workers.begin(), workers.end(), [](const WorkerView& view) {
    return view.slot.role == Role::gpu && (view.state == SlotState::ready || view.state == SlotState::backoff);
  });
}

// As a worker measures it: all of its anonymous memory.
std::uint64_t World::peak_of(const Process& p) const {
  return config_.role(p.slot.role).resting_bytes + p.private_bytes;
}

void World::act(const Assign& assign) {
  assigned_.push_back(assign);
  const std::string work = assign.work.job + "/" + std::to_string(assign.work.partition) + "/" +
                           std::string(to_string(stage_of(assign.what)));
  const bool forgettable = work.starts_with("circuit.path:");  // the core forgets an unused circuit of a path
  if (assign.work.attempt <= attempts_[work] && !forgettable)
    fault("I9: attempt " + std::to_string(assign.work.attempt) + " of " + work + " is not new");
  attempts_[work] = assign.work.attempt;
  if (std::holds_alternative<AssignSynth>(assign.what) &&
      synthesised_.contains({assign.work.job, assign.work.partition}))
    fault("W20: " + work + " is done again although the witness was good");
  const auto* prove = std::get_if<AssignProve>(&assign.what);
  if (prove && assign.slot.role == Role::gpu && prove->ab)
    fault("W23: " + to_string(assign.slot) + " is given rows that it does not read");
  if (std::holds_alternative<AssignB2>(assign.what) && b2_on_cards_.contains(name_of(assign.work)))
    fault("W25: " + to_string(assign.slot) + " sums a B2 that is a card's");
  if (std::holds_alternative<AssignLoad>(assign.what)) {
    const bool is_made = facts("/keys/" + circuit_of(assign.work.job) + ".zkey").is_generated;
    const bool is_cards = assign.slot.role == Role::gpu;
    if (is_made ? !is_cards && has_usable_card() : is_cards)
      fault("W27: " + to_string(assign.slot) + " makes or reads a key that is another role's");
  }
  if (prove && prove->with_b2 && (assign.slot.role != Role::gpu || prove->b_g2 == BG2::cpu))
    fault("W26: " + to_string(assign.slot) + " is asked for a B2 whose points it does not hold");
  Process* p = process(assign.slot, assign.epoch);
  if (!p || !p->alive) return;
  if (p->task) return fault("I8: " + to_string(assign.slot) + " is given a second assignment");
  for (const auto& [ref, writable] : named_by(assign.what)) {
    if (!p->leases.contains(ref))
      return fault("W15: " + to_string(assign.slot) + " lacks a lease that its assignment names");
    if (writable && !memory_.at(ref).writers.contains({assign.slot, assign.epoch}))
      return fault("W16: " + to_string(assign.slot) + " cannot write what its assignment wants written");
  }
  p->task = assign;
  p->behaviour = script(assign);
  p->private_bytes = private_bytes_of(assign) * p->behaviour.private_permille / 1'000;
  const std::uint64_t promised = promises_[name_of(assign.work)][static_cast<std::size_t>(stage_of(assign.what))];
  p->promised_bytes = std::min(p->private_bytes, promised);
  begin(*p);
}

void World::begin(Process& p) {
  const std::uint64_t serial = ++p.task_serial;
  later(p.behaviour.duration, [this, life = life_, slot = p.slot, epoch = p.epoch, serial] {
    Process* worker = life == life_ ? process(slot, epoch) : nullptr;
    if (!worker || !worker->alive || worker->frozen || worker->task_serial != serial || !worker->task) return;
    finish(*worker);
  });
}

void World::finish(Process& p) {
  const Assign task = *p.task;
  const WorkerToken from{p.slot, p.epoch, task.assignment};
  switch (p.behaviour.end) {
    case Behaviour::End::crash:
      return die(p, std::nullopt, 11, false);
    case Behaviour::End::killed:
      return die(p, std::nullopt, 9, false);
    case Behaviour::End::oom:
      return die(p, std::nullopt, 9, true);
    case Behaviour::End::exits:
      return die(p, p.behaviour.exit_code, 0, false);
    case Behaviour::End::freezes:
      p.frozen = true;
      return;
    case Behaviour::End::hangs:
      return;
    case Behaviour::End::fails:
      if (p.behaviour.blame == Blame::verification) synthesised_.erase({task.work.job, task.work.partition});
      send(p, AssignmentFailed{from, p.behaviour.error, p.behaviour.retryable, p.behaviour.blame, peak_of(p)});
      return end_task(p, true);
    case Behaviour::End::done:
      break;
  }
  const std::string tag = name_of(task.work);
  const std::uint64_t peak = peak_of(p);
  std::visit(
      [&](const auto& a) {
        using T = std::decay_t<decltype(a)>;
        if constexpr (std::is_same_v<T, AssignInspectCircuit>) send(p, CircuitInspected{from, facts(a.key_name)});
        if constexpr (std::is_same_v<T, AssignInspectInput>)
          send(p, InputInspected{from, {1, 10'000, "statement of " + tag}});
        if constexpr (std::is_same_v<T, AssignLoad> || std::is_same_v<T, AssignAdopt>)
          send(p, CircuitLoaded{from, facts(a.key_name), peak});
        if constexpr (std::is_same_v<T, AssignSynth>) send(p, WitnessSealed{from, 30'000, peak});
        if constexpr (std::is_same_v<T, AssignProve>) {
          const bool has_b2 = a.with_b2 && !(p.behaviour.no_room_for_b2 && a.b_g2 == BG2::automatic);
          send(p, ProveDone{from, "sums of " + tag, peak, has_b2 ? "b2 of " + tag : "", p.behaviour.loading});
        }
        if constexpr (std::is_same_v<T, AssignB2>) send(p, B2Done{from, "b2 of " + tag, peak});
        if constexpr (std::is_same_v<T, AssignAssemble>) {
          if (a.sums != "sums of " + tag || a.b2 != "b2 of " + tag || a.statement != "statement of " + tag)
            fault("W17: parts of different partitions are assembled");
          send(p, AssembleDone{from, {"proof of " + tag, "{}", "[]"}, peak});
        }
      },
      task.what);
  end_task(p, true);
}

// RELEASED of everything but the resident leases, then READY. A descriptor counts as given back when RELEASED arrives.
void World::end_task(Process& p, bool release) {
  const Assign task = *p.task;
  const bool load = std::holds_alternative<AssignLoad>(task.what);
  p.task.reset();
  p.private_bytes = p.promised_bytes = 0;
  const std::set<SegmentRef> evictions = std::exchange(p.evictions, {});
  const bool owes_nothing = std::holds_alternative<AssignAdopt>(task.what);  // it reads residents only
  if (!release || (p.behaviour.keeps_leases && !owes_nothing)) return;
  for (const auto& [ref, writable] : named_by(task.what)) {
    const Memory& memory = memory_.at(ref);
    const bool resident = (memory.kind == BufferKind::key || memory.kind == BufferKind::r1cs) && !load;
    if (resident) continue;
    p.leases.erase(ref);
    memory_.at(ref).readers.erase({p.slot, p.epoch});
    // Only what is sealed can show a lie; nobody can tell a prove worker's mapping of `ab` from a released one.
    if (p.behaviour.lies_about_seal && writable && !std::holds_alternative<AssignProve>(task.what)) {
      p.clings.insert(ref);
    } else {
      memory_.at(ref).writers.erase({p.slot, p.epoch});
    }
    send(p, WorkerReleased{{p.slot, p.epoch, task.assignment}, ref});
  }
  for (const SegmentRef ref : evictions) give_back(p, ref);
  send(p, WorkerReady{{p.slot, p.epoch, 0}, 1});
}

void World::act(const CancelAssignment& cancel) {
  later(latency(), [this, life = life_, cancel] {
    Process* p = life == life_ ? process(cancel.slot, cancel.epoch) : nullptr;
    if (!p || !p->alive || p->frozen || !p->task || p->task->assignment != cancel.assignment) return;
    if (p->behaviour.ignores_cancel || p->behaviour.end == Behaviour::End::hangs) return;
    send(*p, AssignmentCancelled{{p->slot, p->epoch, cancel.assignment}});
    end_task(*p, true);
  });
}

void World::act(const EvictLease& evict) {
  later(latency(), [this, life = life_, evict] {
    Process* p = life == life_ ? process(evict.slot, evict.epoch) : nullptr;
    if (!p || !p->alive || p->frozen) return;
    const auto used = p->task ? named_by(p->task->what) : decltype(named_by({})){};
    const bool in_use =
        std::any_of(used.begin(), used.end(), [&](const auto& use) { return use.first == evict.segment; });
    if (in_use)
      p->evictions.insert(evict.segment);
    else
      give_back(*p, evict.segment);
  });
}

void World::give_back(Process& p, SegmentRef segment) {
  if (p.leases.erase(segment) == 0) return;
  memory_.at(segment).readers.erase({p.slot, p.epoch});
  send(p, WorkerReleased{{p.slot, p.epoch, 0}, segment});
}

void World::act(const DrainWorker& drain) {
  later(latency(), [this, life = life_, drain] {
    Process* p = life == life_ ? process(drain.slot, drain.epoch) : nullptr;
    if (!p || !p->alive || p->frozen) return;
    if (worker_is_slow_to_die()) return;
    send(*p, WorkerBye{{p->slot, p->epoch, 0}});
    die(*p, 0, 0, false);
  });
}

void World::act(const Kill& kill) {
  later(latency(), [this, life = life_, kill] {
    Process* p = life == life_ ? process(kill.slot, kill.epoch) : nullptr;
    if (!p || !p->alive) return;
    if (kill.signal == KillSignal::abort && (p->frozen || worker_is_slow_to_die())) return;
    die(*p, std::nullopt, kill.signal == KillSignal::abort ? 6 : 9, false);
  });
}

void World::kill(SlotId slot, int signal) {
  for (auto& [key, p] : processes_)
    if (key.first == slot && p.alive) die(p, std::nullopt, signal, false);
}

// The kernel takes everything back at once; the supervisor learns of it from the pidfd a little later.
void World::die(Process& p, std::optional<int> exit_code, int signal, bool oom) {
  p.alive = false;
  p.private_bytes = p.promised_bytes = 0;
  for (auto& [ref, memory] : memory_) {
    memory.readers.erase({p.slot, p.epoch});
    memory.writers.erase({p.slot, p.epoch});
  }
  p.leases.clear();
  answer(ExitObserved{p.slot, p.epoch, exit_code, signal, oom, ""});
}

void World::act(const Exit& exit) {
  if (exit.code != 0) fault("W18: drain ends with code " + std::to_string(exit.code));
  if (live_processes() != 0) fault("I10: processes are left after drain");
  if (!memory_.empty()) fault("I10: segments or files are left after drain");
  exited_ = true;
}

}  // namespace groth16d::supervisor::test
