// Requests of clients about jobs, and the journal's answers: how a job begins and how it ends.
//
// A job is accepted when RECEIVED is durable, and ends when its final state is durable; between the two it is derived
// from its partitions. An early end (failure, cancel, quarantine) is decided once, stops every partition, and is stored
// when the last of them holds nothing.
#include <algorithm>
#include <utility>

#include "supervisor/core/machine.hpp"

namespace groth16d::supervisor {
namespace {

bool is_name(const std::string& name) {
  const auto allowed = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), allowed);
}

Error not_found(const JobId& job) { return {ErrorCode::not_found, "job.unknown", "there is no job " + job}; }

}  // namespace

Job* Machine::find_job(const JobId& id) {
  const auto it = job_uids_.find(id);
  return it == job_uids_.end() ? nullptr : &jobs_.at(it->second);
}

// ------------------------------------------------------------------ submit

void Machine::handle(const SubmitRequested& request) {
  if (Job* job = find_job(request.job); job && !mutated(Mutation::one_id_two_jobs)) {
    if (job->record.digest != request.digest)
      return reply_error(request.token,
                         {ErrorCode::conflict, "job.digest", "job " + request.job + " exists with another content"});
    if (job->deleting)
      return reply_error(request.token, {ErrorCode::busy, "job.closing", "job " + request.job + " is being closed"});
    if (!job->durable) return job->submit_tokens.push_back(request.token);
    return reply(request.token, 200, std::nullopt, request.job);
  }
  Circuit* circuit = nullptr;
  if (auto error = refuse_submit(request, circuit)) return reply_error(request.token, std::move(*error));
  JobRecord record{request.job,        request.digest,   circuit->name,       circuit->by_path, request.source,
                   request.partitions, request.priority, request.deadline_ms, request.client};
  Job& job = create_job(std::move(record), circuit);
  ++journal_writes_;
  act(StoreJob{request.token, job.record});
  if (mutated(Mutation::accepted_before_durable)) return reply(request.token, 202, std::nullopt, request.job);
  job.submit_tokens.push_back(request.token);
}

std::optional<Error> Machine::refuse_submit(const SubmitRequested& request, Circuit*& circuit) {
  const std::string& id = request.job;
  if (drain_ != Drain::none) return Error{ErrorCode::unavailable, "daemon.draining", "the daemon is draining"};
  if (!is_name(id)) return Error{ErrorCode::malformed, "job.name", "a job's name is 1 to 64 of [A-Za-z0-9._-]"};
  if (request.priority < Priority::low || request.priority > Priority::critical)
    return Error{ErrorCode::malformed, "job.priority", "unknown priority"};
  const std::size_t count = request.partitions.size();
  if (count == 0 || count > config_.max_partitions)
    return Error{
        ErrorCode::malformed, "job.partitions",
        std::to_string(count) + " partitions; 1 to " + std::to_string(config_.max_partitions) + " are possible"};
  std::uint64_t largest = 0;
  for (const PartitionInput& input : request.partitions) largest = std::max(largest, input.bytes);
  if (largest > config_.max_input_bytes)
    return Error{ErrorCode::too_large, "input.bytes",
                 "an input of " + std::to_string(largest) + " bytes is over the bound of " +
                     std::to_string(config_.max_input_bytes)};
  for (const Stage stage : {Stage::inspect, Stage::synth, Stage::prove, Stage::b2})
    if (!role_usable(stage))
      return Error{ErrorCode::unavailable, "daemon.degraded",
                   "no slot is left for stage " + std::string(to_string(stage))};
  if (unfinished_jobs_ >= config_.max_queued_jobs)
    return Error{ErrorCode::busy, "jobs.full", std::to_string(unfinished_jobs_) + " jobs are unfinished already"};
  if (auto error = over_quota(request.client)) return error;
  if (request.circuit.empty()) {
    if (request.source.key_path.empty())
      return Error{ErrorCode::malformed, "job.circuit", "neither a circuit nor a key path is given"};
    circuit = circuit_of_path(request);
  } else {
    const auto it = circuit_uids_.find(request.circuit);
    circuit = it == circuit_uids_.end() ? nullptr : &circuits_.at(it->second);
    if (!circuit || circuit->by_path || circuit->remove_asked || circuit->phase == CircuitPhase::storing)
      return Error{ErrorCode::not_found, "circuit.unknown", "there is no circuit " + request.circuit};
  }
  if (circuit->failure) return circuit->failure;
  if (circuit->inspected) return never_fits(*circuit, largest, request.priority);
  return std::nullopt;
}

