// Every ZeroMQ option of the project, in one place, with the reason for its value.
#pragma once

#include <string>

#include <zmq.hpp>

#include "common/error.hpp"

namespace groth16d::ipc {

inline constexpr int kHighWaterMessages = 1000;  // per peer; not a flow control, which is by credit and 429
inline constexpr int kHandshake_ms = 5000;       // a connection that does not greet is dropped
inline constexpr int kReconnectFirst_ms = 50;    // then doubled
inline constexpr int kReconnectLast_ms = 1000;
inline constexpr int kLastMessageLinger_ms = 1000;  // for BYE, and the last reply of a client's command
inline constexpr int kTcpHeartbeat_ms = 5000;       // three of them unanswered, and the peer is gone
inline constexpr int kCurveBytes = 64;       // of a sealed message: name and nonce, tag, flags: 33 in libzmq 4.3.4
inline constexpr int kWorkerSend_ms = 5000;  // a supervisor that does not drain its socket for so long is gone

// ROUTER of the supervisor: ROUTER_MANDATORY (an unroutable message is an error, not a silence), no ROUTER_HANDOVER (an
// old epoch is never displaced silently), LINGER 0.
Result<zmq::socket_t> make_router(zmq::context_t& context);

// DEALER of a worker or client: IMMEDIATE (queue only to a live connection). An empty routing id lets the peer choose
// one.
Result<zmq::socket_t> make_dealer(zmq::context_t& context, const std::string& routing_id);

Result<zmq::socket_t> make_publisher(zmq::context_t& context);
Result<zmq::socket_t> make_subscriber(zmq::context_t& context);

// Over TCP a peer may vanish without a word: heartbeats find it. And a frame is sealed before it is bounded, so a whole
// one of kMaxFrameBytes has kCurveBytes more on the wire.
void set_for_tcp(zmq::socket_t& socket);

// Error{system, "zmq.<call>", ...} from an exception of cppzmq.
tl::unexpected<Error> zmq_failure(const char* call, const zmq::error_t& error);

}  // namespace groth16d::ipc
