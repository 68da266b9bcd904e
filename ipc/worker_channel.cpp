#include "ipc/worker_channel.hpp"

#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ipc/body_frames.hpp"
#include "ipc/multipart.hpp"
#include "ipc/socket_options.hpp"

namespace groth16d::ipc {

namespace {

constexpr mode_t kWorkersSocketMode = 0600;  // workers run as the supervisor's user

// The body of `message` as frames, behind the routing id where there is one.
Result<void> send_message(zmq::socket_t& socket, std::optional<std::string_view> to,
                          const google::protobuf::MessageLite& message) {
  const std::string body = message.SerializeAsString();
  Result<std::vector<std::string_view>> frames = cut_body(body);
  if (!frames) return tl::unexpected<Error>(frames.error());
  if (to) frames->insert(frames->begin(), *to);
  return send_frames(socket, *frames);
}

bool parse_body(std::span<const std::string_view> frames, google::protobuf::MessageLite& message) {
  return !frames.empty() && message.ParseFromString(join_frames(frames));
}

tl::unexpected<Error> dropped(std::string text) {
  return failure(ErrorCode::malformed, "worker.message", std::move(text));
}

}  // namespace

std::string worker_routing_id(std::string_view slot, std::uint64_t epoch) { return fmt::format("{}.e{}", slot, epoch); }

WorkerHub::WorkerHub(zmq::socket_t socket) : socket_(std::move(socket)) {}

Result<WorkerHub> WorkerHub::bind(zmq::context_t& context, const EndpointLock& lock) {
  Result<zmq::socket_t> socket = make_router(context);
  if (!socket) return tl::unexpected<Error>(socket.error());
  if (auto bound = bind_endpoint(*socket, lock, kWorkersSocketName, kWorkersSocketMode); !bound) {
    return tl::unexpected<Error>(bound.error());
  }
  return WorkerHub(std::move(*socket));
}

Result<std::optional<Up>> WorkerHub::receive() {
  Result<std::optional<ReceivedFrames>> received = receive_frames(socket_);
  if (!received) return tl::unexpected<Error>(received.error());
  if (!*received) return std::nullopt;
  if (exceeds_bounds(**received)) return dropped("more frames or bytes than a message may have");
  const std::vector<std::string_view> frames = views_of((*received)->frames);
  Up up;
  if (!parse_body(std::span(frames).subspan(1), up)) return dropped("the body is no Up");
  if (worker_routing_id(up.slot(), up.epoch()) != frames[0]) {
    return dropped(fmt::format("it says {}.e{}, which is not its sender", up.slot(), up.epoch()));
  }
  return up;
}

Result<void> WorkerHub::send(const Down& down) {
  const std::string to = worker_routing_id(down.slot(), down.epoch());
  Result<void> sent = send_message(socket_, to, down);
  if (sent) return sent;
  if (sent.error().code == ErrorCode::busy)
    return failure(ErrorCode::busy, "worker.not_reading", to + " does not read");
  if (sent.error().code == ErrorCode::unavailable) {
    return failure(ErrorCode::unavailable, "worker.unreachable", to + " is not connected");
  }
  return sent;
}

WorkerLink::WorkerLink(zmq::socket_t socket, std::string slot, std::uint64_t epoch)
    : socket_(std::move(socket)), slot_(std::move(slot)), epoch_(epoch) {}

Result<WorkerLink> WorkerLink::connect(zmq::context_t& context, const std::string& socket_path, std::string slot,
                                       std::uint64_t epoch) {
  Result<std::string> endpoint = ipc_endpoint(socket_path);
  if (!endpoint) return tl::unexpected<Error>(endpoint.error());
  Result<zmq::socket_t> socket = make_dealer(context, worker_routing_id(slot, epoch));
  if (!socket) return tl::unexpected<Error>(socket.error());
  try {
    socket->connect(*endpoint);
  } catch (const zmq::error_t& error) {
    return zmq_failure("connect", error);
  }
  return WorkerLink(std::move(*socket), std::move(slot), epoch);
}

Result<void> WorkerLink::send(Up up) {
  up.set_slot(slot_);
  up.set_epoch(epoch_);
  Result<bool> ready = wait_for(socket_, ZMQ_POLLOUT, kWorkerSend_ms);
  if (!ready) return tl::unexpected<Error>(ready.error());
  Result<void> sent = send_message(socket_, std::nullopt, up);
  if (sent || sent.error().code != ErrorCode::busy) return sent;
  return failure(ErrorCode::unavailable, "worker.no_supervisor",
                 fmt::format("the supervisor took nothing for {} ms", kWorkerSend_ms));
}

Result<std::optional<Down>> WorkerLink::receive(int timeout_ms) {
  Result<bool> ready = wait_for(socket_, ZMQ_POLLIN, timeout_ms);
  if (!ready) return tl::unexpected<Error>(ready.error());
  if (!*ready) return std::nullopt;
  Result<std::optional<ReceivedFrames>> received = receive_frames(socket_);
  if (!received) return tl::unexpected<Error>(received.error());
  if (!*received) return std::nullopt;
  const std::vector<std::string_view> frames = views_of((*received)->frames);
  Down down;
  if (exceeds_bounds(**received) || !parse_body(frames, down))
    return dropped("from the supervisor: the body is no Down");
  if (down.slot() != slot_ || down.epoch() != epoch_) return dropped("from the supervisor: for another incarnation");
  return down;
}

}  // namespace groth16d::ipc
