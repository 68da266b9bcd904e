// The blame matrix: which jobs failed on which slots, to tell a bad job from a bad slot.
//
// A job that kills workers on several slots is guilty itself (the core counts its partitions' deaths). A slot is guilty
// when several different jobs failed on it and on no other slot. A success on the slot in between acquits it: only a
// slot that fails one job after the other is bad.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "supervisor/core/types.hpp"

namespace groth16d::supervisor {

class BlameMatrix {
 public:
  void record(std::uint64_t job, SlotId slot) { slots_of_[job].insert(slot); }
  void acquit_slot(SlotId slot);
  void forget_job(std::uint64_t job) { slots_of_.erase(job); }
  // Different jobs that failed on this slot and nowhere else.
  std::size_t jobs_failed_only_on(SlotId slot) const;

 private:
  std::map<std::uint64_t, std::set<SlotId>> slots_of_;
};

}  // namespace groth16d::supervisor
