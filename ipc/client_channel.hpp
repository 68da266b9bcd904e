// Supervisor <-> clients: requests and replies over DEALER or REQ -> ROUTER, and advisory events over PUB -> SUB.
// Frames: client_codec.hpp. Each class is used from one thread; socket() goes into zmq::poll together with plain
// descriptors.
#pragma once

#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <zmq.hpp>

#include "common/error.hpp"
#include "ipc/client.pb.h"
#include "ipc/client_codec.hpp"
#include "ipc/endpoint.hpp"

namespace groth16d::ipc {

inline constexpr char kClientSocketName[] = "client.sock";
inline constexpr char kOperatorSocketName[] = "operator.sock";
inline constexpr char kEventsSocketName[] = "events.sock";

// Where a reply goes. Kept for as long as the answer takes (a reply never precedes its commit).
struct ReplyAddress {
  std::string routing_id;
  Envelope envelope;
};

struct ClientRequest {
  ReplyAddress from;
  Command command = Command::error;
  std::string body;                     // not yet parsed: request_body()
  std::vector<zmq::message_t> payload;  // without copies
  std::string key;                      // the sender's public key; "": it came over ipc://
  std::optional<std::uint32_t> user;    // the sender's user id as it connected, over ipc://
};

// The protobuf body of a request. Error: malformed "protocol.body".
template <class Body>
Result<Body> request_body(const ClientRequest& request) {
  Body body;
  if (!body.ParseFromString(request.body)) {
    return failure(ErrorCode::malformed, "protocol.body",
                   std::string(to_string(request.command)) + ": the body is no " + body.GetTypeName());
  }
  return body;
}

// The supervisor's end.
class ClientHub {
 public:
  // Binds <runtime directory>/<name>, mode 0660.
  static Result<ClientHub> bind(zmq::context_t& context, const EndpointLock& lock,
                                const std::string& name = kClientSocketName);

  // Takes over client.sock, which a service manager listens on already (bind_activated).
  static Result<ClientHub> bind_to(UniqueFd listening, zmq::context_t& context, const EndpointLock& lock);

  // Binds <runtime directory>/operator.sock: mode 0600, or 0660 for the group groth16d-operators where it exists and we
  // are a member. File permission is the whole of an operator's right.
  static Result<ClientHub> bind_for_operators(zmq::context_t& context, const EndpointLock& lock);

  // Binds tcp://address:port (port *: any) with CURVE; a Gatekeeper of this context must decide who connects. Errors:
  // malformed "endpoint.scheme", system "zmq.bind".
  static Result<ClientHub> bind_remote(zmq::context_t& context, const std::string& endpoint,
                                       const std::string& secret_key);

  zmq::socket_t& socket() { return socket_; }
  // As it was bound: with the port that * became.
  std::string endpoint() const;

  // Never blocks. nullopt: nothing there. An Error (malformed or too_large) says that a message was dropped, and that
  // its sender has been told where the protocol asks for it; go on receiving.
  Result<std::optional<ClientRequest>> receive();

  // Never blocks. Errors: unavailable "client.gone", busy "client.not_reading", too_large "protocol.too_many_bytes".
  Result<void> reply(const ReplyAddress& to, const google::protobuf::MessageLite& body);

  // PlainReply's shape: a status and nothing else; it parses as every other reply too, because status is their first
  // field.
  Result<void> reply_failure(const ReplyAddress& to, const Error& error, std::uint32_t retry_after_ms = 0);

 private:
  explicit ClientHub(zmq::socket_t socket);
  void answer_dropped(const ReplyAddress& to, const Error& error);

  zmq::socket_t socket_;
  std::unordered_set<std::string> told_major_;  // peers that got their one ERROR
  std::deque<std::string> told_major_order_;    // oldest first, to bound the set
};

groth16d::v1::Status make_status(std::uint32_t code);
groth16d::v1::Status make_status(const Error& error, std::uint32_t retry_after_ms = 0);
// The other way, in a client: the Error that a status of 400 or more carries.
Error error_of(const groth16d::v1::Status& status);

// The client's end: one request at a time.
class ClientLink {
 public:
  // Longer than a daemon takes to answer a SUBMIT under load (a durable commit: milliseconds), shorter than its
  // restart.
  static constexpr std::uint64_t kFirstResend_ms = 5000;

