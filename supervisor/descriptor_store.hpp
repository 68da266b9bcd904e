// The service manager's descriptor store (sd_pid_notify_with_fds(3), FileDescriptorStoreMax=): the segments of resident
// circuits, which it keeps while one supervisor has gone and the next has not come.
//
// A descriptor is stored as "<kind>.<digest>.<inode>": kind key or r1cs, SHA-256 of the source in hexadecimal, and the
// memfd's inode, so that no two have one name. Without a service manager nothing is stored, and nothing is lost but
// time.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "common/unique_fd.hpp"
#include "supervisor/core/event.hpp"
#include "supervisor/segments.hpp"

namespace groth16d::supervisor {

// The name under which this segment is to be stored. Errors: those of shm::read_header; system.
Result<std::string> store_name(int segment);

// False: there is no service manager. Error: system.
Result<bool> store_descriptor(const std::string& name, int descriptor);

// Returns when the service manager has closed it, or 5 s later: until then its memory is not free. Error: system.
Result<void> forget_descriptor(const std::string& name);

// One that an earlier supervisor stored, found to be a sealed segment of this layout under its right name.
struct InheritedSegment {
  std::string name;    // in the store
  SegmentRef segment;  // as its header has it
  std::string digest;  // raw
  SegmentHandle held;
};

using NamedDescriptor = std::pair<std::string, UniqueFd>;

// What the service manager handed over: what an earlier supervisor stored, and the sockets that it listens on for us.
// Once per process, before any other thread.
std::vector<NamedDescriptor> handed_over();

// Takes the clients' socket out of them; none where no service manager listens.
UniqueFd take_client_socket(std::vector<NamedDescriptor>& descriptors);

// The segments among them. The others are closed and forgotten.
std::vector<InheritedSegment> inherited_segments(std::vector<NamedDescriptor> descriptors);

// Gives each circuit the segments that were made from the files that the journal has for it; returns those that found
// their circuit, and closes and forgets the others.
std::vector<InheritedSegment> match_residents(std::vector<InheritedSegment> inherited, Recovered& recovered);

}  // namespace groth16d::supervisor
