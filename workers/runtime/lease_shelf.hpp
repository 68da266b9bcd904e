// LeaseShelf: leases that have come over the lifeline, until an assignment takes them; and the mappings of resident
// keys and constraint systems, which stay for every later assignment until the supervisor evicts them.
//
// Owned by the talking thread. What an assignment takes leaves with it to the computing thread, which unmaps it there.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "groth16/algebra/compute.hpp"
#include "workers/runtime/lease.hpp"

namespace groth16d::worker {

// A mapped segment, and what a role has done with its memory that must be undone before it is unmapped (as pinning it).
struct MappedSegment {
  shm::Mapping mapping;
  std::shared_ptr<void> companion = nullptr;  // goes first
};

// The leases of one assignment, mapped and checked. Destroying it unmaps and closes all but the residents.
class Leases {
 public:
  // What a reader may see of a segment: its used bytes. Empty for a lease that the assignment does not have.
  std::span<const std::byte> bytes(const v1::Lease& lease) const;
  // The whole payload of a segment that this assignment writes.
  std::span<std::byte> writable(const v1::Lease& lease) const;
  // How much of it now has a meaning, and a word to later readers. Errors: internal "segment.used", "segment.note".
  Result<void> set_used(const v1::Lease& lease, std::uint64_t used_bytes, std::span<const std::byte> note = {}) const;
  // What the writer of a segment noted in its header; empty for a lease that the assignment does not have.
  std::span<const std::byte> note(const v1::Lease& lease) const;
  // Has the companion go with the mapping; of a resident that is after many assignments, on the talking thread.
  void accompany(const v1::Lease& lease, std::shared_ptr<void> companion) const;
  bool is_accompanied(const v1::Lease& lease) const;
  // An open file; -1 for none.
  int file(const v1::Lease& lease) const;

  // Maps in all pages of segments that this worker has not had before: for stages that touch most of what they lease.
  void populate(const groth16::Compute& compute) const;

 private:
  friend class LeaseShelf;
  struct Held {
    std::shared_ptr<MappedSegment> segment;
    UniqueFd file;
    bool is_new = true;  // mapped for this assignment
  };
  const Held* find(const v1::Lease& lease) const;
  MappedSegment* find_segment(const v1::Lease& lease) const;

  std::map<LeaseName, Held> held_;
};

class LeaseShelf {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  void put(ipc::ReceivedLease lease, TimePoint now);

  // The first of these that has not come; nothing when all are here.
  std::optional<LeaseName> missing(std::span<const LeaseUse> uses) const;

  // Maps and hands over. The header of a partition's segment must name that partition. Errors: those of
  // shm::Mapping::map, mismatch "lease.mode", mismatch "segment.foreign". What is not resident is off the shelf then
  // too.
  Result<Leases> take(std::span<const LeaseUse> uses, const v1::Work& work);

  // Drops one name, mapping and descriptor; true when it was here. (A running assignment that still reads a resident
  // keeps it mapped until it ends: evict after that.)
  bool drop(const LeaseName& name);

  // Drops what has waited for an assignment since before `limit`, and says what that was. Residents do not expire.
  std::vector<LeaseName> drop_older_than(TimePoint limit);

 private:
  struct Waiting {
    ipc::ReceivedLease lease;
    TimePoint since;
  };
  Result<Leases::Held> take_one(const LeaseUse& use, const v1::Work& work);
  Result<std::shared_ptr<MappedSegment>> resident(const LeaseUse& use, const v1::Work& work);

  std::map<LeaseName, Waiting> waiting_;
  std::map<LeaseName, std::shared_ptr<MappedSegment>> residents_;
};

}  // namespace groth16d::worker
