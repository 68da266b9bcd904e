// Slots and their processes: spawning, listening, condemning, reaping, restarting. The prose is in slot.hpp.
#include <algorithm>

#include "supervisor/core/machine.hpp"

namespace groth16d::supervisor {
namespace {

// Exit codes of workers are an API (docs/DESIGN.md, section 7).
constexpr int kExitOrderly = 0;
constexpr int kExitUnusable = 69;
constexpr int kExitConfiguration = 78;
constexpr int kSigKill = 9;

template <class Slots>
auto find_in(Slots& slots, SlotId id) -> decltype(&slots.front()) {
  const auto it = std::find_if(slots.begin(), slots.end(), [id](const Slot& slot) { return slot.id == id; });
  return it == slots.end() ? nullptr : &*it;
}

void keep_earliest(std::optional<TimePoint>& earliest, std::optional<TimePoint> candidate) {
  if (candidate && (!earliest || *candidate < *earliest)) earliest = candidate;
}

}  // namespace

// ------------------------------------------------------------------ fencing

Slot* Machine::find_slot(SlotId id) { return find_in(slots_, id); }
const Slot* Machine::find_slot(SlotId id) const { return find_in(slots_, id); }

bool Machine::is_current(const Slot& slot, Epoch epoch) const {
  return slot.epoch == epoch || mutated(Mutation::no_fencing);
}

// Only the present epoch is believed, and not once it has been condemned: a racing SIGCONT changes nothing.
Slot* Machine::believe(const WorkerToken& from) {
  Slot* slot = find_slot(from.slot);
  if (slot && is_current(*slot, from.epoch) &&
      (slot->phase == SlotPhase::starting || slot->phase == SlotPhase::ready)) {
    slot->heard_at = now_;
    return slot;
  }
  stale();
  return nullptr;
}

Slot* Machine::believe_task(const WorkerToken& from, Stage stage) {
  Slot* slot = believe(from);
  if (!slot) return nullptr;
  const Task* task = find_task(*slot, from.assignment);
  if (task && task->stage == stage) return slot;
  stale();
  return nullptr;
}

Task* Machine::find_task(Slot& slot, AssignmentId id) {
  const auto it = std::find_if(slot.tasks.begin(), slot.tasks.end(), [id](const Task& task) { return task.id == id; });
  return it == slot.tasks.end() ? nullptr : &*it;
}

void Machine::end_task(Slot& slot, AssignmentId id, const std::string& outcome) {
  const Task task = *find_task(slot, id);
  std::erase_if(slot.tasks, [id](const Task& t) { return t.id == id; });
  if (task.circuit) task.circuit->running = false;
  if (!task.partition) return publish(slot);
  Job& job = *task.partition->job;
  std::erase_if(task.partition->running, [id](const Partition::Running& running) { return running.assignment == id; });
  StageSpan& span = job.timeline[task.span];
  span.end_ms = static_cast<std::uint64_t>((now_ - job.accepted_at).count());
  span.outcome = outcome;
  log(&job, 6, to_string(slot.id),
      std::string(to_string(task.stage)) + " of partition " + std::to_string(task.partition->index) + ": " + outcome +
          " after " + std::to_string(span.end_ms - span.begin_ms) + " ms");
  act(Publish{"job." + job.record.job, "stage", job.record.job, task.partition->index, to_string(slot.id),
              std::string(to_string(task.stage)), outcome});
  touch(job);
  publish(slot);
}

// ------------------------------------------------------------------ messages

void Machine::handle(const WorkerHello& event) {
  Slot* slot = believe(event.from);
  if (!slot) return;
  slot->build = event.build;
  act(Welcome{slot->id, slot->epoch, static_cast<std::uint32_t>(config_.heartbeat.count()),
              config_.role(slot->id.role).threads});
}

void Machine::handle(const WorkerReady& event) {
  Slot* slot = believe(event.from);
  if (!slot) return;
  slot->credit = event.credit;
  slot->ever_ready = true;
  if (slot->phase == SlotPhase::ready) return;
  slot->phase = SlotPhase::ready;
  slot->start_deadline.reset();
  publish(*slot);
}

void Machine::handle(const WorkerHeartbeat& event) {
  Slot* slot = believe(event.from);
  if (!slot) return;
  slot->rss_bytes = event.rss_bytes;
  Task* task = find_task(*slot, event.from.assignment);
  if (!task) return;
  slot->progress_permille = event.progress_permille;
  if (task->partition) task->partition->progress_permille = event.progress_permille;
  if (event.beats == task->beats && !mutated(Mutation::heartbeat_is_progress)) return;
  task->beats = event.beats;
  task->progress_at = now_;
}

void Machine::handle(const WorkerLog& event) {
  Slot* slot = believe(event.from);
  if (!slot) return;
  const Task* task = find_task(*slot, event.from.assignment);
  log(task && task->partition ? task->partition->job : nullptr, event.level, to_string(slot->id), event.text);
}

void Machine::handle(const WorkerBye& event) {
  Slot* slot = believe(event.from);
  if (slot) slot->draining = true;  // it takes no more; the pidfd tells when it is gone
}

// ------------------------------------------------------------------ birth

void Machine::spawn(Slot& slot) {
  ++slot.epoch;
  slot.phase = SlotPhase::spawning;
  slot.pid = 0;
  slot.credit = 0;
  slot.intent = Slot::Intent::run;
  slot.draining = slot.drain_sent = slot.kill_when_spawned = slot.abort_sent = false;
  slot.verdict.reset();
  slot.respawn_at.reset();
  slot.kill_at.reset();
  slot.release_deadline.reset();
  slot.drain_deadline.reset();
  slot.start_deadline = now_ + config_.start_deadline;
  slot.rss_bytes = 0;
  forget_b2_refusals(slot.id);
  act(SpawnSlot{slot.id, slot.epoch, config_.role(slot.id.role).threads});
  publish(slot);
}

void Machine::handle(const Spawned& event) {
  Slot* slot = find_slot(event.slot);
  if (!slot || slot->epoch != event.epoch || slot->pid != 0 || !slot->has_process()) return stale();
  slot->pid = event.pid;
  slot->heard_at = now_;
  if (slot->phase == SlotPhase::spawning) slot->phase = SlotPhase::starting;
  if (slot->kill_when_spawned) act(Kill{slot->id, slot->epoch, KillSignal::kill, "no longer wanted"});
  slot->kill_when_spawned = false;
  publish(*slot);
}

void Machine::handle(const SpawnFailed& event) {
  Slot* slot = find_slot(event.slot);
  if (!slot || slot->epoch != event.epoch || slot->pid != 0 || !slot->has_process()) return stale();
  log(nullptr, 3, to_string(slot->id), "cannot be spawned: " + event.error.text);
  after_death(*slot, slot->verdict.value_or(Death::crash), 0);
}

// ------------------------------------------------------------------ death

// Decides that this process ends. From now on it is not believed; what it holds is reclaimed when its pidfd fires.
void Machine::condemn(Slot& slot, Death verdict, KillSignal signal, const std::string& reason) {
  if (!slot.has_process() || slot.phase == SlotPhase::condemned) {
    if (slot.phase == SlotPhase::condemned && signal == KillSignal::kill && slot.abort_sent) {
      slot.kill_at.reset();
      slot.abort_sent = false;
      act(Kill{slot.id, slot.epoch, KillSignal::kill, reason});
    }
    return;
  }
  slot.phase = SlotPhase::condemned;
  slot.verdict = verdict;
  log(nullptr, 4, to_string(slot.id), std::string(to_string(verdict)) + ": " + reason);
  if (slot.pid == 0) {
    slot.kill_when_spawned = true;
    return;
  }
  if (signal == KillSignal::abort) {
    slot.abort_sent = true;
    slot.kill_at = now_ + config_.abort_grace;
  }
  act(Kill{slot.id, slot.epoch, signal, reason});
  publish(slot);
  if (mutated(Mutation::reclaim_at_signal))
    while (!slot.held.empty()) drop_lease(slot, *slot.held.begin());
}

Death Machine::classify(const Slot& slot, const ExitObserved& exit) const {
  if (slot.verdict) return *slot.verdict;
  if (exit.oom) return Death::oom;
  if (!exit.exit_code) return exit.signal == kSigKill ? Death::operator_kill : Death::crash;
  if (*exit.exit_code == kExitOrderly) return slot.drain_sent ? Death::requested : Death::orderly;
  if (*exit.exit_code == kExitUnusable) return Death::unusable;
  if (*exit.exit_code == kExitConfiguration) return Death::configuration;
  return Death::crash;
}

void Machine::handle(const ExitObserved& event) {
  Slot* slot = find_slot(event.slot);
  if (!slot || !is_current(*slot, event.epoch) || !slot->has_process()) return stale();
  const Death death = classify(*slot, event);
  const std::string how =
      event.exit_code ? "exit " + std::to_string(*event.exit_code) : "signal " + std::to_string(event.signal);
  slot->last_cause = death;
  slot->last_death = std::string(to_string(death)) + " (" + how + ")" +
                     (event.memory.empty() ? "" : ", " + event.memory) +
                     (event.last_words.empty() ? "" : ": " + event.last_words);
  log(nullptr, counts(death) ? 3 : 5, to_string(slot->id),
      "pid " + std::to_string(slot->pid) + " died: " + slot->last_death);

  const std::vector<Task> tasks = slot->tasks;
  for (const Task& task : tasks) end_task(*slot, task.id, task.cancel_deadline ? "cancelled" : "died");
  slot->phase = SlotPhase::empty;  // before anything looks for a slot
  const std::set<SegmentRef> held = slot->held;
  for (const SegmentRef ref : held)
    if (slot->held.contains(ref)) drop_lease(*slot, ref);
  std::uint64_t culprit = 0;
  for (const Task& task : tasks) {
    if (task.partition) {
      culprit = task.partition->job->uid;
      if (task.cancel_deadline) {
        settle(*task.partition);
      } else {
        partition_task_lost(*task.partition, task.stage, slot->id, death);
      }
    } else if (task.circuit) {
      culprit = task.circuit->uid;
      circuit_task_lost(*task.circuit, slot->id, death);
    }
  }
  after_death(*slot, death, culprit);
  for (const Task& task : tasks)
    if (task.partition) fail_if_always_lost(*slot, *task.partition);
}

void Machine::after_death(Slot& slot, Death death, std::uint64_t culprit) {
  slot.pid = 0;
  slot.credit = 0;
  slot.start_deadline.reset();
  slot.kill_at.reset();
  slot.release_deadline.reset();
  slot.drain_deadline.reset();
  const Slot::Intent intent = slot.intent;
  slot.phase = SlotPhase::empty;
  if (intent == Slot::Intent::disable || intent == Slot::Intent::fail) {
    slot.phase = intent == Slot::Intent::disable ? SlotPhase::disabled : SlotPhase::failed;
    return publish(slot);
  }
  if (intent == Slot::Intent::respawn) death = Death::requested;
  // A death that its quarantined job or circuit answers for is forgiven before it counts here.
  const auto job = jobs_.find(culprit);
  const bool forgiven = job != jobs_.end() && job->second.ending && job->second.ending->state == JobState::quarantined;
  const RestartPolicy::Verdict verdict = slot.policy.on_death(death, culprit, now_, jitter_);
  if (forgiven) slot.policy.forgive(culprit);
  if (verdict.failed && !forgiven) return fail_slot(slot, "too many deaths, the last: " + slot.last_death);
  if (verdict.delay.count() == 0 && drain_ == Drain::none) return spawn(slot);
  slot.phase = SlotPhase::backoff;  // while draining, advance_drain() decides whether it is needed again
  slot.respawn_at = now_ + verdict.delay;
  publish(slot);
}

// The restart policy forgets after a while, and a prove stage may take longer than that.
void Machine::fail_if_always_lost(Slot& slot, const Partition& partition) {
  const std::size_t times = partition.devices_lost(slot.id);
  if (slot.usable() && times >= config_.deaths_to_quarantine)
    fail_slot(slot, "one partition lost its device " + std::to_string(times) + " times, the last: " + slot.last_death);
}

void Machine::fail_slot(Slot& slot, const std::string& reason) {
  log(nullptr, 2, to_string(slot.id), "slot failed: " + reason + "; `groth16ctl worker reset` tries again");
  strike_deaths(slot.id);
  slot.respawn_at.reset();
  if (slot.has_process()) {
    slot.intent = Slot::Intent::fail;
    condemn(slot, Death::requested, KillSignal::kill, "slot failed");
  } else {
    slot.phase = SlotPhase::failed;
    publish(slot);
  }
}

// The slot was bad: what died on it says nothing about its jobs.
void Machine::strike_deaths(SlotId slot) {
  for (auto& [uid, partition] : partitions_)
    std::erase_if(partition->deaths, [slot](const PartitionDeath& death) { return death.on == slot; });
  for (auto& [uid, circuit] : circuits_) std::erase(circuit.deaths, slot);
  blame_.acquit_slot(slot);
}

void Machine::succeed(SlotId id) {
  Slot* slot = find_slot(id);
  if (slot) slot->policy.on_success();
  blame_.acquit_slot(id);
}

void Machine::blame_slots() {
  for (Slot& slot : slots_)
    if (slot.usable() && blame_.jobs_failed_only_on(slot.id) >= config_.jobs_to_blame_slot)
      fail_slot(slot, std::to_string(config_.jobs_to_blame_slot) + " different jobs failed on it and nowhere else");
}

// ------------------------------------------------------------------ operators

void Machine::handle(const WorkerRequested& request) {
  Slot* slot = find_slot(request.slot);
  if (!slot)
    return reply_error(request.token,
                       {ErrorCode::not_found, "slot.unknown", "there is no slot " + to_string(request.slot)});
  if (drain_ != Drain::none)
    return reply_error(request.token, {ErrorCode::unavailable, "daemon.draining", "the daemon is draining"});
  const bool resting = slot->phase == SlotPhase::failed || slot->phase == SlotPhase::disabled;
  switch (request.verb) {
    case WorkerVerb::restart:
    case WorkerVerb::restart_now:
      if (resting)
        return reply_error(request.token, {ErrorCode::conflict, "slot.resting",
                                           to_string(request.slot) + " has no process: " + "reset or enable it"});
      if (!slot->has_process()) {
        spawn(*slot);
      } else {
        slot->intent = Slot::Intent::respawn;
        if (request.verb == WorkerVerb::restart) {
          slot->draining = true;
        } else {
          condemn(*slot, Death::requested, KillSignal::kill, "restart asked");
        }
      }
      break;
    case WorkerVerb::drain:
    case WorkerVerb::disable:
      if (!slot->has_process()) {
        slot->phase = SlotPhase::disabled;
        slot->respawn_at.reset();
      } else {
        slot->intent = Slot::Intent::disable;
        if (request.verb == WorkerVerb::drain) {
          slot->draining = true;
        } else {
          condemn(*slot, Death::requested, KillSignal::kill, "disabled");
        }
      }
      break;
    case WorkerVerb::enable:
      if (slot->phase == SlotPhase::disabled) spawn(*slot);
      if (slot->has_process() && slot->intent == Slot::Intent::disable) slot->intent = Slot::Intent::respawn;
      break;
    case WorkerVerb::reset:
      slot->policy.reset();
      blame_.acquit_slot(slot->id);
      if (slot->phase == SlotPhase::failed) spawn(*slot);
      if (slot->has_process() && slot->intent == Slot::Intent::fail) slot->intent = Slot::Intent::respawn;
      break;
  }
  publish(*slot);
  reply(request.token, 202);
}

void Machine::ask_to_drain(Slot& slot) {
  slot.draining = true;
  if (slot.drain_sent || !slot.tasks.empty() || slot.phase != SlotPhase::ready) return;
  slot.drain_sent = true;
  slot.drain_deadline = now_ + config_.drain_grace;
  act(DrainWorker{slot.id, slot.epoch});
}

// ------------------------------------------------------------------ deadlines

// A worker owes leases of finished work, and a kept mapping that was evicted while it has nothing to do.
bool Machine::owes_leases(const Slot& slot) const {
  return std::any_of(slot.held.begin(), slot.held.end(), [&](SegmentRef ref) {
    const Segment* segment = segments_.find(ref);
    if (!segment) return true;
    const Lessee& lessee = segment->lessees.at(slot.id);
    if (segment->resident() && lessee.mode == LeaseMode::read_only) return lessee.evicting && slot.tasks.empty();
    return std::none_of(slot.tasks.begin(), slot.tasks.end(), [ref](const Task& task) {
      return std::find(task.leases.begin(), task.leases.end(), ref) != task.leases.end();
    });
  });
}

void Machine::arm(Slot& slot) {
  const TimerKey key{TimerKey::Kind::slot, slot.index};
  if (slot.draining) ask_to_drain(slot);
  std::optional<TimePoint> next = slot.respawn_at;
  if (slot.phase == SlotPhase::condemned) {
    next = slot.kill_at;
  } else if (slot.phase == SlotPhase::starting) {
    keep_earliest(next, slot.start_deadline);
  } else if (slot.phase == SlotPhase::ready) {
    if (!owes_leases(slot)) {
      slot.release_deadline.reset();
    } else if (!slot.release_deadline) {
      slot.release_deadline = now_ + config_.release_grace;
    }
    keep_earliest(next, slot.heard_at + config_.heartbeat * config_.heartbeats_missed);
    keep_earliest(next, slot.release_deadline);
    keep_earliest(next, slot.drain_deadline);
    for (const Task& task : slot.tasks) {
      keep_earliest(next, task.cancel_deadline);
      keep_earliest(next, task.progress_at + config_.stall[static_cast<std::size_t>(task.stage)]);
    }
  }
  if (next) {
    timers_.arm(key, *next);
  } else {
    timers_.disarm(key);
  }
}

void Machine::slot_timer(Slot& slot) {
  const auto due = [this](std::optional<TimePoint> at) { return at && *at <= now_; };
  if (slot.phase == SlotPhase::backoff && due(slot.respawn_at)) return spawn(slot);
  if (slot.phase == SlotPhase::condemned && due(slot.kill_at)) {
    slot.kill_at.reset();
    slot.abort_sent = false;
    return act(Kill{slot.id, slot.epoch, KillSignal::kill, "it outlived SIGABRT"});
  }
  if (slot.phase == SlotPhase::starting && due(slot.start_deadline))
    return condemn(slot, Death::start_timeout, KillSignal::kill, "not ready before its start deadline");
  if (slot.phase != SlotPhase::ready) return;
  if (due(slot.heard_at + config_.heartbeat * config_.heartbeats_missed))
    return condemn(slot, Death::frozen, KillSignal::kill, "no heartbeat");
  for (const Task& task : slot.tasks) {
    if (due(task.cancel_deadline)) return condemn(slot, Death::requested, KillSignal::kill, "CANCEL was not answered");
    if (due(task.progress_at + config_.stall[static_cast<std::size_t>(task.stage)]))
      return condemn(slot, Death::stuck, KillSignal::abort,
                     "no progress in stage " + std::string(to_string(task.stage)));
  }
  if (due(slot.release_deadline)) return condemn(slot, Death::protocol, KillSignal::kill, "leases were not released");
  if (due(slot.drain_deadline)) return condemn(slot, Death::requested, KillSignal::kill, "DRAIN was not answered");
}

// ------------------------------------------------------------------ what others ask

bool Machine::role_usable(Stage stage) const {
  return std::any_of(slots_.begin(), slots_.end(),
                     [stage](const Slot& slot) { return serves(slot.id.role, stage) && slot.usable(); });
}

bool Machine::has_usable_card() const {
  return std::any_of(slots_.begin(), slots_.end(),
                     [](const Slot& slot) { return slot.id.role == Role::gpu && slot.usable(); });
}

void Machine::publish(const Slot& slot) {
  const WorkerView view = worker_view(slot);
  act(Publish{"slot." + to_string(slot.id), "slot", view.job, view.partition, to_string(slot.id),
              std::string(to_string(view.state)), view.stage ? std::string(to_string(*view.stage)) : ""});
}

}  // namespace groth16d::supervisor
