#include "ipc/socket_options.hpp"

#include <cstdint>
#include <string>

#include "ipc/limits.hpp"

namespace groth16d::ipc {

namespace {

void set_common(zmq::socket_t& socket) {
  socket.set(zmq::sockopt::linger, 0);
  socket.set(zmq::sockopt::sndhwm, kHighWaterMessages);
  socket.set(zmq::sockopt::rcvhwm, kHighWaterMessages);
  socket.set(zmq::sockopt::maxmsgsize, std::int64_t{kMaxFrameBytes});
  socket.set(zmq::sockopt::handshake_ivl, kHandshake_ms);
}

void set_reconnecting(zmq::socket_t& socket) {
  socket.set(zmq::sockopt::reconnect_ivl, kReconnectFirst_ms);
  socket.set(zmq::sockopt::reconnect_ivl_max, kReconnectLast_ms);
}

// cppzmq throws; here its exceptions end.
template <class Configure>
Result<zmq::socket_t> make_socket(zmq::context_t& context, zmq::socket_type type, Configure configure) {
  try {
    zmq::socket_t socket(context, type);
    set_common(socket);
    configure(socket);
    return socket;
  } catch (const zmq::error_t& error) {
    return zmq_failure("socket", error);
  }
}

}  // namespace

Result<zmq::socket_t> make_router(zmq::context_t& context) {
  return make_socket(context, zmq::socket_type::router, [](zmq::socket_t& socket) {
    socket.set(zmq::sockopt::router_mandatory, true);
    socket.set(zmq::sockopt::router_handover, false);
  });
}

Result<zmq::socket_t> make_dealer(zmq::context_t& context, const std::string& routing_id) {
  return make_socket(context, zmq::socket_type::dealer, [&](zmq::socket_t& socket) {
    set_reconnecting(socket);
    socket.set(zmq::sockopt::immediate, true);
    socket.set(zmq::sockopt::linger, kLastMessageLinger_ms);
    if (!routing_id.empty()) socket.set(zmq::sockopt::routing_id, routing_id);
  });
}

Result<zmq::socket_t> make_publisher(zmq::context_t& context) {
  return make_socket(context, zmq::socket_type::pub, [](zmq::socket_t&) {});
}

Result<zmq::socket_t> make_subscriber(zmq::context_t& context) {
  return make_socket(context, zmq::socket_type::sub, set_reconnecting);
}

void set_for_tcp(zmq::socket_t& socket) {
  socket.set(zmq::sockopt::maxmsgsize, std::int64_t{kMaxFrameBytes} + kCurveBytes);
  socket.set(zmq::sockopt::heartbeat_ivl, kTcpHeartbeat_ms);
  socket.set(zmq::sockopt::heartbeat_timeout, 3 * kTcpHeartbeat_ms);
}

tl::unexpected<Error> zmq_failure(const char* call, const zmq::error_t& error) {
  return failure(ErrorCode::system, std::string("zmq.") + call, std::string("zmq_") + call + ": " + error.what());
}

}  // namespace groth16d::ipc
