// Every ZeroMQ option of the project, in one place, with the bounds that follow from them.
#pragma once

#include <cstddef>
#include <string>

#include <zmq.hpp>

#include "common/error.hpp"

namespace groth16d::ipc {

// MAXMSGSIZE bounds one frame and disconnects its sender; the codec bounds the frames of a message and their sum.
inline constexpr std::size_t kMaxFrameBytes = 1 << 20;
inline constexpr std::size_t kMaxFrames = 80;
inline constexpr std::size_t kMaxMessageBytes = std::size_t{65} << 20;  // 64 MiB of inline payload, and its body

inline constexpr int kHighWaterMessages = 1000;  // per peer; not a flow control, which is by credit and 429
inline constexpr int kHandshake_ms = 5000;       // a connection that does not greet is dropped
inline constexpr int kReconnectFirst_ms = 50;    // then doubled
inline constexpr int kReconnectLast_ms = 1000;
inline constexpr int kLastMessageLinger_ms = 1000;  // for BYE, and the last reply of a client's command
inline constexpr int kWorkerSend_ms = 5000;         // a supervisor that does not drain its socket for so long is gone

// ROUTER of the supervisor: ROUTER_MANDATORY (an unroutable message is an error, not a silence), no ROUTER_HANDOVER (an
// old epoch is never displaced silently), LINGER 0.
Result<zmq::socket_t> make_router(zmq::context_t& context);

// DEALER of a worker or client: IMMEDIATE (queue only to a live connection). An empty routing id lets the peer choose
// one.
Result<zmq::socket_t> make_dealer(zmq::context_t& context, const std::string& routing_id);

Result<zmq::socket_t> make_publisher(zmq::context_t& context);
Result<zmq::socket_t> make_subscriber(zmq::context_t& context);

// Error{system, "zmq.<call>", ...} from an exception of cppzmq.
tl::unexpected<Error> zmq_failure(const char* call, const zmq::error_t& error);

}  // namespace groth16d::ipc
