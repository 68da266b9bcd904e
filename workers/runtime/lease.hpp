// Leases as an assignment names them: a segment or a file by (segment, generation), and what is done with it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "ipc/lifeline.hpp"
#include "ipc/worker.pb.h"
#include "shm/segment.hpp"

namespace groth16d::worker {

struct LeaseName {
  std::uint64_t segment = 0;
  std::uint64_t generation = 0;
  auto operator<=>(const LeaseName&) const = default;
};

inline LeaseName name_of(const v1::Lease& lease) { return {lease.segment(), lease.generation()}; }

// "12.3": segment 12, generation 3.
std::string to_string(const LeaseName& name);

// What an assignment does with one of its leases.
struct LeaseUse {
  LeaseName name;
  ipc::LeaseMode mode = ipc::LeaseMode::read_only;
  shm::SegmentKind kind = shm::SegmentKind::input;  // of a segment; a file has none

  // A key or constraint system that is read: it stays with the worker, mapped, until EVICT.
  bool resident() const {
    return mode == ipc::LeaseMode::read_only && (kind == shm::SegmentKind::key || kind == shm::SegmentKind::r1cs);
  }
};

// Every lease that an ASSIGN_* names, in the order of its fields; empty for any other message.
std::vector<LeaseUse> leases_of(const v1::Down& down);

}  // namespace groth16d::worker
