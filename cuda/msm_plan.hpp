// MsmPlan: how a multi-scalar multiplication over fixed points is cut. Host arithmetic only; no CUDA type.
//
// A scalar s below r is folded to min(s, r - s) with a sign and cut into windows of c bits with signed digits in
// [-2^(c-1), 2^(c-1)]. With T tables, table t holds [2^(c g t)] P_i, g = ceil(windows / T), so that window t g + k of
// every table falls into bucket set k: g sets of 2^(c-1) buckets instead of one for each window (Brickell, Gordon,
// McCurley, Wilson 1992; Pippenger 1976).
#pragma once

#include <cstddef>
#include <cstdint>

namespace groth16::device {

struct MsmPlan {
  std::size_t points = 0;
  unsigned window_bits = 1;
  unsigned windows = 1;
  unsigned tables = 1;
  unsigned sets = 1;          // ceil(windows / tables)
  unsigned sets_at_once = 1;  // sets whose pairs are sorted together

  std::size_t buckets_per_set() const { return std::size_t{1} << (window_bits - 1); }
  std::size_t buckets() const { return sets * buckets_per_set(); }
  // (bucket, point) pairs that are sorted at once.
  std::size_t pairs() const { return std::size_t{tables} * sets_at_once * points; }
  std::size_t table_points() const { return std::size_t{tables} * points; }
};

// The plan with the fewest point additions whose tables have at most max_tables multiples of each point and whose
// sorted pairs are at most max_pairs (but at least one set's). scalar_bits: the bits of r. Needs points * tables <
// 2^31; plans for which that does not hold are not considered.
MsmPlan plan_msm(std::size_t points, unsigned scalar_bits, unsigned max_tables, std::size_t max_pairs);

// The same with a window that the caller chose.
MsmPlan plan_msm_with_window(std::size_t points, unsigned scalar_bits, unsigned window_bits, unsigned max_tables,
                             std::size_t max_pairs);

}  // namespace groth16::device
