// Core's face, and Machine's dispatch: one event in, one object changed, then everything that became possible.
#include "supervisor/core/core.hpp"

#include <algorithm>

#include "supervisor/core/machine.hpp"

namespace groth16d::supervisor {

Result<Core> Core::create(const CoreConfig& config) {
  if (auto checked = check(config); !checked) return tl::unexpected<Error>(checked.error());
  return Core(config);
}

Core::Core(const CoreConfig& config) : machine_(std::make_unique<Machine>(config)) {}
Core::Core(Core&&) noexcept = default;
Core& Core::operator=(Core&&) noexcept = default;
Core::~Core() = default;

std::vector<Action> Core::on(const Event& event, TimePoint now) { return machine_->on(event, now); }
std::optional<TimePoint> Core::next_timer() const { return machine_->next_timer(); }
DaemonView Core::daemon() const { return machine_->daemon(); }
std::optional<JobView> Core::job(const JobId& job, TimePoint now) const { return machine_->job(job, now); }
std::vector<JobView> Core::jobs(const JobFilter& filter, TimePoint now) const { return machine_->jobs(filter, now); }
Tally Core::tally(std::size_t most_in_flight) const { return machine_->tally(most_in_flight); }
std::optional<ResultView> Core::result(const JobId& job) const { return machine_->result(job); }
std::vector<CircuitView> Core::circuits() const { return machine_->circuits(); }
std::vector<WorkerView> Core::workers() const { return machine_->workers(); }
Subject Core::subject(const Event& event) const { return machine_->subject(event); }
std::vector<std::string> Core::check_invariants() const { return machine_->check_invariants(); }

Machine::Machine(const CoreConfig& config)
    : config_(config),
      budget_(config.budget_total_bytes, config.critical_reserved_bytes),
      jitter_(config.jitter_seed),
      admission_(config.ageing),
      intake_line_(config.ageing),
      inspect_line_(config.ageing),
      synth_line_(config.ageing),
      prove_line_(config.ageing),
      b2_line_(config.ageing),
      assemble_line_(config.ageing) {
  for (std::size_t r = 0; r < kRoles; ++r)
    for (std::uint32_t i = 0; i < config_.roles[r].slots; ++i) {
      Slot& slot = slots_.emplace_back(config_);
      slot.id = SlotId{static_cast<Role>(r), i};
      slot.index = slots_.size() - 1;
      slot.epoch = config_.first_epoch - 1;
      Charge resting;
      resting[BufferKind::private_memory] = segment_bytes(config_.roles[r].resting_bytes);
      if (!budget_.try_reserve({Holder::slot, slot.index}, resting, false))
        violations_.push_back("I1: resting workers do not fit the budget");
    }
}

std::vector<Action> Machine::on(const Event& event, TimePoint now) {
  actions_.clear();
  now_ = std::max(now_, now);
  const bool deaf = exited_ || (!recovered_ && !std::holds_alternative<Recovered>(event));
  std::visit(
      [&](const auto& e) {
        if (!deaf) {
          handle(e);
        } else if constexpr (requires { e.token; }) {
          reply_error(e.token, {ErrorCode::unavailable, "daemon.unavailable", "the daemon is starting or stopping"});
        } else {
          stale();
        }
      },
      event);
  if (!deaf) advance();
  return std::move(actions_);
}

void Machine::advance() {
  blame_slots();
  admit();
  load_wanted();
  open_inputs();
  dispatch();
  advance_drain();
  for (Slot& slot : slots_) arm(slot);
  publish_touched();
}

void Machine::handle(const TimerExpired&) {
  while (const auto key = timers_.pop_due(now_)) ring(*key);
}

void Machine::ring(TimerKey key) {
  const auto job = jobs_.find(key.id);
  const auto circuit = circuits_.find(key.id);
  const auto partition = partitions_.find(key.id);
  switch (key.kind) {
    case TimerKey::Kind::slot:
      slot_timer(slots_[key.id]);
      return;
    case TimerKey::Kind::job_deadline:
      if (job != jobs_.end())
        end_job(job->second, JobState::cancelled,
                {ErrorCode::cancelled, "job.deadline",
                 "the deadline of " + std::to_string(job->second.record.deadline_ms) + " ms has passed"});
      return;
    case TimerKey::Kind::job_store:
      if (job != jobs_.end() && job->second.store_retry) store_state(job->second, *job->second.storing_state);
      return;
    case TimerKey::Kind::job_retention:
      if (job != jobs_.end() && !job->second.deleting) {
        job->second.deleting = true;
        ++journal_writes_;
        act(DeleteJob{job->second.record.job});
      }
      return;
    case TimerKey::Kind::partition_memory:
      if (partition != partitions_.end() && partition->second->phase == Phase::memory_pause)
        enqueue(*partition->second);
      return;
    case TimerKey::Kind::partition_card:
      return;  // dispatch() looks for itself
    case TimerKey::Kind::result_store:
      if (partition != partitions_.end() && partition->second->phase == Phase::storing)
        store_result(*partition->second);
      return;
    case TimerKey::Kind::circuit_memory:
      if (circuit != circuits_.end()) {
        circuit->second.blocked = false;
        if (circuit->second.phase == CircuitPhase::known) unpark(circuit->second);
      }
      return;
    case TimerKey::Kind::drain:
      begin_fast_drain();
      return;
  }
}

void Machine::log(const Job* job, std::uint32_t level, std::string slot, std::string text) {
  act(LogLine{job ? job->record.job : JobId{}, level, std::move(slot), std::move(text)});
}

void Machine::reply(ReplyToken token, std::uint32_t code, std::optional<Error> failed, const JobId& job,
                    std::uint32_t retry_after_ms) {
  act(Reply{token, code, std::move(failed), retry_after_ms, job});
}

void Machine::reply_error(ReplyToken token, Error error, const JobId& job) {
  const std::uint32_t code = status_code(error.code);
  reply(token, code, std::move(error), job, code == 429 || code == 503 ? config_.busy_retry_ms : 0);
}

}  // namespace groth16d::supervisor
