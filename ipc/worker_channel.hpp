// Supervisor <-> workers: protobuf bodies of worker.proto over DEALER -> ROUTER, a body in one frame, or in several
// (body_frames.hpp).
//
// A worker's routing id is "<slot>.e<epoch>", so a message for a dead incarnation can reach nobody. Each class is used
// from one thread; socket() goes into zmq::poll together with plain descriptors. After a poll says readable, receive()
// until nullopt: ZeroMQ signals edges.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <zmq.hpp>

#include "common/error.hpp"
#include "ipc/endpoint.hpp"
#include "ipc/worker.pb.h"

namespace groth16d::ipc {

using Up = groth16d::worker::v1::Up;
using Down = groth16d::worker::v1::Down;

inline constexpr char kWorkersSocketName[] = "workers.sock";

// "gpu-0.e17"
std::string worker_routing_id(std::string_view slot, std::uint64_t epoch);

// The supervisor's end.
class WorkerHub {
 public:
  // Binds <runtime directory>/workers.sock, mode 0600.
  static Result<WorkerHub> bind(zmq::context_t& context, const EndpointLock& lock);

  zmq::socket_t& socket() { return socket_; }

  // Never blocks. nullopt: nothing there. Error malformed "worker.message": that message was dropped (frames, protobuf,
  // or a slot and epoch that are not the sender's own); go on receiving.
  Result<std::optional<Up>> receive();

  // To (down.slot, down.epoch). Never blocks. Errors: unavailable "worker.unreachable" (that incarnation is not
  // connected), busy "worker.not_reading".
  Result<void> send(const Down& down);

 private:
  explicit WorkerHub(zmq::socket_t socket);
  zmq::socket_t socket_;
};

// The worker's end.
class WorkerLink {
 public:
  static Result<WorkerLink> connect(zmq::context_t& context, const std::string& socket_path, std::string slot,
                                    std::uint64_t epoch);

  zmq::socket_t& socket() { return socket_; }
  const std::string& slot() const { return slot_; }
  std::uint64_t epoch() const { return epoch_; }

  // Writes slot and epoch into `up`. Waits at most 5 s for the connection; then unavailable "worker.no_supervisor".
  Result<void> send(Up up);

  // Waits at most `timeout_ms` (0: not at all, < 0: for ever). nullopt: nothing came. malformed "worker.message":
  // dropped.
  Result<std::optional<Down>> receive(int timeout_ms);

 private:
  WorkerLink(zmq::socket_t socket, std::string slot, std::uint64_t epoch);
  zmq::socket_t socket_;
  std::string slot_;
  std::uint64_t epoch_;
};

}  // namespace groth16d::ipc
