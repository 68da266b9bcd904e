#include "ipc/multipart.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "common/clock.hpp"
#include "ipc/limits.hpp"
#include "ipc/socket_options.hpp"

namespace groth16d::ipc {

namespace {

// nullopt: EAGAIN. Interrupted calls are made again.
Result<std::optional<zmq::message_t>> receive_frame(zmq::socket_t& socket) {
  while (true) {
    try {
      zmq::message_t frame;
      if (!socket.recv(frame, zmq::recv_flags::dontwait)) return std::nullopt;
      return std::optional(std::move(frame));
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) return zmq_failure("recv", error);
    }
  }
}

Result<void> send_frame(zmq::socket_t& socket, std::string_view bytes, bool more) {
  const auto flags = more ? zmq::send_flags::dontwait | zmq::send_flags::sndmore : zmq::send_flags::dontwait;
  while (true) {
    try {
      if (socket.send(zmq::buffer(bytes), flags)) return {};
      return failure(ErrorCode::busy, "zmq.would_block", "the peer's queue is full, or nobody is connected");
    } catch (const zmq::error_t& error) {
      if (error.num() == EHOSTUNREACH) {
        return failure(ErrorCode::unavailable, "zmq.unreachable", "no peer has this routing id");
      }
      if (error.num() != EINTR) return zmq_failure("send", error);
    }
  }
}

}  // namespace

Result<std::optional<ReceivedFrames>> receive_frames(zmq::socket_t& socket) {
  ReceivedFrames received;
  std::size_t bytes = 0;
  while (true) {
    Result<std::optional<zmq::message_t>> frame = receive_frame(socket);
    if (!frame) return tl::unexpected<Error>(frame.error());
    // The frames of one message come together: none missing once the first is there.
    if (!*frame) return std::nullopt;
    const bool more = (*frame)->more();
    bytes += (*frame)->size();
    // A routing id and REQ's delimiter stand before the frames that the codec counts.
    if (received.frames.size() >= kMaxFrames + 2) received.too_many_frames = true;
    if (bytes > kMaxMessageBytes) received.too_many_bytes = true;
    if (!received.too_many_frames && !received.too_many_bytes) received.frames.push_back(std::move(**frame));
    if (!more) return received;
  }
}

std::vector<std::string_view> views_of(std::span<const zmq::message_t> frames) {
  std::vector<std::string_view> views;
  views.reserve(frames.size());
  for (const zmq::message_t& frame : frames) views.emplace_back(static_cast<const char*>(frame.data()), frame.size());
  return views;
}

Result<void> send_frames(zmq::socket_t& socket, std::span<const std::string_view> frames) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    // Later frames of a message go where the first went; libzmq does not refuse them.
    if (auto sent = send_frame(socket, frames[i], i + 1 < frames.size()); !sent) return sent;
  }
  return {};
}

Result<bool> wait_for(zmq::socket_t& socket, short events, long timeout_ms) {
  const std::uint64_t begin_ms = monotonic_ms();
  while (true) {
    const auto waited_ms = static_cast<long>(monotonic_ms() - begin_ms);
    const long left_ms = timeout_ms < 0 ? -1 : std::max(0L, timeout_ms - waited_ms);
    zmq::pollitem_t item{socket.handle(), 0, events, 0};
    try {
      return zmq::poll(&item, 1, std::chrono::milliseconds(left_ms)) > 0;
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) return zmq_failure("poll", error);
    }
  }
}

}  // namespace groth16d::ipc
