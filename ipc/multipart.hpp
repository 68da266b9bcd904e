// Whole messages over a ZeroMQ socket, without exceptions. Private to this folder.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <zmq.hpp>

#include "common/error.hpp"

namespace groth16d::ipc {

// A message as it came. Frames beyond the bounds of limits.hpp are read and thrown away, never stored.
struct ReceivedFrames {
  std::vector<zmq::message_t> frames;  // at least one
  bool too_many_frames = false;
  bool too_many_bytes = false;
};

inline bool exceeds_bounds(const ReceivedFrames& received) {
  return received.too_many_frames || received.too_many_bytes;
}

// Never blocks. nullopt: nothing there. Errors: system "zmq.recv" (the context or socket is gone).
Result<std::optional<ReceivedFrames>> receive_frames(zmq::socket_t& socket);

std::vector<std::string_view> views_of(std::span<const zmq::message_t> frames);

// Never blocks. All frames or none. The first frame decides: Error unavailable "zmq.unreachable" (ROUTER_MANDATORY:
// nobody has that routing id), busy "zmq.would_block", system otherwise. Bytes are copied.
Result<void> send_frames(zmq::socket_t& socket, std::span<const std::string_view> frames);

// Waits until the socket is ready for `events` (ZMQ_POLLIN, ZMQ_POLLOUT). False: not within `timeout_ms` (< 0: for
// ever).
Result<bool> wait_for(zmq::socket_t& socket, short events, long timeout_ms);

}  // namespace groth16d::ipc
