// Between the core's views and the client protocol's bodies, and the form in which a SUBMIT is compared: pure
// functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "ipc/client.pb.h"
#include "ipc/metrics.pb.h"
#include "supervisor/core/action.hpp"
#include "supervisor/core/view.hpp"
#include "supervisor/files.hpp"
#include "supervisor/journal_file.hpp"
#include "supervisor/waiting_room.hpp"

namespace groth16d::supervisor {

// 1 to 64 of [A-Za-z0-9._-], for jobs and circuits. `what` is the word for errors. Error: malformed "request.name".
Result<void> check_name(std::string_view what, std::string_view name);

// Of a client's file. Error: malformed "request.path".
Result<void> check_path(std::string_view path);

// What can be refused without looking at a file: names, a circuit or a key but not both, one partition to
// kMostPartitions, each with one input, as many payload frames as are declared, a deadline of kMostDeadline_ms at most.
// Errors: malformed "request.*", "job.partitions".
Result<void> check_submit(const v1::SubmitRequest& request, std::size_t payload_frames);

// What a SUBMIT holds until the spool has it. `body_bytes` as it came.
Burden burden_of(const v1::SubmitRequest& request, std::size_t body_bytes, const std::vector<zmq::message_t>& payload);

// UPLOAD's body, and the size of its chunk if there is one. Errors: malformed "request.*", too_large "input.bytes".
Result<void> check_upload(const v1::UploadRequest& request, std::uint64_t chunk_bytes);

// LIST names states that there are. Error: malformed "request.states".
Result<void> check_list(const v1::ListRequest& request);

// Equal for equal requests, however their sender spelt defaults; everything but the content of inline inputs.
std::string normal_form(const v1::SubmitRequest& request);

// A SHA-256 that was checked to have its 32 bytes.
Digest digest_from(std::string_view bytes);

Priority priority_of(v1::Priority priority);
std::vector<JobState> states_of(const v1::ListRequest& request);

v1::Failure failure_of(const Error& error);
v1::JobState state_of(JobState state);
v1::JobStatus status_of(const JobView& job);
v1::CircuitStatus status_of(const CircuitView& circuit);
v1::WorkerStatus status_of(const WorkerView& worker);
v1::DaemonStatus status_of(const DaemonView& daemon, TimePoint now);  // without its workers
void write_tally(const Tally& tally, v1::MetricsReply* reply);
void write_spool(const SpoolFigures& figures, v1::SpoolMetrics* message);
v1::LogLine line_of(const StampedLine& line);
v1::Event event_of(const Publish& publish, std::uint64_t at_ms);
v1::Event memory_event_of(const DaemonView& daemon, std::uint64_t at_ms);

}  // namespace groth16d::supervisor
