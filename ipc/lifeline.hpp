// The lifeline: a SOCK_SEQPACKET pair made before each fork. It carries leases (a descriptor and its name) down to the
// worker, and tells each side of the other's end: the worker exits on end of file.
//
// One message is one lease with exactly one descriptor. A lease travels before the assignment that names it.
#pragma once

#include <cstdint>
#include <optional>

#include "common/error.hpp"
#include "common/unique_fd.hpp"

namespace groth16d::ipc {

enum class LeaseMode : std::uint32_t {
  read_only = 1,   // a segment, descriptor opened for reading only
  read_write = 2,  // a segment, its one writer
  file = 3,        // an ordinary file, for reading
};

struct LeaseMessage {
  std::uint64_t segment = 0;
  std::uint64_t generation = 0;
  LeaseMode mode = LeaseMode::read_only;
  std::uint32_t kind = 0;           // of the segment (shm::SegmentKind's number); 0 for a file
  std::uint64_t payload_bytes = 0;  // of a segment; size of a file
};

struct ReceivedLease {
  LeaseMessage message;
  UniqueFd descriptor;
};

struct LifelinePair {
  UniqueFd supervisor;
  UniqueFd worker;  // close-on-exec like its peer: the spawner dup2s it to its number in the child
};

Result<LifelinePair> make_lifeline();

// Never blocks. Errors: unavailable "lifeline.closed" (the peer is gone), busy "lifeline.full" (the worker does not
// read; the lease was not sent), system otherwise. The caller keeps its own descriptor.
Result<void> send_lease(int lifeline, const LeaseMessage& message, int descriptor);

// Never blocks. nullopt: nothing there now. Errors: unavailable "lifeline.closed" at end of file; malformed
// "lifeline.message" for anything but one well-formed lease with one descriptor (whatever came with it has been
// closed).
Result<std::optional<ReceivedLease>> receive_lease(int lifeline);

}  // namespace groth16d::ipc
