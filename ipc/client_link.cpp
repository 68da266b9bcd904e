// The client's end of the client channel.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "common/clock.hpp"
#include "ipc/body_frames.hpp"
#include "ipc/client_channel.hpp"
#include "ipc/curve.hpp"
#include "ipc/limits.hpp"
#include "ipc/multipart.hpp"
#include "ipc/socket_options.hpp"

namespace groth16d::ipc {

namespace {

// One request on its way: when it must be given up, and when it is sent again.
class Patience {
 public:
  Patience(std::uint64_t timeout_ms, std::uint64_t first_resend_ms)
      : deadline_ms_(monotonic_ms() + timeout_ms), interval_ms_(first_resend_ms) {}

  bool over() const { return monotonic_ms() >= deadline_ms_; }
  long left_ms() const { return static_cast<long>(until(deadline_ms_)); }
  long until_resend_ms() const { return static_cast<long>(std::min(until(deadline_ms_), until(resend_at_ms_))); }
  void sent() {
    resend_at_ms_ = monotonic_ms() + interval_ms_;
    interval_ms_ *= 2;
  }

 private:
  static std::uint64_t until(std::uint64_t moment_ms) {
    const std::uint64_t now_ms = monotonic_ms();
    return moment_ms > now_ms ? moment_ms - now_ms : 0;
  }

  std::uint64_t deadline_ms_;
  std::uint64_t interval_ms_;
  std::uint64_t resend_at_ms_ = 0;
};

}  // namespace

ClientLink::ClientLink(zmq::socket_t socket, std::uint64_t first_resend_ms)
    : socket_(std::move(socket)), first_resend_ms_(first_resend_ms) {}

Result<ClientLink> ClientLink::connect(zmq::context_t& context, const std::string& socket_path,
                                       std::uint64_t first_resend_ms) {
  Result<std::string> endpoint = ipc_endpoint(socket_path);
  if (!endpoint) return tl::unexpected<Error>(endpoint.error());
  Result<zmq::socket_t> socket = make_dealer(context, "");
  if (!socket) return tl::unexpected<Error>(socket.error());
  try {
    socket->connect(*endpoint);
  } catch (const zmq::error_t& error) {
    return zmq_failure("connect", error);
  }
  return ClientLink(std::move(*socket), first_resend_ms);
}

Result<ClientLink> ClientLink::connect(zmq::context_t& context, const Remote& remote, std::uint64_t first_resend_ms) {
  std::array<char, kCurveKeyLetters + 1> public_key{};
  if (!is_curve_key(remote.server_key) || !is_curve_key(remote.secret_key) ||
      ::zmq_curve_public(public_key.data(), remote.secret_key.c_str()) != 0)
    return failure(ErrorCode::malformed, "curve.key", "a key for " + remote.endpoint + " is not 40 letters of Z85");
  Result<zmq::socket_t> socket = make_dealer(context, "");
  if (!socket) return tl::unexpected<Error>(socket.error());
  try {
    set_for_tcp(*socket);
    socket->set(zmq::sockopt::curve_serverkey, remote.server_key);
    socket->set(zmq::sockopt::curve_publickey, std::string(public_key.data()));
    socket->set(zmq::sockopt::curve_secretkey, remote.secret_key);
    socket->connect(remote.endpoint);
  } catch (const zmq::error_t& error) {
    return zmq_failure("connect", error);
  }
  return ClientLink(std::move(*socket), first_resend_ms);
}

Result<std::string> ClientLink::exchange(Command command, std::string body, std::vector<std::string> payload,
                                         std::uint64_t timeout_ms) {
  Result<RequestId> request = new_request_id();
  if (!request) return tl::unexpected<Error>(request.error());
  const std::vector<std::string> head = head_frames({false, static_cast<std::uint8_t>(command), *request});
  std::vector<std::string_view> frames(head.begin(), head.end());
  frames.emplace_back(body);
  frames.insert(frames.end(), payload.begin(), payload.end());
  if (auto sound = check_sendable(frames); !sound) return tl::unexpected<Error>(sound.error());

  Patience patience(timeout_ms, first_resend_ms_);
  bool ever_sent = false;
  do {
    Result<bool> writable = wait_for(socket_, ZMQ_POLLOUT, patience.left_ms());
    if (!writable) return tl::unexpected<Error>(writable.error());
    if (!*writable) break;
    Result<void> sent = send_frames(socket_, frames);
    if (!sent && sent.error().code != ErrorCode::busy) return tl::unexpected<Error>(sent.error());
    ever_sent = ever_sent || sent.has_value();
    patience.sent();
    Result<std::optional<std::string>> reply = await_reply(*request, patience.until_resend_ms());
    if (!reply) return tl::unexpected<Error>(reply.error());
    if (*reply) return std::move(**reply);
  } while (!patience.over());
  if (!ever_sent) return failure(ErrorCode::unavailable, "client.no_daemon", "no daemon answers on the socket");
  return failure(ErrorCode::unavailable, "client.timeout",
                 fmt::format("{}: no reply within {} ms", to_string(command), timeout_ms));
}

Result<void> ClientLink::check_sendable(std::span<const std::string_view> frames) {
  for (const std::string_view frame : frames) {
    if (frame.size() > kMaxFrameBytes) {
      return failure(ErrorCode::too_large, "protocol.frame_too_large",
                     fmt::format("a frame of {} bytes, expected at most {}", frame.size(), kMaxFrameBytes));
    }
  }
  Result<MessageView> view = parse_message(frames);
  if (!view) return tl::unexpected<Error>(view.error());
  return {};
}

// nullopt: not within `timeout_ms`. What answers an earlier request, or is no reply, is passed over.
Result<std::optional<std::string>> ClientLink::await_reply(const RequestId& request, long timeout_ms) {
  const std::uint64_t deadline_ms = monotonic_ms() + static_cast<std::uint64_t>(timeout_ms);
  while (true) {
    const std::uint64_t now_ms = monotonic_ms();
    const long left_ms = deadline_ms > now_ms ? static_cast<long>(deadline_ms - now_ms) : 0;
    Result<bool> readable = wait_for(socket_, ZMQ_POLLIN, left_ms);
    if (!readable) return tl::unexpected<Error>(readable.error());
    if (!*readable) return std::nullopt;
    Result<std::optional<ReceivedFrames>> received = receive_frames(socket_);
    if (!received) return tl::unexpected<Error>(received.error());
    if (!*received || exceeds_bounds(**received)) continue;
    const std::vector<std::string_view> frames = views_of((*received)->frames);
    Result<MessageView> view = parse_message(frames);
    if (view && view->request == request) return join_body(*view);
  }
}

std::vector<std::string> cut_payload(std::string_view bytes) {
  std::vector<std::string> frames;
  do {
    frames.emplace_back(bytes.substr(0, kMaxFrameBytes));
    bytes.remove_prefix(frames.back().size());
  } while (!bytes.empty());
  return frames;
}

}  // namespace groth16d::ipc
