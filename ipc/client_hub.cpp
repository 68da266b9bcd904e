// The supervisor's end of the client channel.
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>

#include "common/posix.hpp"
#include "ipc/body_frames.hpp"
#include "ipc/client_channel.hpp"
#include "ipc/multipart.hpp"
#include "ipc/socket_options.hpp"

namespace groth16d::ipc {

namespace {

constexpr mode_t kClientSocketMode = 0660;  // the clients' group
constexpr mode_t kOwnerOnly = 0600;
constexpr char kOperatorsGroup[] = "groth16d-operators";
constexpr std::size_t kToldPeers = 1024;  // routing ids are ours (5 bytes) or the peer's choice (255 at most)
constexpr std::string_view kUnixPeer = "localhost:";  // no address of TCP begins like that: those are numbers

// "" where libzmq has none of that name.
std::string_view property_of(const zmq::message_t& frame, const char* name) {
  const char* value = ::zmq_msg_gets(const_cast<zmq_msg_t*>(frame.handle()), name);
  return value == nullptr ? std::string_view{} : value;
}

// libzmq asks the kernel once, as it accepts a connection, and says "localhost:UID:GID:PID"; the socket itself may be
// closed, and its number another's, by the time that a message is read. The word is libzmq's: a property of the same
// name in a client's greeting does not replace it.
std::optional<std::uint32_t> user_of(const zmq::message_t& frame) {
  const std::string_view address = property_of(frame, "Peer-Address");
  if (!address.starts_with(kUnixPeer)) return std::nullopt;
  const char* const last = address.data() + address.size();
  std::uint32_t user = 0;
  const auto [end, error] = std::from_chars(address.data() + kUnixPeer.size(), last, user);
  if (error != std::errc() || end == last || *end != ':') return std::nullopt;
  return user;
}

// The bounds as they were met while reading, before there is a whole message to look at.
Result<MessageView> parse_received(const ReceivedFrames& received, std::span<const std::string_view> frames) {
  if (received.too_many_frames) {
    return failure(ErrorCode::too_large, "protocol.too_many_frames", "more frames than a message may have");
  }
  if (received.too_many_bytes) {
    return failure(ErrorCode::too_large, "protocol.too_many_bytes", "more bytes than a message may have");
  }
  return parse_message(frames);
}

}  // namespace

ClientHub::ClientHub(zmq::socket_t socket) : socket_(std::move(socket)) {}

Result<ClientHub> ClientHub::bind(zmq::context_t& context, const EndpointLock& lock, const std::string& name) {
  Result<zmq::socket_t> socket = make_router(context);
  if (!socket) return tl::unexpected<Error>(socket.error());
  if (auto bound = bind_endpoint(*socket, lock, name, kClientSocketMode); !bound) {
    return tl::unexpected<Error>(bound.error());
  }
  return ClientHub(std::move(*socket));
}

Result<ClientHub> ClientHub::bind_to(UniqueFd listening, zmq::context_t& context, const EndpointLock& lock) {
  Result<zmq::socket_t> socket = make_router(context);
  if (!socket) return tl::unexpected<Error>(socket.error());
  if (auto bound = bind_activated(*socket, lock, kClientSocketName, std::move(listening)); !bound) {
    return tl::unexpected<Error>(bound.error());
  }
  return ClientHub(std::move(*socket));
}

Result<ClientHub> ClientHub::bind_for_operators(zmq::context_t& context, const EndpointLock& lock) {
  Result<zmq::socket_t> socket = make_router(context);
  if (!socket) return tl::unexpected<Error>(socket.error());
  if (auto bound = bind_endpoint(*socket, lock, kOperatorSocketName, kOwnerOnly); !bound) {
    return tl::unexpected<Error>(bound.error());
  }
  const std::string path = lock.directory() + "/" + kOperatorSocketName;
  const struct group* operators = ::getgrnam(kOperatorsGroup);
  // Not a member: the socket stays its owner's. The group first, so that no other group ever has the right.
  if (operators != nullptr && ::chown(path.c_str(), static_cast<uid_t>(-1), operators->gr_gid) == 0 &&
      ::chmod(path.c_str(), kClientSocketMode) != 0) {
    return system_failure("chmod", path);
  }
  return ClientHub(std::move(*socket));
}

Result<ClientHub> ClientHub::bind_remote(zmq::context_t& context, const std::string& endpoint,
                                         const std::string& secret_key) {
  if (!endpoint.starts_with("tcp://"))
    return failure(ErrorCode::malformed, "endpoint.scheme", endpoint + ": expected tcp://address:port");
  Result<zmq::socket_t> socket = make_router(context);
  if (!socket) return tl::unexpected<Error>(socket.error());
  try {
    set_for_tcp(*socket);
    socket->set(zmq::sockopt::curve_server, true);
    socket->set(zmq::sockopt::curve_secretkey, secret_key);
    socket->set(zmq::sockopt::zap_domain, "groth16d");
    socket->bind(endpoint);
  } catch (const zmq::error_t& error) {
    return failure(ErrorCode::system, "zmq.bind", "zmq_bind " + endpoint + ": " + error.what());
  }
  return ClientHub(std::move(*socket));
}

std::string ClientHub::endpoint() const { return socket_.get(zmq::sockopt::last_endpoint); }

Result<std::optional<ClientRequest>> ClientHub::receive() {
  Result<std::optional<ReceivedFrames>> received = receive_frames(socket_);
  if (!received) return tl::unexpected<Error>(received.error());
  if (!*received) return std::nullopt;
  std::vector<zmq::message_t>& messages = (*received)->frames;
  const std::vector<std::string_view> all = views_of(messages);
  const std::span<const std::string_view> frames = std::span(all).subspan(1);
  ReplyAddress from{std::string(all.front()), parse_envelope(frames)};
  Result<MessageView> view = parse_received(**received, frames);
  if (!view) {
    answer_dropped(from, view.error());
    return tl::unexpected<Error>(view.error());
  }
  ClientRequest request{std::move(from), view->command, std::string(view->body), {}, {}, user_of(messages.back())};
  // What the Gatekeeper answered for this connection. Over ipc nobody is asked, and a greeting may say anything.
  if (!request.user) request.key = property_of(messages.back(), "User-Id");
  const auto payload_begin = messages.end() - static_cast<std::ptrdiff_t>(view->further.size());
  request.payload.assign(std::make_move_iterator(payload_begin), std::make_move_iterator(messages.end()));
  return request;
}

// Told: whoever speaks the protocol, badly. One ERROR for another major. Silence for what is not ours at all.
void ClientHub::answer_dropped(const ReplyAddress& to, const Error& error) {
  if (error.name == "protocol.foreign") return;
  ReplyAddress answer = to;
  if (error.name == "protocol.major") {
    if (!told_major_.insert(to.routing_id).second) return;
    told_major_order_.push_back(to.routing_id);
    if (told_major_order_.size() > kToldPeers) {
      told_major_.erase(told_major_order_.front());
      told_major_order_.pop_front();
    }
    answer.envelope.command = static_cast<std::uint8_t>(Command::error);
  }
  // The peer may be gone again: it is the one who loses.
  static_cast<void>(reply_failure(answer, error));
}

Result<void> ClientHub::reply(const ReplyAddress& to, const google::protobuf::MessageLite& message) {
  const std::string body = message.SerializeAsString();
  Result<std::vector<std::string_view>> pieces = cut_body(body);
  if (!pieces) return tl::unexpected<Error>(pieces.error());
  const std::vector<std::string> head = head_frames(to.envelope);
  std::vector<std::string_view> frames{to.routing_id};
  frames.insert(frames.end(), head.begin(), head.end());
  frames.insert(frames.end(), pieces->begin(), pieces->end());
  Result<void> sent = send_frames(socket_, frames);
  if (sent) return sent;
  if (sent.error().code == ErrorCode::busy) {
    return failure(ErrorCode::busy, "client.not_reading", "the client does not read its replies");
  }
  if (sent.error().code == ErrorCode::unavailable) {
    return failure(ErrorCode::unavailable, "client.gone", "the client is not connected");
  }
  return sent;
}

Result<void> ClientHub::reply_failure(const ReplyAddress& to, const Error& error, std::uint32_t retry_after_ms) {
  groth16d::v1::PlainReply body;
  *body.mutable_status() = make_status(error, retry_after_ms);
  return reply(to, body);
}

}  // namespace groth16d::ipc
