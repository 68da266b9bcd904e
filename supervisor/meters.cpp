#include "supervisor/meters.hpp"

#include <algorithm>
#include <type_traits>

#include "supervisor/client_messages.hpp"

namespace groth16d::supervisor {
namespace {

Stage stage_of(const Assignment& assignment) {
  struct Of {
    Stage operator()(const AssignInspectCircuit&) const { return Stage::inspect; }
    Stage operator()(const AssignInspectInput&) const { return Stage::inspect; }
    Stage operator()(const AssignLoad&) const { return Stage::load; }
    Stage operator()(const AssignAdopt&) const { return Stage::load; }
    Stage operator()(const AssignSynth&) const { return Stage::synth; }
    Stage operator()(const AssignProve&) const { return Stage::prove; }
    Stage operator()(const AssignB2&) const { return Stage::b2; }
    Stage operator()(const AssignAssemble&) const { return Stage::assemble; }
  };
  return std::visit(Of{}, assignment);
}

// A stage's result: an event of a worker that ends its assignment well.
template <class T>
inline constexpr bool is_result =
    std::is_same_v<T, CircuitInspected> || std::is_same_v<T, InputInspected> || std::is_same_v<T, CircuitLoaded> ||
    std::is_same_v<T, WitnessSealed> || std::is_same_v<T, ProveDone> || std::is_same_v<T, B2Done> ||
    std::is_same_v<T, AssembleDone>;

std::string state_entry(const JobId& job, JobState state) {
  return "state " + job + " " + std::string(to_string(state));
}
std::string result_entry(const JobId& job, std::uint32_t partition) {
  return "result " + job + " " + std::to_string(partition);
}
std::string circuit_entry(const CircuitName& circuit) { return "circuit " + circuit; }

// Items with a number above `after`, as they are kept.
template <class Item, class Add>
void write_newer(const std::deque<Item>& items, std::uint64_t after, Add add) {
  const auto first = std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.number() > after; });
  std::for_each(first, items.end(), [&](const Item& item) { *add() = item; });
}

}  // namespace

// ---------------------------------------------------------------- histograms

void DurationHistogram::add(double seconds) {
  const auto place = std::lower_bound(kBoundsSeconds.begin(), kBoundsSeconds.end(), seconds) - kBoundsSeconds.begin();
  ++counts_[static_cast<std::size_t>(place)];
  sum_seconds_ += seconds;
}

std::uint64_t DurationHistogram::count() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts_) sum += count;
  return sum;
}

void DurationHistogram::write(v1::Histogram* message) const {
  for (const std::uint64_t count : counts_) message->add_counts(count);
  message->set_sum_seconds(sum_seconds_);
}

// ---------------------------------------------------------------- assignments

void Meters::begin(const Assign& action, const Moment& now) {
  running_[action.slot] = {action.epoch, action.assignment, stage_of(action.what), action.work, now};
}

std::optional<Meters::Running> Meters::running_of(const WorkerToken& from) const {
  const auto place = running_.find(from.slot);
  if (place == running_.end() || place->second.epoch != from.epoch || place->second.assignment != from.assignment)
    return std::nullopt;
  return place->second;
}

void Meters::end(const WorkerToken& from, const char* outcome, const Moment& now) {
  if (const auto running = running_of(from)) end(from.slot, *running, outcome, now);
}

void Meters::end(SlotId slot, const Running& running, const char* outcome, const Moment& now) {
  OfStage& stage = stages_[static_cast<std::size_t>(running.stage)];
  const std::string_view word = outcome;
  if (word == "done") stage.done.add(static_cast<double>(now.monotonic_us - running.begin.monotonic_us) / 1e6);
  if (word == "failed") ++stage.failed;
  if (word == "died") ++stage.died;
  if (word == "cancelled") ++stage.cancelled;
  v1::FinishedWork span;
  span.set_number(next_span_++);
  span.set_slot(to_string(slot));
  span.set_stage(std::string(to_string(running.stage)));
  span.set_job(running.work.job);
  span.set_partition(running.work.partition);
  span.set_attempt(running.work.attempt);
  span.set_begin_ms(running.begin.wall_ms);
  span.set_end_ms(now.wall_ms);
  span.set_outcome(outcome);
  spans_.push_back(std::move(span));
  if (spans_.size() > kMostSpans) spans_.pop_front();
  running_.erase(slot);
}

// ---------------------------------------------------------------- the journal

void Meters::end_commit(const std::string& entry, bool stored, const Moment& now) {
  const auto place = commits_.find(entry);
  if (place == commits_.end()) return;
  if (stored)
    journal_.add(static_cast<double>(now.monotonic_us - place->second) / 1e6);
  else
    ++journal_failures_;
  commits_.erase(place);
}

// ---------------------------------------------------------------- what passes

