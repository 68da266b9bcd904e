// Every segment and opened file that exists, with its owner and its lessees.
//
// A segment is asked for, becomes live when the allocator confirms it, may be leased to slots, and is doomed when its
// owner needs it no more. A doomed segment is handed to FreeSegment at the moment when its last lessee has released it
// or has been reaped; it stays in the table, and in the budget, until SegmentFreed confirms.
#pragma once

#include <map>

#include "supervisor/budget/budget.hpp"
#include "supervisor/core/action.hpp"

namespace groth16d::supervisor {

struct Lessee {
  Epoch epoch = 0;
  LeaseMode mode = LeaseMode::read_only;
  AssignmentId assignment = 0;  // that it was leased for first
  bool evicting = false;        // EvictLease was sent
};

struct Segment {
  enum class State { asked, live, freeing };
  SegmentRef ref;
  AccountId owner;
  std::optional<BufferKind> kind;  // nullopt: an opened file, which costs no memory
  std::uint64_t payload_bytes = 0;
  std::uint64_t total_bytes = 0;
  State state = State::asked;
  bool doomed = false;
  bool sealing = false;  // SealSegment was sent
  bool sealed = false;
  std::map<SlotId, Lessee> lessees;
  // Worker that may have written to it, for SealRefused.
  SlotId writer;
  Epoch writer_epoch = 0;

  bool resident() const { return kind == BufferKind::key || kind == BufferKind::r1cs; }
};

class SegmentTable {
 public:
  Segment& create(AccountId owner, std::optional<BufferKind> kind, std::uint64_t payload_bytes);
  // A live, sealed segment that has its name already; later names are above it.
  Segment& adopt(SegmentRef ref, AccountId owner, std::optional<BufferKind> kind, std::uint64_t payload_bytes);
  Segment* find(SegmentRef ref);  // exact generation only
  const Segment* find(SegmentRef ref) const;
  void erase(SegmentRef ref) { segments_.erase(ref); }
  const std::map<SegmentRef, Segment>& all() const { return segments_; }
  bool empty() const { return segments_.empty(); }

 private:
  std::map<SegmentRef, Segment> segments_;
  std::uint64_t next_id_ = 1;
};

}  // namespace groth16d::supervisor
