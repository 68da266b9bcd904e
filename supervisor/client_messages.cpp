#include "supervisor/client_messages.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace groth16d::supervisor {
namespace {

constexpr std::size_t kMaxNameBytes = 64;
// Objects of one partition in the request and in what the files' thread and the core are told of it: 480 bytes, and the
// allocator's.
constexpr std::uint64_t kBytesOfPartition = 512;

tl::unexpected<Error> refuse(const char* name, std::string text) {
  return failure(ErrorCode::malformed, name, std::move(text));
}

bool is_name_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         letter == '.' || letter == '_' || letter == '-';
}

v1::PartitionState state_of(PartitionState state) {
  switch (state) {
    case PartitionState::waiting:
      return v1::WAITING;
    case PartitionState::ready_synth:
      return v1::READY_SYNTH;
    case PartitionState::synthesising:
      return v1::SYNTHESISING;
    case PartitionState::sealed:
      return v1::SEALED;
    case PartitionState::proving:
      return v1::PROVING;
    case PartitionState::finalizing:
      return v1::FINALIZING;
    case PartitionState::proven:
      return v1::PROVEN;
    case PartitionState::stopped:
      return v1::STOPPED;
  }
  return v1::PARTITION_STATE_UNSPECIFIED;
}

void fill(const PartitionView& partition, v1::PartitionStatus* message) {
  message->set_partition(partition.partition);
  message->set_state(state_of(partition.state));
  message->set_attempt(partition.attempt);
  message->set_progress_permille(partition.progress_permille);
  for (const SlotId slot : partition.slots) message->add_slots(to_string(slot));
  if (partition.b_g2) message->set_b_g2(std::string(to_string(*partition.b_g2)));
}

void fill(const BufferCount& buffer, v1::BufferCount* message) {
  message->set_kind(std::string(to_string(buffer.kind)));
  message->set_stage(std::string(to_string(buffer.stage)));
  message->set_count(buffer.count);
  message->set_bytes(buffer.bytes);
}

void add_span(const StageSpan& span, v1::StageSpan* message) {
  message->set_partition(span.partition);
  message->set_stage(std::string(to_string(span.stage)));
  message->set_slot(to_string(span.slot));
  message->set_attempt(span.attempt);
  message->set_begin_ms(span.begin_ms);
  message->set_end_ms(span.end_ms);
  message->set_outcome(span.outcome);
  for (std::size_t k = 0; k < kBufferKinds; ++k)
    if (span.held.bytes[k] > 0)
      fill({static_cast<BufferKind>(k), BufferStage::none, 1, span.held.bytes[k]}, message->add_held());
}

}  // namespace

Result<void> check_name(std::string_view what, std::string_view name) {
  if (!name.empty() && name.size() <= kMaxNameBytes && std::all_of(name.begin(), name.end(), is_name_letter)) return {};
  return refuse("request.name", fmt::format("the name of the {} has {} bytes; expected 1 to {} of [A-Za-z0-9._-]", what,
                                            name.size(), kMaxNameBytes));
}

