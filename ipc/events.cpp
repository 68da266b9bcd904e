// Advisory events: PUB in the supervisor, SUB in clients.
#include <algorithm>
#include <array>

#include "common/clock.hpp"
#include "ipc/client_channel.hpp"
#include "ipc/multipart.hpp"
#include "ipc/socket_options.hpp"

namespace groth16d::ipc {

namespace {

constexpr mode_t kEventsSocketMode = 0660;

// ZeroMQ matches prefixes: "job.a" would also get "job.ab".
bool wanted(std::string_view topic, std::string_view subscribed) {
  return subscribed.empty() || subscribed.ends_with('.') || topic == subscribed;
}

}  // namespace

EventPublisher::EventPublisher(zmq::socket_t socket) : socket_(std::move(socket)) {}

Result<EventPublisher> EventPublisher::bind(zmq::context_t& context, const EndpointLock& lock) {
  Result<zmq::socket_t> socket = make_publisher(context);
  if (!socket) return tl::unexpected<Error>(socket.error());
  if (auto bound = bind_endpoint(*socket, lock, kEventsSocketName, kEventsSocketMode); !bound) {
    return tl::unexpected<Error>(bound.error());
  }
  return EventPublisher(std::move(*socket));
}

Result<void> EventPublisher::publish(const std::string& topic, const groth16d::v1::Event& event) {
  const std::string body = event.SerializeAsString();
  const std::array<std::string_view, 2> frames = {topic, body};
  return send_frames(socket_, frames);
}

EventSubscriber::EventSubscriber(zmq::socket_t socket, std::string topic)
    : socket_(std::move(socket)), topic_(std::move(topic)) {}

Result<EventSubscriber> EventSubscriber::connect(zmq::context_t& context, const std::string& socket_path,
                                                 const std::string& topic) {
  Result<std::string> endpoint = ipc_endpoint(socket_path);
  if (!endpoint) return tl::unexpected<Error>(endpoint.error());
  Result<zmq::socket_t> socket = make_subscriber(context);
  if (!socket) return tl::unexpected<Error>(socket.error());
  try {
    socket->set(zmq::sockopt::subscribe, topic);
    socket->connect(*endpoint);
  } catch (const zmq::error_t& error) {
    return zmq_failure("connect", error);
  }
  return EventSubscriber(std::move(*socket), topic);
}

Result<std::optional<groth16d::v1::Event>> EventSubscriber::receive(int timeout_ms) {
  const std::uint64_t begin_ms = monotonic_ms();
  while (true) {
    const auto waited_ms = static_cast<long>(monotonic_ms() - begin_ms);
    Result<bool> readable = wait_for(socket_, ZMQ_POLLIN, timeout_ms < 0 ? -1 : std::max(0L, timeout_ms - waited_ms));
    if (!readable) return tl::unexpected<Error>(readable.error());
    if (!*readable) return std::nullopt;
    Result<std::optional<ReceivedFrames>> received = receive_frames(socket_);
    if (!received) return tl::unexpected<Error>(received.error());
    if (!*received || (*received)->frames.size() != 2) continue;
    const std::vector<std::string_view> frames = views_of((*received)->frames);
    groth16d::v1::Event event;
    const bool parsed = event.ParseFromArray(frames[1].data(), static_cast<int>(frames[1].size()));
    if (parsed && wanted(frames[0], topic_)) return event;
  }
}

}  // namespace groth16d::ipc