Circuit* Machine::circuit_of_path(const SubmitRequested& request) {
  // ':' and '|' are in no name that a client can give to a circuit.
  const CircuitName name = "path:" + request.source.key_path + "|" + request.source.r1cs_path + "|" +
                           (request.source.allow_insecure_key ? "insecure|" : "|") + request.key_stamp;
  const auto it = circuit_uids_.find(name);
  if (it != circuit_uids_.end()) return &circuits_.at(it->second);
  Circuit& circuit = create_circuit(name, request.source, true);
  open_circuit_files(circuit, CircuitPhase::opening);
  return &circuit;
}

Job& Machine::create_job(JobRecord record, Circuit* circuit) {
  const std::uint64_t uid = next_uid_++;
  Job& job = jobs_[uid];
  job.uid = uid;
  job.record = std::move(record);
  job.accepted_at = now_;
  job_uids_[job.record.job] = uid;
  job.partitions = std::vector<Partition>(job.record.partitions.size());
  for (std::size_t i = 0; i < job.partitions.size(); ++i) {
    Partition& partition = job.partitions[i];
    partition.uid = next_uid_++;
    partition.index = static_cast<std::uint32_t>(i);
    partition.job = &job;
    partitions_[partition.uid] = &partition;
  }
  if (circuit) hold_circuit(job, *circuit);
  return job;
}

// An unfinished job holds its circuit and counts to its client.
void Machine::hold_circuit(Job& job, Circuit& circuit) {
  job.circuit = &circuit;
  ++circuit.unfinished_jobs;
  ++unfinished_jobs_;
  if (!job.record.client.empty()) ++unfinished_jobs_of_[job.record.client];
}

Circuit& Machine::let_go_of_circuit(Job& job) {
  Circuit& circuit = *std::exchange(job.circuit, nullptr);
  --circuit.unfinished_jobs;
  --unfinished_jobs_;
  const auto client = unfinished_jobs_of_.find(job.record.client);
  if (client != unfinished_jobs_of_.end() && --client->second == 0) unfinished_jobs_of_.erase(client);
  return circuit;
}

std::optional<Error> Machine::over_quota(const std::string& client) const {
  const auto place = unfinished_jobs_of_.find(client);
  if (config_.max_jobs_per_client == 0 || place == unfinished_jobs_of_.end()) return std::nullopt;
  if (place->second < config_.max_jobs_per_client) return std::nullopt;
  return Error{ErrorCode::busy, "quota.jobs",
               "this client has " + std::to_string(place->second) + " unfinished jobs, max_jobs_per_client is " +
                   std::to_string(config_.max_jobs_per_client)};
}

void Machine::handle(const JobStored& event) {
  Job* job = find_job(event.job);
  if (!job || job->durable) return stale();
  --journal_writes_;
  job->durable = true;
  job->accepted_at = now_;
  for (const ReplyToken token : job->submit_tokens) reply(token, 202, std::nullopt, event.job);
  job->submit_tokens.clear();
  log(job, 6, "",
      "accepted: " + std::to_string(job->partitions.size()) + " partitions of circuit " +
          shown_name(job->record.circuit) + ", priority " + std::string(to_string(job->record.priority)));
  act(Publish{"job." + event.job, "job", event.job, 0, "", "received", ""});
  if (job->ending) return maybe_complete(*job);
  start_job(*job);
}

void Machine::handle(const JobStoreFailed& event) {
  Job* job = find_job(event.job);
  if (!job || job->durable) return stale();
  --journal_writes_;
  Error error = event.error;
  if (error.code == ErrorCode::system) error.code = ErrorCode::unavailable;  // a full or broken disk: try again later
  for (const ReplyToken token : job->submit_tokens) reply_error(token, error);
  Circuit& circuit = let_go_of_circuit(*job);
  erase_job(*job);
  forget_if_unused(circuit);
}

void Machine::start_job(Job& job) {
  if (job.record.deadline_ms > 0) {
    job.deadline = now_ + Millis{static_cast<std::int64_t>(std::min(job.record.deadline_ms, kMostDeadline_ms))};
    timers_.arm({TimerKey::Kind::job_deadline, job.uid}, job.deadline);
  }
  for (Partition& partition : job.partitions) {
    if (partition.phase == Phase::proven) continue;
    if (drain_ != Drain::none) {
      stop(partition);
    } else {
      begin_intake(partition);
    }
  }
  touch(job);
  maybe_complete(job);
}

// ------------------------------------------------------------------ cancel, close, kick

void Machine::handle(const CancelRequested& request) {
  Job* job = find_job(request.job);
  if (!job || !job->durable) return reply_error(request.token, not_found(request.job));
  if (job->final_state) return reply(request.token, 200, std::nullopt, request.job);
  end_job(*job, JobState::cancelled, {ErrorCode::cancelled, "job.cancelled", "cancelled on request"});
  reply(request.token, 202, std::nullopt, request.job);
}

