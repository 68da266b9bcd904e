#include "supervisor/shell.hpp"

#include <spdlog/spdlog.h>

#include "common/clock.hpp"
#include "common/log.hpp"
#include "supervisor/client_messages.hpp"
#include "supervisor/worker_messages.hpp"

namespace groth16d::supervisor {
namespace {

spdlog::level::level_enum level_of(std::uint32_t priority) {
  if (priority <= 3) return spdlog::level::err;
  if (priority == 4) return spdlog::level::warn;
  return priority <= 6 ? spdlog::level::info : spdlog::level::debug;
}

}  // namespace

TimePoint core_now() { return TimePoint(Millis(static_cast<std::int64_t>(monotonic_ms()))); }

void Shell::pass(Event event) {
  waiting_.push_back(std::move(event));
  if (passing_) return;
  passing_ = true;
  while (!waiting_.empty()) {
    const Event next = std::move(waiting_.front());
    waiting_.pop_front();
    const Moment now{monotonic_us(), wall_ms()};
    limbs_.meters.observe(next, now);
    for (Action& action : limbs_.core.on(next, core_now())) {
      limbs_.meters.observe(action, now);
      std::visit([this](auto& one) { perform(one); }, action);
    }
    if (const auto* exit = std::get_if<ExitObserved>(&next)) count_death(*exit, now);
  }
  passing_ = false;
}

// The core decides what a death was.
void Shell::count_death(const ExitObserved& exit, const Moment& now) {
  for (const WorkerView& worker : limbs_.core.workers())
    if (worker.slot == exit.slot) limbs_.meters.died(exit, worker, now);
}

void Shell::hear(const ipc::Up& up) {
  auto event = event_of(up);
  if (!event) return;
  if (auto cut = cut_inputs_.cut_of(up)) limbs_.files.put(std::move(*cut));
  pass(std::move(*event));
}

void Shell::complete(JournalCompletion completion) {
  if (std::holds_alternative<Pong>(completion)) {
    journal_answered_ = true;
  } else if (const auto* read = std::get_if<LinesRead>(&completion)) {
    limbs_.api.lines_read(*read);
  } else {
    Event& event = std::get<Event>(completion);
    if (const auto* stored = std::get_if<JobStored>(&event)) limbs_.files.put(KeepSpooled{stored->job});
    // The files' thread works in order, so a job of the same name that comes later is spooled after this.
    if (const auto* failed = std::get_if<JobStoreFailed>(&event)) limbs_.files.put(RemoveSpooled{failed->job});
    if (const auto* deleted = std::get_if<JobDeleted>(&event)) {
      cut_inputs_.forget(deleted->job);
      limbs_.files.put(RemoveSpooled{deleted->job});
    }
    pass(std::move(event));
  }
}

void Shell::complete(FilesCompletion completion) {
  if (auto* found = std::get_if<Examined>(&completion)) {
    if (auto event = limbs_.api.examined(std::move(*found), core_now())) pass(std::move(*event));
  } else if (auto* spooled = std::get_if<JobSpooled>(&completion)) {
    if (spooled->input_digests)
      limbs_.journal.put(
          JournalEntry(AcceptJob{std::move(spooled->record), std::move(*spooled->input_digests), wall_ms()}));
    else
      pass(JobStoreFailed{spooled->record.job, spooled->input_digests.error()});
  } else if (const auto* upload = std::get_if<UploadTaken>(&completion)) {
    limbs_.api.uploaded(*upload);
  } else if (auto* done = std::get_if<InputReplaced>(&completion)) {
    follow(cut_inputs_.replaced(std::move(*done)));
  } else if (auto* read = std::get_if<ConfigRead>(&completion)) {
    reload(std::move(*read));
  } else {
    auto& answered = std::get<FilesAnswered>(completion);
    limbs_.segments.adopt(std::move(answered.opened));
    pass(std::move(answered.event));
  }
}

bool Shell::journal_answered() {
  const bool answered = std::exchange(journal_answered_, false);
  if (answered) limbs_.journal.put(Ping{});
  return answered;
}

// ---------------------------------------------------------------- reload

void Shell::reload(ConfigRead read) {
  auto core = read.config.and_then([&](Config& next) { return limbs_.reload.propose(read.token, std::move(next)); });
  if (core) return pass(ConfigRequested{read.token, *core});
  const LogScope scope({.event = "config.refused"});
  spdlog::warn("reload: {}", core.error().text);
  limbs_.api.reply(Reply{read.token, status_code(core.error().code), core.error(), 0, {}}, core_now());
}

void Shell::finish_reload(Reply& answer) {
  if (answer.code != 200) {
    limbs_.reload.drop();
    const LogScope scope({.event = "config.refused"});
    spdlog::warn("reload: {}", answer.failure ? answer.failure->text : "refused");
    return limbs_.api.reply(answer, core_now());
  }
  const LogScope scope({.event = "config.reloaded"});
  const auto changes = limbs_.reload.accept();
  const Config& config = limbs_.reload.in_force();
  set_log_level(config.log_level);
  limbs_.children.set_log_level(config.log_level);
  limbs_.children.set_budget(config.core.budget_total_bytes);
  limbs_.api.admit(config.remote.clients);
  if (limbs_.gatekeeper != nullptr) limbs_.gatekeeper->admit(keys_of(config.remote.clients));
  limbs_.files.put(FileLimits{config.roots, config.spool, static_cast<std::uint64_t>(config.upload_expiry.count())});
  for (const ConfigChange& change : changes)
    spdlog::info("reload: {}: {} -> {}", change.key, change.before, change.after);
  limbs_.api.reloaded(answer.token, changes);
}

// ---------------------------------------------------------------- clients

void Shell::perform(Reply& action) {
  if (limbs_.reload.waits_for(action.token)) return finish_reload(action);
  limbs_.api.reply(action, core_now());
}

void Shell::perform(Publish& action) {
  if (auto sent = limbs_.events.publish(action.topic, event_of(action, wall_ms())); !sent)
    spdlog::debug("an event was not sent: {}", sent.error().text);
}

void Shell::publish_memory(const DaemonView& daemon) {
  if (daemon.buffers == told_buffers_) return;
  told_buffers_ = daemon.buffers;
  if (auto sent = limbs_.events.publish("memory.all", memory_event_of(daemon, wall_ms())); !sent)
    spdlog::debug("an event was not sent: {}", sent.error().text);
}

void Shell::perform(LogLine& action) {
  const char* event = !action.job.empty() ? "job" : !action.slot.empty() ? "slot" : "daemon";
  const LogScope scope({.job = action.job, .slot = action.slot, .event = event});
  spdlog::log(level_of(action.level), "{}{}{}{}{}", action.job.empty() ? "" : "job=", action.job,
              action.job.empty() ? "" : " ", action.slot.empty() ? "" : action.slot + ": ", action.text);
  if (!action.job.empty()) limbs_.journal.put(JournalEntry(StampedLine{wall_ms(), std::move(action)}));
}

// ---------------------------------------------------------------- journal and spool

void Shell::perform(StoreJob& action) {
  limbs_.files.put(SpoolJob{std::move(action.record), limbs_.api.take_inputs(action.token)});
}
void Shell::perform(StoreJobState& action) { limbs_.journal.put(JournalEntry(std::move(action))); }
void Shell::perform(StoreResult& action) { limbs_.journal.put(JournalEntry(std::move(action))); }
void Shell::perform(DeleteJob& action) { limbs_.journal.put(JournalEntry(std::move(action))); }
void Shell::perform(StoreCircuit& action) { limbs_.journal.put(JournalEntry(std::move(action))); }
void Shell::perform(KeepResident& action) {
  for (const SegmentRef segment : {action.key, action.r1cs})
    if (segment) limbs_.segments.keep(segment);
  limbs_.journal.put(JournalEntry(std::move(action)));
}
void Shell::perform(DeleteCircuit& action) { limbs_.journal.put(JournalEntry(std::move(action))); }

// ---------------------------------------------------------------- segments

void Shell::perform(AllocateSegments& action) { follow(cut_inputs_.allocating(std::move(action))); }

void Shell::follow(CutInputs::Next next) {
  if (next.replace) limbs_.files.put(std::move(*next.replace));
  if (next.allocate) limbs_.segments.allocate(std::move(*next.allocate));
  if (next.failed) pass(std::move(*next.failed));
}

void Shell::perform(OpenFiles& action) { limbs_.files.put(std::move(action)); }
void Shell::perform(SealSegment& action) { limbs_.segments.seal(action.segment); }
void Shell::perform(FreeSegment& action) { limbs_.segments.free(action.segment, action.stays_kept); }

void Shell::perform(Lease& action) {
  if (const HeldSegment* held = limbs_.segments.find(action.segment))
    limbs_.children.lease(action, *held);
  else
    spdlog::error("{}: lease of segment {}.{}, which does not exist", to_string(action.slot), action.segment.id,
                  action.segment.generation);
}

// ---------------------------------------------------------------- workers

void Shell::perform(SpawnSlot& action) { waiting_.push_back(limbs_.children.spawn(action)); }
void Shell::perform(Kill& action) { limbs_.children.kill(action); }
void Shell::perform(Exit& action) { exit_code_ = action.code; }

void Shell::perform(Assign& action) {
  cut_inputs_.assigned(action);
  limbs_.children.limit_for(action);
  tell(action);
}

template <class Message>
void Shell::perform(Message& action) {
  tell(action);
}

template <class Message>
void Shell::tell(const Message& action) {
  const auto sent = limbs_.workers.send(down_of(action));
  // A process that is gone has its ExitObserved under way; one that does not read meets its deadline.
  if (!sent) spdlog::debug("{}: {}", to_string(action.slot), sent.error().text);
}

}  // namespace groth16d::supervisor
