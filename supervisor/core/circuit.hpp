// A circuit: a key and its constraint system, inspected once, loaded once, shared by every worker and job.
//
// A registered circuit is first stored in the journal; a job by key path brings its own, which is not. A load slot
// inspects the files (sizes, curve, digests): the circuit is then *known*, and stays so. To become *resident* it
// reserves the bytes of key and r1cs and the loader's private peak, opens the files again, has the segments allocated,
// loaded and sealed. Partitions in flight hold a reference. A resident circuit without references may be evicted when
// memory is short: every worker is asked to give its mappings back, and when the last has done so (or died) the
// segments are freed and the circuit is merely known again. A refused file fails the circuit and every job on it, with
// the loader's words. Segments that outlived an earlier supervisor are adopted: charged at once, checked by a load
// slot, and resident without a look at the files; where the check fails, they are given back and the files are opened.
// Whatever happens to it half-way (death of the loader, removal, drain), a circuit first *retreats*, until it holds
// nothing.
#pragma once

#include <set>

#include "supervisor/budget/private_need.hpp"
#include "supervisor/core/types.hpp"

namespace groth16d::supervisor {

struct Partition;

// What the two ways to B2 took on a circuit, means of the latest: a finalizer's b_g2_msm, a card's prove stage without
// B2 and with it. No time of loading the circuit is in them.
struct B2Times {
  std::optional<Millis> finalizer, card_alone, card_with_b2;
};

enum class CircuitPhase {
  storing,        // StoreCircuit asked
  opening,        // OpenFiles asked, for inspection
  ready_inspect,  // waits for a load slot
  inspecting,     // assigned
  known,          // facts are there, key is not
  opening_load,   // memory is reserved, OpenFiles asked
  allocating,     // AllocateSegments asked
  ready_load,     // waits for a load slot
  loading,        // assigned
  sealing,        // loader's leases come back, SealSegment asked
  ready_adopt,    // its segments outlived a supervisor: waits for a load slot that checks them
  adopting,       // assigned
  resident,
  retreating,  // gives everything back, then goes to `after`
  failed,
};

enum class AfterRetreat { inspect_again, known, failed, erase };

struct Circuit {
  std::uint64_t uid = 0;
  CircuitName name;
  CircuitSource source;
  bool by_path = false;  // of jobs only; forgotten when unused and not resident

  CircuitPhase phase = CircuitPhase::storing;
  AfterRetreat after = AfterRetreat::known;
  bool inspected = false;
  CircuitFacts facts;
  ObservedPeaks peaks;  // of its stages, for as long as the key file is the same
  B2Times b2_times;
  std::optional<SlotId> b2_refused_by;  // a card that had no room for B2's points beside the rest
  std::optional<Error> failure;

  SegmentRef key_file, r1cs_file, key, r1cs;
  RequestId request = 0;  // OpenFiles or AllocateSegments under way
  bool running = false;   // an assignment is on a load slot
  bool wanted = false;    // load when memory is free, even without a job
  bool blocked = false;   // an allocation failed: its alarm has not rung yet
  bool remove_asked = false;
  std::uint32_t allocation_failures = 0;
  std::uint32_t attempt = 0;
  std::vector<SlotId> deaths;
  std::uint32_t retries = 0;
  std::uint64_t loads = 0, cache_hits = 0, adoptions = 0, source_bytes_read = 0;

  std::uint32_t unfinished_jobs = 0;
  std::uint32_t in_flight = 0;  // admitted partitions
  TimePoint last_used{};
  std::set<Partition*> parked;  // queued partitions that wait until it is resident
  std::vector<ReplyToken> add_tokens, remove_tokens;

  bool has_r1cs() const { return !source.r1cs_path.empty(); }
  bool holds_nothing() const { return !key_file && !r1cs_file && !key && !r1cs && request == 0 && !running; }
};

}  // namespace groth16d::supervisor