void Machine::handle(const CloseRequested& request) {
  Job* job = find_job(request.job);
  if (!job) return reply(request.token, 200, std::nullopt, request.job);  // idempotent: closed before
  if (!job->durable) return reply_error(request.token, not_found(request.job));
  if (!job->final_state || job->storing_state)
    return reply_error(
        request.token,
        {ErrorCode::conflict, "job.unfinished", "job " + request.job + " is not finished: cancel it first"},
        request.job);
  job->close_tokens.push_back(request.token);
  if (job->deleting) return;
  job->deleting = true;
  ++journal_writes_;
  act(DeleteJob{request.job});
}

void Machine::handle(const JobDeleted& event) {
  Job* job = find_job(event.job);
  if (!job || !job->deleting) return stale();
  --journal_writes_;
  for (const ReplyToken token : job->close_tokens) reply(token, 200, std::nullopt, event.job);
  erase_job(*job);
}

void Machine::handle(const JobDeleteFailed& event) {
  Job* job = find_job(event.job);
  if (!job || !job->deleting) return stale();
  --journal_writes_;
  job->deleting = false;
  Error error = event.error;
  if (error.code == ErrorCode::system) error.code = ErrorCode::unavailable;
  for (const ReplyToken token : job->close_tokens) reply_error(token, error, event.job);
  job->close_tokens.clear();
  timers_.arm({TimerKey::Kind::job_retention, job->uid}, now_ + config_.retention);
}

void Machine::handle(const KickRequested& request) {
  Job* job = find_job(request.job);
  if (!job || !job->durable || job->deleting) return reply_error(request.token, not_found(request.job));
  if (job->final_state != JobState::quarantined || job->storing_state)
    return reply_error(request.token,
                       {ErrorCode::conflict, "job.not_quarantined", "job " + request.job + " is not quarantined"});
  if (drain_ != Drain::none)
    return reply_error(request.token, {ErrorCode::unavailable, "daemon.draining", "the daemon is draining"});
  const auto it = circuit_uids_.find(job->record.circuit);
  Circuit* circuit = it == circuit_uids_.end() ? nullptr : &circuits_.at(it->second);
  if (!circuit && job->record.by_path) {
    circuit = &create_circuit(job->record.circuit, job->record.source, true);
    open_circuit_files(*circuit, CircuitPhase::opening);
  }
  if (!circuit || circuit->remove_asked)
    return reply_error(request.token, {ErrorCode::not_found, "circuit.unknown",
                                       "circuit " + shown_name(job->record.circuit) + " is gone"});
  hold_circuit(*job, *circuit);  // until the journal has answered
  job->submit_tokens.push_back(request.token);
  timers_.disarm({TimerKey::Kind::job_retention, job->uid});
  store_state(*job, JobState::received);
}

// ------------------------------------------------------------------ the end of a job

JobState Machine::state_of(const Job& job) const {
  if (job.final_state) return *job.final_state;
  bool all_queued = true;
  for (const Partition& partition : job.partitions) {
    if (partition.phase >= Phase::allocating && partition.phase <= Phase::proven) return JobState::running;
    if (partition.phase < Phase::queued) all_queued = false;
  }
  return all_queued && job.durable ? JobState::queued : JobState::received;
}

void Machine::end_job(Job& job, JobState state, Error error) {
  if (job.final_state || job.ending || job.storing_state) return;
  log(&job, state == JobState::cancelled ? 6 : 4, "", std::string(to_string(state)) + ": " + error.text);
  job.ending = Ending{state, std::move(error)};
  for (Partition& partition : job.partitions) stop(partition);
  touch(job);
  maybe_complete(job);
}

void Machine::quarantine(Job& job, const Partition& partition) {
  for (Slot& slot : slots_) slot.policy.forgive(job.uid);
  blame_.forget_job(job.uid);
  end_job(job, JobState::quarantined,
          {ErrorCode::internal, "job.quarantined",
           "partition " + std::to_string(partition.index) + " ended " + std::to_string(partition.deaths.size()) +
               " workers; `groth16ctl job kick` tries again"});
}

