#include "supervisor/api.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "common/clock.hpp"
#include "supervisor/client_messages.hpp"

namespace groth16d::supervisor {
namespace {

// A request waits for one commit, 2 ms; ten thousand of them are a flood, not a load.
constexpr std::size_t kMostPending = 10'000;
constexpr std::uint32_t kRetryAfter_ms = 1'000;
constexpr std::uint32_t kListLimit = 1'000;
constexpr std::uint32_t kLinesLimit = 1'000;
constexpr std::size_t kMostListedInFlight = 256;

Error no_job(const JobId& job) { return {ErrorCode::not_found, "job.unknown", fmt::format("there is no job {}", job)}; }

v1::Status reply_status(const Reply& reply) {
  v1::Status status;
  status.set_code(reply.code);
  if (reply.failure) *status.mutable_failure() = failure_of(*reply.failure);
  status.set_retry_after_ms(reply.retry_after_ms);
  return status;
}

SubmitRequested submit_event(ReplyToken token, const v1::SubmitRequest& request, const Caller& caller,
                             const Examined& found) {
  SubmitRequested event;
  event.token = token;
  event.client = caller.payer();
  event.job = request.job();
  event.digest = found.digest;
  event.circuit = request.circuit();
  event.source = {request.key_path(), request.r1cs_path(), request.allow_insecure_key()};
  if (found.key_stamp) event.key_stamp = *found.key_stamp;
  event.priority = priority_of(request.priority());
  event.deadline_ms = request.deadline_ms();
  for (int partition = 0; partition < request.partitions_size(); ++partition) {
    const auto place = static_cast<std::size_t>(partition);
    PartitionInput input;
    input.declared_public_json = request.partitions(partition).declared_public_json();
    if (place < found.inputs.size()) {
      input.name = found.inputs[place].name;
      input.bytes = found.inputs[place].bytes;
    }
    event.partitions.push_back(std::move(input));
  }
  return event;
}

// Frames in the order of the message, as many to each partition as it declares.
Examine examine_request(ReplyToken token, const v1::SubmitRequest& request, const Caller& caller,
                        std::vector<zmq::message_t>& payload) {
  Examine examine{token, normal_form(request), {request.key_path(), request.r1cs_path(), request.allow_insecure_key()},
                  {},    caller.client,        caller.payer()};
  auto next = payload.begin();
  for (const auto& partition : request.partitions()) {
    NamedInput input{partition.path(), {}, partition.declared_public_json()};
    for (std::uint32_t frame = 0; frame < partition.payload_frames(); ++frame)
      input.frames.push_back(std::move(*next++));
    if (partition.has_upload()) input.upload = digest_from(partition.upload());
    examine.inputs.push_back(std::move(input));
  }
  return examine;
}

}  // namespace

Api::Api(ClientHubs& hubs, const Core& core, Files& files, Journal& journal, const MemoryWatch& memory,
         const Meters& meters, std::string version)
    : hubs_(hubs),
      core_(core),
      files_(files),
      journal_(journal),
      memory_(memory),
      meters_(meters),
      version_(std::move(version)),
      started_at_ms_(monotonic_ms()) {}

std::optional<Event> Api::request(ipc::ClientRequest request, Door door, TimePoint now) {
  const ipc::ReplyAddress address = request.from;
  const auto caller = recognise(request, door);
  auto event = caller.and_then([&](const Caller& known) { return dispatch(request, known, now); });
  if (event) return std::move(*event);
  refuse({door, Right::read, {}, address}, event.error());
  return std::nullopt;
}

Result<std::optional<Event>> Api::dispatch(ipc::ClientRequest& request, const Caller& caller, TimePoint now) {
  const bool may_carry = request.command == ipc::Command::submit || request.command == ipc::Command::upload;
  if (!may_carry && !request.payload.empty())
    return failure(ErrorCode::malformed, "request.payload",
                   fmt::format("{} has no payload frames", ipc::to_string(request.command)));
  if (ipc::is_for_operators(request.command)) return operate(request, caller);
  switch (request.command) {
    case ipc::Command::submit:
      return submit(request, caller);
    case ipc::Command::upload:
      return upload(request, caller);
    case ipc::Command::status:
    case ipc::Command::result:
    case ipc::Command::cancel:
    case ipc::Command::close:
    case ipc::Command::logs:
      return about_job(request, caller, now);
    case ipc::Command::circuit_add:
    case ipc::Command::circuit_list:
    case ipc::Command::circuit_remove:
      return about_circuit(request, caller);
    case ipc::Command::list: {
      auto body = ipc::request_body<v1::ListRequest>(request);
      if (!body) return tl::unexpected(body.error());
      if (auto checked = check_list(*body); !checked) return tl::unexpected(checked.error());
      answer_list(caller, *body, now);
      return std::nullopt;
    }
    case ipc::Command::metrics: {
      const auto body = ipc::request_body<v1::MetricsRequest>(request);
      if (!body) return tl::unexpected(body.error());
      answer_metrics(caller, *body, now);
      return std::nullopt;
    }
    default:
      break;
  }
  if (auto body = ipc::request_body<v1::DaemonRequest>(request); !body) return tl::unexpected(body.error());
  if (request.command == ipc::Command::ping) {
    v1::PlainReply pong;
    *pong.mutable_status() = ipc::make_status(200);
    send(caller, pong);
  } else {
    answer_daemon(caller, now);
  }
  return std::nullopt;
}

// ---------------------------------------------------------------- SUBMIT

Result<std::optional<Event>> Api::submit(ipc::ClientRequest& request, const Caller& caller) {
  auto body = ipc::request_body<v1::SubmitRequest>(request);
  if (!body) return tl::unexpected(body.error());
  if (auto checked = check_submit(*body, request.payload.size()); !checked) return tl::unexpected(checked.error());
  Pending pending(caller, request.command);
  pending.submit = *body;
  if (auto room = make_room(pending, burden_of(*body, request.body.size(), request.payload)); !room)
    return tl::unexpected(room.error());
  const ReplyToken token = remember(std::move(pending));
  files_.put(examine_request(token, *body, caller, request.payload));
  return std::nullopt;
}

// For what waits in memory until the spool has it.
Result<void> Api::make_room(Pending& pending, const Burden& burden) {
  if (pending_.size() >= kMostPending)
    return failure(ErrorCode::busy, "request.too_many", "too many requests wait for the spool");
  if (auto entered = waiting_.enter(burden); !entered) return entered;
  pending.burden = burden;
  return {};
}

std::optional<Event> Api::examined(Examined found, TimePoint now) {
  const auto place = pending_.find(found.token);
  if (place == pending_.end()) return std::nullopt;
  const v1::SubmitRequest& request = place->second.submit;
  // A job that exists is compared by digest alone: the client may have removed its files since.
  if (!found.key_stamp && !core_.job(request.job(), now)) {
    reply(Reply{found.token, status_code(found.key_stamp.error().code), found.key_stamp.error(),
                found.key_stamp.error().code == ErrorCode::busy ? kRetryAfter_ms : 0, request.job()},
          now);
    return std::nullopt;
  }
  Event event = submit_event(found.token, request, place->second.to, found);
  place->second.inputs = std::move(found.inputs);
  return event;
}

std::vector<SpoolInput> Api::take_inputs(ReplyToken token) {
  const auto place = pending_.find(token);
  if (place == pending_.end()) return {};
  return std::exchange(place->second.inputs, {});
}

void Api::reply(const Reply& reply, TimePoint now) {
  auto node = pending_.extract(reply.token);
  if (node.empty()) return;
  const Pending& pending = node.mapped();
  waiting_.leave(pending.burden);
  if (pending.command == ipc::Command::submit) {
    v1::SubmitReply body;
    *body.mutable_status() = reply_status(reply);
    body.set_job(pending.submit.job());
    if (const auto job = core_.job(pending.submit.job(), now); job && reply.code < 400)
      body.set_state(state_of(job->state));
    send(pending.to, body);
  } else if (pending.slot) {
    answer_worker(pending, reply_status(reply));
  } else if (!pending.circuit.empty()) {
    answer_circuits(pending.to, reply_status(reply), pending.circuit);
  } else {
    v1::PlainReply body;
    *body.mutable_status() = reply_status(reply);
    send(pending.to, body);
  }
}

// ---------------------------------------------------------------- one job

Result<std::optional<Event>> Api::about_job(const ipc::ClientRequest& request, const Caller& caller, TimePoint now) {
  const auto body = ipc::request_body<v1::JobRequest>(request);
  if (!body) return tl::unexpected(body.error());
  if (auto named = check_name("job", body->job()); !named) return tl::unexpected(named.error());
  const JobId& job = body->job();
  Result<void> answered;
  switch (request.command) {
    case ipc::Command::status:
      answered = answer_status(caller, job, now);
      break;
    case ipc::Command::result:
      answered = answer_result(caller, job, now);
      break;
    case ipc::Command::cancel:
      return Event(CancelRequested{remember({caller, request.command}), job});
    case ipc::Command::close:
      return Event(CloseRequested{remember({caller, request.command}), job});
    default:
      if (!core_.job(job, now)) return tl::unexpected(no_job(job));
      journal_.put(ReadLines{remember({caller, request.command}), job, kLinesLimit});
      break;
  }
  if (!answered) return tl::unexpected(answered.error());
  return std::nullopt;
}

Result<void> Api::answer_status(const Caller& to, const JobId& job, TimePoint now) {
  const auto view = core_.job(job, now);
  if (!view) return tl::unexpected(no_job(job));
  v1::JobStatusReply body;
  *body.mutable_status() = ipc::make_status(200);
  *body.mutable_job() = status_of(*view);
  send(to, body);
  return {};
}

Result<void> Api::answer_result(const Caller& to, const JobId& job, TimePoint now) {
  const auto view = core_.job(job, now);
  if (!view) return tl::unexpected(no_job(job));
  const auto result = core_.result(job);
  v1::ResultReply body;
  *body.mutable_status() =
      ipc::make_status(is_final(view->state) && (result || view->state != JobState::done) ? 200 : 300);
  *body.mutable_job() = status_of(*view);
  if (result) {
    body.set_key_digest(result->key_digest);
    body.set_vk_digest(result->vk_digest);
    body.set_curve(result->curve);
    for (std::uint32_t partition = 0; partition < result->proofs.size(); ++partition) {
      auto* proof = body.add_partitions();
      proof->set_partition(partition);
      proof->set_proof(result->proofs[partition].proof);
      proof->set_proof_json(result->proofs[partition].proof_json);
      proof->set_public_json(result->proofs[partition].public_json);
    }
  }
  send(to, body);
  return {};
}

void Api::lines_read(const LinesRead& read) {
  auto node = pending_.extract(read.token);
  if (node.empty()) return;
  if (!read.lines) return refuse(node.mapped().to, read.lines.error());
  v1::LogsReply body;
  *body.mutable_status() = ipc::make_status(200);
  for (const StampedLine& line : *read.lines) *body.add_lines() = line_of(line);
  send(node.mapped().to, body);
}

// ---------------------------------------------------------------- circuits and the daemon

Result<std::optional<Event>> Api::about_circuit(const ipc::ClientRequest& request, const Caller& caller) {
  if (request.command == ipc::Command::circuit_add) {
    const auto body = ipc::request_body<v1::CircuitAddRequest>(request);
    if (!body) return tl::unexpected(body.error());
    if (auto named = check_name("circuit", body->circuit()); !named) return tl::unexpected(named.error());
    if (body->key_path().empty())
      return failure(ErrorCode::malformed, "request.key_path", "a circuit needs a key_path");
    for (const std::string* path : {&body->key_path(), &body->r1cs_path()})
      if (auto checked = check_path(*path); !checked) return tl::unexpected<Error>(checked.error());
    return Event(CircuitAddRequested{remember_circuit(caller, request.command, body->circuit()),
                                     body->circuit(),
                                     {body->key_path(), body->r1cs_path(), body->allow_insecure_key()}});
  }
  const auto body = ipc::request_body<v1::CircuitRequest>(request);
  if (!body) return tl::unexpected(body.error());
  if (request.command == ipc::Command::circuit_list) {
    const auto circuits = core_.circuits();
    const auto named = [&](const CircuitView& view) { return view.circuit == body->circuit(); };
    if (!body->circuit().empty() && std::none_of(circuits.begin(), circuits.end(), named))
      return failure(ErrorCode::not_found, "circuit.unknown", "there is no circuit of that name");
    answer_circuits(caller, ipc::make_status(200), body->circuit());
    return std::nullopt;
  }
  if (auto named = check_name("circuit", body->circuit()); !named) return tl::unexpected(named.error());
  return Event(CircuitRemoveRequested{remember_circuit(caller, request.command, body->circuit()), body->circuit()});
}

void Api::answer_circuits(const Caller& to, const v1::Status& status, const std::string& circuit) {
  v1::CircuitReply body;
  *body.mutable_status() = status;
  for (const CircuitView& view : core_.circuits())
    if (circuit.empty() || view.circuit == circuit) *body.add_circuits() = status_of(view);
  send(to, body);
}

void Api::answer_list(const Caller& to, const v1::ListRequest& request, TimePoint now) {
  v1::ListReply body;
  *body.mutable_status() = ipc::make_status(200);
  const JobFilter filter{states_of(request), request.contains(), request.limit() == 0 ? kListLimit : request.limit(),
                         request.newest_first()};
  for (const JobView& job : core_.jobs(filter, now)) *body.add_jobs() = status_of(job);
  send(to, body);
}

v1::WorkerStatus Api::worker_status(const WorkerView& worker) const {
  v1::WorkerStatus message = status_of(worker);
  const WorkerMemory memory = memory_.of(worker.slot, worker.epoch);
  message.set_private_bytes(memory.private_bytes);
  message.set_pss_bytes(memory.pss_bytes);
  message.set_leaf_bytes(memory.leaf_bytes);
  message.set_leaf_peak_bytes(memory.leaf_peak_bytes);
  message.set_leaf_limit_bytes(memory.leaf_limit_bytes);
  return message;
}

v1::DaemonStatus Api::daemon_status(TimePoint now) const {
  v1::DaemonStatus message = status_of(core_.daemon(), now);
  for (const WorkerView& worker : core_.workers()) *message.add_workers() = worker_status(worker);
  message.set_version(version_);
  message.set_pid(static_cast<std::uint32_t>(::getpid()));
  message.set_uptime_ms(monotonic_ms() - started_at_ms_);
  return message;
}

void Api::answer_daemon(const Caller& to, TimePoint now) {
  v1::DaemonStatusReply body;
  *body.mutable_status() = ipc::make_status(200);
  *body.mutable_daemon() = daemon_status(now);
  send(to, body);
}

void Api::answer_metrics(const Caller& to, const v1::MetricsRequest& request, TimePoint now) {
  v1::MetricsReply body;
  *body.mutable_status() = ipc::make_status(200);
  *body.mutable_daemon() = daemon_status(now);
  body.set_at_ms(wall_ms());
  write_tally(core_.tally(kMostListedInFlight), &body);
  meters_.write(request, &body);
  write_spool(files_.figures(), body.mutable_spool());
  send(to, body);
}

// ---------------------------------------------------------------- replies

ReplyToken Api::remember_circuit(const Caller& caller, ipc::Command command, const std::string& circuit) {
  Pending pending(caller, command);
  pending.circuit = circuit;
  return remember(std::move(pending));
}

ReplyToken Api::remember(Pending pending) {
  const ReplyToken token = next_token_++;
  pending_.emplace(token, std::move(pending));
  return token;
}

void Api::send(const Caller& to, const google::protobuf::MessageLite& body) {
  const auto sent = hubs_.of(to.door).reply(to.address, body);
  if (sent) return;
  spdlog::debug("a reply was not sent: {}", sent.error().text);
  if (sent.error().code == ErrorCode::too_large) refuse(to, sent.error());
}

void Api::refuse(const Caller& to, const Error& error) {
  const auto sent =
      hubs_.of(to.door).reply_failure(to.address, error, error.code == ErrorCode::busy ? kRetryAfter_ms : 0);
  if (!sent) spdlog::debug("a refusal was not sent: {}", sent.error().text);
}

}  // namespace groth16d::supervisor
