// What the stages of a circuit need of private memory, beyond their workers' resting size: computed from the circuit's
// sizes at first, corrected by what was observed.
//
// A worker reports the peak of every assignment. The highest one of a stage, plus a margin of 5 percent and a
// configured number of bytes (malloc's slack, and peaks between two samples), takes the formula's place:
//   nothing complete observed      the formula, or the corrected peak where even that was above it
//   peaks below the formula        the corrected peak, but never more than the formula
//   a peak above the formula       the corrected peak
// An assignment that failed may have failed before its peak, so it can only raise the need. What a partition reserved
// stays as it was admitted; a correction is for those admitted later.
#pragma once

#include "supervisor/core/types.hpp"

namespace groth16d::supervisor {

// Bytes by stage; inspection needs none.
class PrivateNeeds {
 public:
  std::uint64_t& operator[](Stage stage) { return bytes_[static_cast<std::size_t>(stage)]; }
  std::uint64_t operator[](Stage stage) const { return bytes_[static_cast<std::size_t>(stage)]; }

  // Of a partition from its synthesis on. PROVE and B2 run together; synthesis before and assembly after them run
  // alone.
  std::uint64_t whole_life() const;
  // Of a partition whose witness is made, and that still has to prove, to sum b_g2_msm, or to assemble only.
  std::uint64_t after_synthesis(bool prove_is_open, bool b2_is_open) const;

 private:
  std::array<std::uint64_t, kStages> bytes_{};
};

PrivateNeeds formula_needs(const CircuitFacts& facts);

struct ObservedPeak {
  std::uint64_t bytes = 0;        // the highest
  std::uint32_t assignments = 0;  // that were completed
};

class ObservedPeaks {
 public:
  // One assignment's peak; `complete`: it did all of its work.
  void observe(Stage stage, std::uint64_t bytes, bool complete);
  const ObservedPeak& operator[](Stage stage) const { return peaks_[static_cast<std::size_t>(stage)]; }
  PrivateNeeds corrected(const PrivateNeeds& formula, std::uint64_t margin_bytes) const;

 private:
  std::array<ObservedPeak, kStages> peaks_{};
};

}  // namespace groth16d::supervisor
