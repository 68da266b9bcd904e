#include "ipc/client_codec.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "common/posix.hpp"
#include "ipc/body_frames.hpp"
#include "ipc/limits.hpp"

namespace groth16d::ipc {

namespace {

// Behind the delimiter: protocol, command, request id, body.
constexpr std::size_t kLeastFrames = 4;

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

bool is_delimited(std::span<const std::string_view> frames) { return !frames.empty() && frames.front().empty(); }

Result<void> check_bounds(std::span<const std::string_view> frames) {
  if (frames.size() > kMaxFrames) {
    return failure(ErrorCode::too_large, "protocol.too_many_frames",
                   fmt::format("{} frames, expected at most {}", frames.size(), kMaxFrames));
  }
  std::size_t bytes = 0;
  for (const std::string_view frame : frames) bytes += frame.size();
  if (bytes > kMaxMessageBytes) {
    return failure(ErrorCode::too_large, "protocol.too_many_bytes",
                   fmt::format("{} bytes, expected at most {}", bytes, kMaxMessageBytes));
  }
  return {};
}

Result<void> check_protocol(std::span<const std::string_view> frames) {
  const std::string_view protocol = frames.empty() ? std::string_view{} : frames.front();
  if (protocol == kProtocol) return {};
  const bool family = protocol.size() == kProtocol.size() && protocol.starts_with(kProtocolFamily) &&
                      is_digit(protocol[4]) && is_digit(protocol[5]);
  if (family) {
    return failure(ErrorCode::malformed, "protocol.major",
                   fmt::format("protocol {}, expected {}", protocol, kProtocol));
  }
  return failure(ErrorCode::malformed, "protocol.foreign",
                 fmt::format("the message does not begin with {}", kProtocol));
}

Result<Command> parse_command(std::string_view frame) {
  if (frame.size() != 1) {
    return failure(ErrorCode::malformed, "protocol.command",
                   fmt::format("a command frame of {} bytes, expected 1", frame.size()));
  }
  const auto command = static_cast<Command>(static_cast<std::uint8_t>(frame.front()));
  if (to_string(command).empty()) {
    return failure(ErrorCode::malformed, "protocol.command",
                   fmt::format("{} is no command", static_cast<unsigned>(command)));
  }
  return command;
}

}  // namespace

std::string_view to_string(Command command) {
  switch (command) {
    case Command::error:
      return "ERROR";
    case Command::submit:
      return "SUBMIT";
    case Command::status:
      return "STATUS";
    case Command::result:
      return "RESULT";
    case Command::cancel:
      return "CANCEL";
    case Command::close:
      return "CLOSE";
    case Command::list:
      return "LIST";
    case Command::ping:
      return "PING";
    case Command::daemon_status:
      return "DAEMON_STATUS";
    case Command::upload:
      return "UPLOAD";
    case Command::metrics:
      return "METRICS";
    case Command::circuit_add:
      return "CIRCUIT_ADD";
    case Command::circuit_list:
      return "CIRCUIT_LIST";
    case Command::circuit_remove:
      return "CIRCUIT_REMOVE";
    case Command::worker_list:
      return "WORKER_LIST";
    case Command::logs:
      return "LOGS";
    case Command::worker_restart:
      return "WORKER_RESTART";
    case Command::worker_drain:
      return "WORKER_DRAIN";
    case Command::worker_reset:
      return "WORKER_RESET";
    case Command::worker_enable:
      return "WORKER_ENABLE";
    case Command::worker_disable:
      return "WORKER_DISABLE";
    case Command::job_kick:
      return "JOB_KICK";
    case Command::reload:
      return "RELOAD";
  }
  return {};
}

bool is_for_operators(Command command) { return command >= Command::worker_restart; }

Result<RequestId> new_request_id() {
  RequestId request{};
  ssize_t got = -1;
  do {
    got = ::getrandom(request.data(), request.size(), 0);
  } while (got < 0 && errno == EINTR);
  // Up to 256 bytes come whole or not at all.
  if (got != static_cast<ssize_t>(request.size())) return system_failure("getrandom", "request id");
  return request;
}

Result<MessageView> parse_message(std::span<const std::string_view> frames) {
  MessageView view;
  view.delimited = is_delimited(frames);
  if (view.delimited) frames = frames.subspan(1);
  if (auto bounded = check_bounds(frames); !bounded) return tl::unexpected<Error>(bounded.error());
  if (auto ours = check_protocol(frames); !ours) return tl::unexpected<Error>(ours.error());
  if (frames.size() < kLeastFrames) {
    return failure(ErrorCode::malformed, "protocol.frames",
                   fmt::format("{} frames, expected at least {}", frames.size(), kLeastFrames));
  }
  Result<Command> command = parse_command(frames[1]);
  if (!command) return tl::unexpected<Error>(command.error());
  view.command = *command;
  if (frames[2].size() != view.request.size()) {
    return failure(ErrorCode::malformed, "protocol.request_id",
                   fmt::format("a request id of {} bytes, expected {}", frames[2].size(), view.request.size()));
  }
  std::copy(frames[2].begin(), frames[2].end(), view.request.begin());
  view.body = frames[3];
  view.further = frames.subspan(kLeastFrames);
  return view;
}

Envelope parse_envelope(std::span<const std::string_view> frames) {
  Envelope envelope;
  envelope.delimited = is_delimited(frames);
  if (envelope.delimited) frames = frames.subspan(1);
  if (frames.size() > 1 && frames[1].size() == 1) envelope.command = static_cast<std::uint8_t>(frames[1].front());
  if (frames.size() > 2 && frames[2].size() == envelope.request.size()) {
    std::copy(frames[2].begin(), frames[2].end(), envelope.request.begin());
  }
  return envelope;
}

std::vector<std::string> head_frames(const Envelope& envelope) {
  std::vector<std::string> head;
  if (envelope.delimited) head.emplace_back();
  head.emplace_back(kProtocol);
  head.emplace_back(1, static_cast<char>(envelope.command));
  head.emplace_back(envelope.request.begin(), envelope.request.end());
  return head;
}

std::string join_body(const MessageView& view) { return std::string(view.body) + join_frames(view.further); }

}  // namespace groth16d::ipc