  // Connecting never fails for an absent daemon: the first call does, with unavailable "client.no_daemon".
  static Result<ClientLink> connect(zmq::context_t& context, const std::string& socket_path,
                                    std::uint64_t first_resend_ms = kFirstResend_ms);

  // The same over TCP, where both ends prove who they are by their keys (Z85). A refused key looks like an absent
  // daemon.
  struct Remote {
    std::string endpoint;    // "tcp://host:port"
    std::string server_key;  // the daemon's public key
    std::string secret_key;  // our own
  };
  static Result<ClientLink> connect(zmq::context_t& context, const Remote& remote,
                                    std::uint64_t first_resend_ms = kFirstResend_ms);

  zmq::socket_t& socket() { return socket_; }

  // Sends, and waits for the reply with the same request id. Every verb is idempotent, so the same message is sent
  // again when nothing came for a while (first_resend_ms, then doubled): the daemon may have been restarted in between.
  // Replies to earlier requests are dropped. Errors: unavailable "client.no_daemon" (never connected within
  // `timeout_ms`), "client.timeout"; too_large when the message cannot be sent; malformed "protocol.body". A status of
  // 400 or more is *not* an Error here: the caller reads reply.status().
  template <class Reply>
  Result<Reply> call(Command command, const google::protobuf::MessageLite& body, std::uint64_t timeout_ms,
                     std::vector<std::string> payload = {}) {
    Result<std::string> bytes = exchange(command, body.SerializeAsString(), std::move(payload), timeout_ms);
    if (!bytes) return tl::unexpected<Error>(bytes.error());
    Reply reply;
    if (!reply.ParseFromString(*bytes)) {
      return failure(ErrorCode::malformed, "protocol.body",
                     std::string(to_string(command)) + ": the reply is no " + reply.GetTypeName());
    }
    return reply;
  }

 private:
  ClientLink(zmq::socket_t socket, std::uint64_t first_resend_ms);
  Result<std::string> exchange(Command command, std::string body, std::vector<std::string> payload,
                               std::uint64_t timeout_ms);
  static Result<void> check_sendable(std::span<const std::string_view> frames);
  Result<std::optional<std::string>> await_reply(const RequestId& request, long timeout_ms);

  zmq::socket_t socket_;
  std::uint64_t first_resend_ms_;
};

// A witness as payload frames for a PartitionInput{payload_frames}: pieces of at most 1 MiB.
std::vector<std::string> cut_payload(std::string_view bytes);

// Events: topic | Event. Topics are "job.<id>", "slot.<name>", "circuit.<name>". Advisory: they may be lost.
class EventPublisher {
 public:
  // Binds <runtime directory>/events.sock, mode 0660.
  static Result<EventPublisher> bind(zmq::context_t& context, const EndpointLock& lock);
  Result<void> publish(const std::string& topic, const groth16d::v1::Event& event);

 private:
  explicit EventPublisher(zmq::socket_t socket);
  zmq::socket_t socket_;
};

class EventSubscriber {
 public:
  // A topic, or a prefix that ends with '.' ("job."); "" for all.
  static Result<EventSubscriber> connect(zmq::context_t& context, const std::string& socket_path,
                                         const std::string& topic);

  zmq::socket_t& socket() { return socket_; }

  // Waits at most `timeout_ms` (0: not at all, < 0: for ever). nullopt: nothing came.
  Result<std::optional<groth16d::v1::Event>> receive(int timeout_ms);

 private:
  EventSubscriber(zmq::socket_t socket, std::string topic);
  zmq::socket_t socket_;
  std::string topic_;
};

}  // namespace groth16d::ipc