// Texts and log lines name files: a control character would let a client forge them on an operator's terminal.
Result<void> check_path(std::string_view path) {
  const auto bad = std::find_if(path.begin(), path.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (bad == path.end()) return {};
  return refuse("request.path", fmt::format("the path has control character 0x{:02x} at byte {}",
                                            static_cast<unsigned char>(*bad), bad - path.begin()));
}

Result<void> check_submit(const v1::SubmitRequest& request, std::size_t payload_frames) {
  if (request.partitions_size() > static_cast<int>(kMostPartitions))
    return refuse("job.partitions",
                  fmt::format("{} partitions; 1 to {} are possible", request.partitions_size(), kMostPartitions));
  if (auto named = check_name("job", request.job()); !named) return named;
  if (request.circuit().empty() == request.key_path().empty())
    return refuse("request.circuit", "expected a circuit or a key_path, and not both");
  if (!request.circuit().empty())
    if (auto named = check_name("circuit", request.circuit()); !named) return named;
  if (!request.circuit().empty() && !request.r1cs_path().empty())
    return refuse("request.circuit", "r1cs_path belongs to key_path");
  for (const std::string* path : {&request.key_path(), &request.r1cs_path()})
    if (auto checked = check_path(*path); !checked) return checked;
  for (const v1::PartitionInput& partition : request.partitions())
    if (auto checked = check_path(partition.path()); !checked) return checked;
  if (!v1::Priority_IsValid(request.priority()))
    return refuse("request.priority", fmt::format("{} is no priority", static_cast<int>(request.priority())));
  if (request.deadline_ms() > kMostDeadline_ms)
    return refuse("request.deadline", fmt::format("a deadline of {} ms is over the bound of {}, ten years",
                                                  request.deadline_ms(), kMostDeadline_ms));
  if (request.partitions().empty()) return refuse("request.partitions", "the job has no partitions");
  std::uint64_t declared = 0;
  for (const auto& partition : request.partitions()) {
    if (partition.source_case() == v1::PartitionInput::SOURCE_NOT_SET ||
        (partition.has_path() && partition.path().empty()) ||
        (partition.has_payload_frames() && partition.payload_frames() == 0))
      return refuse("request.input", "a partition has no input: expected a path, payload_frames or an upload");
    if (partition.has_upload() && partition.upload().size() != sizeof(Digest))
      return refuse("request.upload",
                    fmt::format("an upload is named by its SHA-256, 32 bytes; found {}", partition.upload().size()));
    declared += partition.has_payload_frames() ? partition.payload_frames() : 0;
  }
  if (declared != payload_frames)
    return refuse("request.payload", fmt::format("{} payload frames came, {} are declared", payload_frames, declared));
  return {};
}

// A partition that is sent along needs no file; one that is named again shares the first one's.
Burden burden_of(const v1::SubmitRequest& request, std::size_t body_bytes, const std::vector<zmq::message_t>& payload) {
  Burden burden{body_bytes * kCopiesOfBody + static_cast<std::uint64_t>(request.partitions_size()) * kBytesOfPartition,
                0};
  for (const zmq::message_t& frame : payload) burden.bytes += frame.size();
  std::set<std::pair<bool, std::string_view>> files;
  for (const auto& partition : request.partitions())
    if (!partition.has_payload_frames())
      files.emplace(partition.has_path(), partition.has_path() ? partition.path() : partition.upload());
  burden.files = files.size();
  return burden;
}

// A field once added is always written, lengths first; protobuf's own bytes would depend on who serialised them.
std::string normal_form(const v1::SubmitRequest& request) {
  std::string form = "submit/1";
  const auto add = [&](std::string_view field) { form += fmt::format("\n{}:{}", field.size(), field); };
  add(request.job());
  add(request.circuit());
  add(request.key_path());
  add(request.r1cs_path());
  add(request.allow_insecure_key() ? "1" : "0");
  add(to_string(priority_of(request.priority())));
  add(std::to_string(request.deadline_ms()));
  for (const auto& partition : request.partitions()) {
    add(partition.has_path() ? "path" : partition.has_upload() ? "upload" : "payload");
    add(partition.has_path()     ? partition.path()
        : partition.has_upload() ? partition.upload()
                                 : std::to_string(partition.payload_frames()));
    add(partition.declared_public_json());
  }
  return form;
}

Digest digest_from(std::string_view bytes) {
  Digest digest{};
  std::copy_n(bytes.begin(), std::min(bytes.size(), digest.size()), digest.begin());
  return digest;
}

Priority priority_of(v1::Priority priority) {
  switch (priority) {
    case v1::PRIORITY_LOW:
      return Priority::low;
    case v1::PRIORITY_HIGH:
      return Priority::high;
    case v1::PRIORITY_CRITICAL:
      return Priority::critical;
    default:
      return Priority::normal;
  }
}

Result<void> check_upload(const v1::UploadRequest& request, std::uint64_t chunk_bytes) {
  if (request.sha256().size() != sizeof(Digest))
    return refuse("request.sha256", fmt::format("a SHA-256 of {} bytes; 32 are expected", request.sha256().size()));
  if (request.chunk_sha256().size() != (chunk_bytes > 0 ? sizeof(Digest) : 0))
    return refuse("request.chunk_sha256",
                  fmt::format("a SHA-256 of {} bytes for a chunk of {}", request.chunk_sha256().size(), chunk_bytes));
  if (request.bytes() == 0) return refuse("request.bytes", "an upload of no bytes");
  if (request.bytes() > kMostInputBytes)
    return failure(ErrorCode::too_large, "input.bytes",
                   fmt::format("an input of {} bytes is over the bound of {}", request.bytes(), kMostInputBytes));
  if (request.offset() > request.bytes() || chunk_bytes > request.bytes() - request.offset())
    return refuse("request.offset", fmt::format("{} bytes at {} do not lie inside an upload of {}", chunk_bytes,
                                                request.offset(), request.bytes()));
  return {};
}

Result<void> check_list(const v1::ListRequest& request) {
  for (const int state : request.states())
    if (!v1::JobState_IsValid(state)) return refuse("request.states", fmt::format("{} is no state of a job", state));
  return {};
}

std::vector<JobState> states_of(const v1::ListRequest& request) {
  std::vector<JobState> states;
  for (const JobState state : {JobState::received, JobState::queued, JobState::running, JobState::done,
                               JobState::failed, JobState::cancelled, JobState::quarantined})
    if (std::find(request.states().begin(), request.states().end(), state_of(state)) != request.states().end())
      states.push_back(state);
  return states;
}

v1::Failure failure_of(const Error& error) {
  v1::Failure message;
  message.set_code(std::string(to_string(error.code)));
  message.set_name(error.name);
  message.set_text(error.text);
  return message;
}

v1::JobState state_of(JobState state) {
  switch (state) {
    case JobState::received:
      return v1::RECEIVED;
    case JobState::queued:
      return v1::QUEUED;
    case JobState::running:
      return v1::RUNNING;
    case JobState::done:
      return v1::DONE;
    case JobState::failed:
      return v1::FAILED;
    case JobState::cancelled:
      return v1::CANCELLED;
    case JobState::quarantined:
      return v1::QUARANTINED;
  }
  return v1::JOB_STATE_UNSPECIFIED;
}

v1::JobStatus status_of(const JobView& job) {
  v1::JobStatus message;
  message.set_job(job.job);
  message.set_circuit(shown_name(job.circuit));
  message.set_state(state_of(job.state));
  message.set_priority(static_cast<v1::Priority>(job.priority));
  for (const PartitionView& partition : job.partitions) fill(partition, message.add_partitions());
  if (job.failure) *message.mutable_failure() = failure_of(*job.failure);
  message.set_age_ms(job.age_ms);
  message.set_waiting_for(job.waiting_for);
  for (const std::string& warning : job.warnings) message.add_warnings(warning);
  for (const StageSpan& span : job.timeline) add_span(span, message.add_timeline());
  return message;
}

v1::CircuitStatus status_of(const CircuitView& circuit) {
  v1::CircuitStatus message;
  message.set_circuit(shown_name(circuit.circuit));
  message.set_state(std::string(to_string(circuit.state)));
  message.set_key_path(circuit.source.key_path);
  message.set_r1cs_path(circuit.source.r1cs_path);
  message.set_curve(circuit.facts.curve);
  message.set_n_vars(circuit.facts.n_vars);
  message.set_n_public(circuit.facts.n_public);
  message.set_n_constraints(circuit.facts.n_constraints);
  message.set_domain_log2(circuit.facts.domain_log2);
  message.set_key_digest(circuit.facts.key_digest);
  message.set_vk_digest(circuit.facts.vk_digest);
  message.set_r1cs_digest(circuit.facts.r1cs_digest);
  message.set_key_bytes(circuit.facts.key_bytes);
  message.set_r1cs_bytes(circuit.facts.r1cs_bytes);
  message.set_partition_bytes(circuit.partition_bytes);
  message.set_loads(circuit.loads);
  message.set_cache_hits(circuit.cache_hits);
  message.set_conversions(circuit.loads - circuit.cache_hits);
  message.set_source_bytes_read(circuit.source_bytes_read);
  message.set_adoptions(circuit.adoptions);
  for (const std::string& warning : circuit.facts.warnings) message.add_warnings(warning);
  if (circuit.failure) *message.mutable_failure() = failure_of(*circuit.failure);
  for (const PrivateNeedView& need : circuit.needs) {
    auto* entry = message.add_needs();
    entry->set_stage(std::string(to_string(need.stage)));
    entry->set_formula_bytes(need.formula_bytes);
    entry->set_observed_bytes(need.observed_bytes);
    entry->set_reserved_bytes(need.reserved_bytes);
  }
  return message;
}

v1::WorkerStatus status_of(const WorkerView& worker) {
  v1::WorkerStatus message;
  message.set_slot(to_string(worker.slot));
  message.set_epoch(worker.epoch);
  message.set_pid(worker.pid);
  message.set_state(std::string(to_string(worker.state)));
  message.set_job(worker.job);
  message.set_partition(worker.partition);
  if (worker.stage) message.set_stage(std::string(to_string(*worker.stage)));
  message.set_progress_permille(worker.progress_permille);
  message.set_rss_bytes(worker.rss_bytes);
  message.set_restarts(worker.restarts);
  message.set_last_death(worker.last_death);
  return message;
}

v1::DaemonStatus status_of(const DaemonView& daemon, TimePoint now) {
  v1::DaemonStatus message;
  message.set_state(std::string(to_string(daemon.state)));
  message.set_budget_total_bytes(daemon.budget_total_bytes);
  message.set_budget_used_bytes(daemon.budget_used_bytes);
  for (const BufferCount& buffer : daemon.buffers) fill(buffer, message.add_buffers());
  for (std::size_t priority = kPriorities; priority-- > 0;) {
    auto* queue = message.add_queues();
    queue->set_priority(static_cast<v1::Priority>(priority + 1));
    queue->set_jobs(daemon.queued_jobs[priority]);
    queue->set_partitions(daemon.queued_partitions[priority]);
    if (const auto& oldest = daemon.oldest_queued_job[priority])
      queue->set_oldest_ms(static_cast<std::uint64_t>(std::max(Millis(0), now - *oldest).count()));
  }
  for (std::size_t state = 0; state < kPartitionStateCount; ++state) {
    auto* count = message.add_partitions();
    count->set_state(state_of(static_cast<PartitionState>(state)));
    count->set_count(daemon.partitions[state]);
  }
  message.set_jobs_queued(daemon.jobs_queued);
  message.set_jobs_running(daemon.jobs_running);
  message.set_jobs_done(daemon.jobs_done);
  message.set_jobs_failed(daemon.jobs_failed);
  message.set_syntheses(daemon.syntheses);
  message.set_stale_messages(daemon.stale_events);
  message.set_private_overruns(daemon.private_overruns);
  return message;
}

void write_tally(const Tally& tally, v1::MetricsReply* reply) {
  for (const auto& [circuit, counts] : tally.circuits) {
    auto* entry = reply->add_circuits();
    entry->set_circuit(circuit);
    for (std::size_t state = 0; state < kJobStateCount; ++state) {
      if (counts.jobs[state] == 0) continue;
      auto* jobs = entry->add_jobs();
      jobs->set_state(state_of(static_cast<JobState>(state)));
      jobs->set_count(counts.jobs[state]);
    }
    for (std::size_t state = 0; state < kPartitionStateCount; ++state) {
      if (counts.partitions[state] == 0) continue;
      auto* partitions = entry->add_partitions();
      partitions->set_state(state_of(static_cast<PartitionState>(state)));
      partitions->set_count(counts.partitions[state]);
    }
  }
  reply->set_waiting_bytes(tally.waiting_bytes);
  for (const InFlightView& view : tally.in_flight) {
    auto* entry = reply->add_in_flight();
    entry->set_job(view.job);
    fill(view.partition, entry->mutable_partition());
  }
}

void write_spool(const SpoolFigures& figures, v1::SpoolMetrics* message) {
  const UploadFigures& uploads = figures.uploads;
  message->set_used_bytes(figures.used_bytes);
  message->set_max_bytes(figures.max_bytes);
  message->set_uploads_open(uploads.open);
  message->set_uploads_whole(uploads.whole);
  message->set_uploads_reserved_bytes(uploads.reserved_bytes);
  message->set_uploads_received_bytes(uploads.received_bytes);
  message->set_uploads_begun(uploads.begun);
  message->set_uploads_finished(uploads.finished);
  message->set_uploads_taken(uploads.taken);
  message->set_uploads_expired(uploads.expired);
  message->set_uploads_spoilt(uploads.spoilt);
}

v1::LogLine line_of(const StampedLine& line) {
  v1::LogLine message;
  message.set_at_ms(line.at_ms);
  message.set_level(line.line.level);
  message.set_slot(line.line.slot);
  message.set_text(line.line.text);
  return message;
}

v1::Event event_of(const Publish& publish, std::uint64_t at_ms) {
  v1::Event message;
  message.set_at_ms(at_ms);
  message.set_what(publish.what);
  message.set_job(publish.job);
  message.set_partition(publish.partition);
  message.set_slot(publish.slot);
  message.set_state(publish.state);
  message.set_text(publish.text);
  return message;
}

v1::Event memory_event_of(const DaemonView& daemon, std::uint64_t at_ms) {
  v1::Event message;
  message.set_at_ms(at_ms);
  message.set_what("memory");
  message.set_budget_used_bytes(daemon.budget_used_bytes);
  message.set_budget_total_bytes(daemon.budget_total_bytes);
  for (const BufferCount& buffer : daemon.buffers) fill(buffer, message.add_buffers());
  return message;
}

}  // namespace groth16d::supervisor
