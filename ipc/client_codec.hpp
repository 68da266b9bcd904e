// The client protocol's frames, as pure functions over bytes (docs/PROTOCOL.md). After ZeroMQ RFC 18/MDP:
//
//   [""]  "G16C01" | command, 1 byte | request id, 16 bytes | body | further frames
//
// The empty delimiter is REQ's: accepted and echoed. In a request the further frames are payload, as many as the body
// says. A reply has no payload: its body is the concatenation of all frames from the fourth on, so it may exceed one
// frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace groth16d::ipc {

inline constexpr std::string_view kProtocol = "G16C01";
inline constexpr std::string_view kProtocolFamily = "G16C";  // followed by two digits: the major version

// Numbers never change and are never used again for something else.
enum class Command : std::uint8_t {
  error = 0,            // only in a reply: to a message whose command could not be read     PlainReply
  submit = 1,           // SubmitRequest            -> SubmitReply
  status = 2,           // JobRequest               -> JobStatusReply
  result = 3,           // JobRequest               -> ResultReply
  cancel = 4,           // JobRequest               -> PlainReply
  close = 5,            // JobRequest               -> PlainReply
  list = 6,             // ListRequest              -> ListReply
  ping = 7,             // DaemonRequest            -> PlainReply
  daemon_status = 8,    // DaemonRequest            -> DaemonStatusReply
  upload = 9,           // UploadRequest            -> UploadReply
  metrics = 10,         // MetricsRequest           -> MetricsReply
  circuit_add = 16,     // CircuitAddRequest        -> CircuitReply
  circuit_list = 17,    // CircuitRequest           -> CircuitReply
  circuit_remove = 18,  // CircuitRequest           -> CircuitReply
  worker_list = 32,     // DaemonRequest            -> DaemonStatusReply
  logs = 33,            // JobRequest               -> LogsReply
  worker_restart = 64,  // WorkerRequest            -> WorkerReply; on the operator socket only, as are all from here on
  worker_drain = 65,    // WorkerRequest            -> WorkerReply
  worker_reset = 66,    // WorkerRequest            -> WorkerReply
  worker_enable = 67,   // WorkerRequest            -> WorkerReply
  worker_disable = 68,  // WorkerRequest            -> WorkerReply
  job_kick = 69,        // JobRequest               -> PlainReply
  reload = 70,          // ReloadRequest            -> ReloadReply
};

// "SUBMIT", "DAEMON_STATUS", ...; "" for a number that is no command.
std::string_view to_string(Command command);
bool is_for_operators(Command command);

using RequestId = std::array<std::uint8_t, 16>;

// From getrandom: unique among all clients of a daemon.
Result<RequestId> new_request_id();

// A parsed message; the views point into the frames that were parsed.
struct MessageView {
  bool delimited = false;
  Command command = Command::error;
  RequestId request{};
  std::string_view body;
  std::span<const std::string_view> further;
};

// Errors, all malformed but for the bounds: "protocol.foreign" (no G16C at all: be silent), "protocol.major" (another
// major: one ERROR, then silence), "protocol.frames" (too few), "protocol.command", "protocol.request_id"; too_large
// "protocol.too_many_frames", "protocol.too_many_bytes".
Result<MessageView> parse_message(std::span<const std::string_view> frames);

// What of a malformed message can still be used to address an answer: as far as it was readable.
struct Envelope {
  bool delimited = false;
  std::uint8_t command = 0;
  RequestId request{};
};
Envelope parse_envelope(std::span<const std::string_view> frames);

// The head frames of a message: delimiter when asked for, protocol, command, request id.
std::vector<std::string> head_frames(const Envelope& envelope);

// The body of a reply: view.body and view.further joined.
std::string join_body(const MessageView& view);

}  // namespace groth16d::ipc