void Meters::observe(const Event& event, const Moment& now) {
  std::visit(
      [&](const auto& e) {
        using E = std::decay_t<decltype(e)>;
        if constexpr (is_result<E>) {
          if (const auto running = running_of(e.from); running && std::is_same_v<E, ProveDone>)
            provers_[{running->work.job, running->work.partition}] = e.from.slot;
          end(e.from, "done", now);
        } else if constexpr (std::is_same_v<E, AssignmentCancelled>) {
          end(e.from, "cancelled", now);
        } else if constexpr (std::is_same_v<E, AssignmentFailed>) {
          if (const auto running = running_of(e.from); running && e.blame == Blame::verification) {
            const auto prover = provers_.find({running->work.job, running->work.partition});
            if (prover != provers_.end()) ++verification_failures_[prover->second];
          }
          end(e.from, "failed", now);
        } else if constexpr (std::is_same_v<E, ExitObserved>) {
          const auto place = running_.find(e.slot);
          last_work_.erase(e.slot);
          if (place == running_.end() || place->second.epoch != e.epoch) return;
          const Running running = place->second;
          last_work_[e.slot] = running;
          end(e.slot, running, "died", now);
        } else if constexpr (std::is_same_v<E, JobStateStored> || std::is_same_v<E, JobStateStoreFailed>) {
          const bool stored = std::is_same_v<E, JobStateStored>;
          end_commit(state_entry(e.job, e.state), stored, now);
          if (!stored) return;
          ++ended_[static_cast<std::size_t>(e.state)];
          provers_.erase(provers_.lower_bound({e.job, 0}), provers_.upper_bound({e.job, ~0U}));
        } else if constexpr (std::is_same_v<E, ResultStored> || std::is_same_v<E, ResultStoreFailed>) {
          end_commit(result_entry(e.job, e.partition), std::is_same_v<E, ResultStored>, now);
        } else if constexpr (std::is_same_v<E, CircuitStored> || std::is_same_v<E, CircuitStoreFailed>) {
          end_commit(circuit_entry(e.circuit), std::is_same_v<E, CircuitStored>, now);
        }
      },
      event);
}

void Meters::observe(const Action& action, const Moment& now) {
  if (const auto* assign = std::get_if<Assign>(&action)) begin(*assign, now);
  if (const auto* state = std::get_if<StoreJobState>(&action)) begin_commit(state_entry(state->job, state->state), now);
  if (const auto* result = std::get_if<StoreResult>(&action))
    begin_commit(result_entry(result->job, result->partition), now);
  if (const auto* circuit = std::get_if<StoreCircuit>(&action)) begin_commit(circuit_entry(circuit->circuit), now);
}

void Meters::died(const ExitObserved& exit, const WorkerView& slot, const Moment& now) {
  if (!slot.last_cause) return;
  ++deaths_[{exit.slot, *slot.last_cause}];
  v1::DeathRecord record;
  record.set_number(next_death_++);
  record.set_at_ms(now.wall_ms);
  record.set_slot(to_string(exit.slot));
  record.set_epoch(exit.epoch);
  record.set_cause(std::string(to_string(*slot.last_cause)));
  record.set_text(slot.last_death);
  if (const auto work = last_work_.find(exit.slot); work != last_work_.end()) {
    record.set_job(work->second.work.job);
    record.set_partition(work->second.work.partition);
    record.set_stage(std::string(to_string(work->second.stage)));
  }
  recent_deaths_.push_back(std::move(record));
  if (recent_deaths_.size() > kMostDeaths) recent_deaths_.pop_front();
}

// ---------------------------------------------------------------- the answer

void Meters::write(const v1::MetricsRequest& request, v1::MetricsReply* reply) const {
  for (const double bound : kBoundsSeconds) reply->add_bounds_seconds(bound);
  for (std::size_t s = 0; s < kStages; ++s) {
    auto* stage = reply->add_stages();
    stage->set_stage(std::string(to_string(static_cast<Stage>(s))));
    stages_[s].done.write(stage->mutable_done());
    stage->set_failed(stages_[s].failed);
    stage->set_died(stages_[s].died);
    stage->set_cancelled(stages_[s].cancelled);
  }
  journal_.write(reply->mutable_journal());
  reply->set_journal_failures(journal_failures_);
  for (std::size_t state = 0; state < kJobStateCount; ++state) {
    if (!is_final(static_cast<JobState>(state))) continue;
    auto* ended = reply->add_ended();
    ended->set_state(state_of(static_cast<JobState>(state)));
    ended->set_count(ended_[state]);
  }
  for (const auto& [of, count] : deaths_) {
    auto* deaths = reply->add_deaths();
    deaths->set_slot(to_string(of.first));
    deaths->set_cause(std::string(to_string(of.second)));
    deaths->set_count(count);
  }
  for (const auto& [slot, count] : verification_failures_) {
    auto* failures = reply->add_verification_failures();
    failures->set_slot(to_string(slot));
    failures->set_count(count);
  }
  write_newer(spans_, request.spans_after(), [&] { return reply->add_spans(); });
  write_newer(recent_deaths_, request.deaths_after(), [&] { return reply->add_recent_deaths(); });
}

}  // namespace groth16d::supervisor