void Machine::maybe_complete(Job& job) {
  if (!job.durable || job.final_state || job.storing_state) return;
  const bool settled = std::all_of(job.partitions.begin(), job.partitions.end(), [](const Partition& p) {
    return p.phase == Phase::proven || p.phase == Phase::stopped;
  });
  if (!settled) return;
  if (job.ending) return store_state(job, job.ending->state);
  const bool proven = std::all_of(job.partitions.begin(), job.partitions.end(),
                                  [](const Partition& p) { return p.phase == Phase::proven; });
  if (!proven || !job.circuit || !job.circuit->inspected) return;
  job.key_digest = job.circuit->facts.key_digest;
  job.vk_digest = job.circuit->facts.vk_digest;
  job.curve = job.circuit->facts.curve;
  store_state(job, JobState::done);
}

void Machine::store_state(Job& job, JobState state) {
  job.storing_state = state;
  job.store_retry = false;
  ++journal_writes_;
  StoreJobState store{job.record.job, state, std::nullopt, {}, {}, {}};
  if (state == JobState::done) {
    store.key_digest = job.key_digest;
    store.vk_digest = job.vk_digest;
    store.curve = job.curve;
  } else if (job.ending && state != JobState::received) {
    store.failure = job.ending->error;
  }
  act(std::move(store));
}

void Machine::handle(const JobStateStored& event) {
  Job* job = find_job(event.job);
  if (!job || job->storing_state != event.state || job->store_retry) return stale();
  --journal_writes_;
  job->storing_state.reset();
  if (event.state != JobState::received) return finish_job(*job, event.state);
  job->final_state.reset();  // kicked: everything but the number of attempts begins again
  job->failure.reset();
  job->ending.reset();
  for (Partition& partition : job->partitions) {
    partition.deaths.clear();
    partition.avoid.clear();
    partition.retries = partition.verification_failures = partition.allocation_failures = partition.card_pauses = 0;
    partition.for_cards = false;
    partition.suspect_slot.reset();
    if (!partition.stored) partition.phase = Phase::awaiting_circuit;
  }
  for (const ReplyToken token : job->submit_tokens) reply(token, 202, std::nullopt, event.job);
  job->submit_tokens.clear();
  log(job, 5, "", "kicked: queued again");
  if (job->circuit->failure) return end_job(*job, JobState::failed, *job->circuit->failure);
  start_job(*job);
}

void Machine::handle(const JobStateStoreFailed& event) {
  Job* job = find_job(event.job);
  if (!job || job->storing_state != event.state || job->store_retry) return stale();
  --journal_writes_;
  log(job, 3, "", "the journal refused state " + std::string(to_string(event.state)) + ": " + event.error.text);
  if (event.state == JobState::received) {  // a kick that did not happen
    job->storing_state.reset();
    Circuit& circuit = let_go_of_circuit(*job);
    Error error = event.error;
    error.code = ErrorCode::unavailable;
    for (const ReplyToken token : job->submit_tokens) reply_error(token, error, event.job);
    job->submit_tokens.clear();
    timers_.arm({TimerKey::Kind::job_retention, job->uid}, now_ + config_.retention);
    return forget_if_unused(circuit);
  }
  job->store_retry = true;
  timers_.arm({TimerKey::Kind::job_store, job->uid}, now_ + config_.store_retry);
}

void Machine::finish_job(Job& job, JobState state) {
  job.final_state = state;
  if (job.ending) job.failure = job.ending->error;
  job.ending.reset();
  timers_.disarm({TimerKey::Kind::job_deadline, job.uid});
  timers_.arm({TimerKey::Kind::job_retention, job.uid}, now_ + config_.retention);
  if (state == JobState::done) ++jobs_done_;
  if (state == JobState::failed || state == JobState::quarantined) ++jobs_failed_;
  log(&job, 6, "", "finished: " + std::string(to_string(state)));
  touch(job);
  if (!job.circuit) return;
  Circuit& circuit = let_go_of_circuit(job);
  circuit.last_used = now_;
  forget_if_unused(circuit);
}

void Machine::erase_job(Job& job) {
  for (const auto kind : {TimerKey::Kind::job_deadline, TimerKey::Kind::job_store, TimerKey::Kind::job_retention})
    timers_.disarm({kind, job.uid});
  for (Partition& partition : job.partitions) {
    leave_lines(partition);
    partitions_.erase(partition.uid);
  }
  job_uids_.erase(job.record.job);
  jobs_.erase(job.uid);
}

void Machine::publish_touched() {
  for (const std::uint64_t uid : touched_) {
    const auto it = jobs_.find(uid);
    if (it == jobs_.end()) continue;
    Job& job = it->second;
    const JobState state = state_of(job);
    if (state == job.published) continue;
    job.published = state;
    act(Publish{"job." + job.record.job, "job", job.record.job, 0, "", std::string(to_string(state)),
                job.failure ? job.failure->text : ""});
  }
  touched_.clear();
}

}  // namespace groth16d::supervisor
