// Multi-scalar multiplication over fixed points in the card's memory: sum of [s_i] P_i.
//
// Steps: digits (every scalar to its signed window digits, as pairs of bucket and point), a radix sort of the pairs by
// bucket, accumulation, reduction of the buckets.
//
// Accumulation is balanced whatever the scalars are: the sorted pairs are cut into runs of equal length, one a thread.
// A thread adds up each bucket that begins and ends in its run by itself; sums of buckets that its run shares with its
// neighbours go, with their bucket, to a list of two a run, which is again sorted and is cut into runs again, until
// one run is left. A bucket that takes all pairs costs as much as any other.
//
// Reduction, sum over i of (i + 1) B_i: with i = m K + j, sum (m K + j) B_(m K + j) = m sum K S_K + sum T_K, where S_K
// and T_K are the sum and the j-weighted sum of chunk K. Each level replaces B by S and appends T to the arrays that
// are only summed up; the host ends with one point an array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cuda/device_array.cuh"
#include "cuda/msm_plan.hpp"
#include "cuda/step_clock.cuh"
#include "cuda/workspace.cuh"
#include "groth16/algebra/curve.hpp"
#include "groth16/algebra/uint.hpp"

namespace groth16::device {

// A point on its way to affine form, whose numerators lie where the point will.
template <class F>
struct Denominators {
  F zz, zzz, product;  // product: of the zzz of the same thread's points before
};

// The tables of an MsmPlan: table t, point i at t * points + i.
template <class F>
class FixedBases {
 public:
  FixedBases() = default;
  // Room for the tables; the caller writes the points into the first and calls make_tables.
  explicit FixedBases(const MsmPlan& plan);
  // The same for points that lie in the card's memory or the host's.
  FixedBases(const Affine<F>* points, const MsmPlan& plan, const Stream& stream);

  // Queues the multiples; scratch has scratch_size(plan) elements and is free again when the stream has been waited
  // for.
  void make_tables(Denominators<F>* scratch, cudaStream_t stream);
  static std::size_t scratch_size(const MsmPlan& plan);

  const MsmPlan& plan() const { return plan_; }
  const Affine<F>* data() const { return tables_.data(); }
  Affine<F>* points() { return tables_.data(); }

 private:
  MsmPlan plan_;
  DeviceArray<Affine<F>> tables_;
};

// What the card leaves for the host of one sum: for each set, the sum of all buckets and the weighted sums by level.
template <class F>
class PendingSum {
 public:
  PendingSum();
  ~PendingSum();
  PendingSum(const PendingSum&) = delete;
  PendingSum& operator=(const PendingSum&) = delete;

  // After the stream that the sum was started on has been waited for.
  Jacobian<F> finish() const;

  static constexpr std::size_t kCapacity = 2048;
  Xyzz<F>* points = nullptr;  // pinned, [set][array]
  unsigned sets = 0;
  unsigned window_bits = 0;          // between sets
  std::vector<unsigned> level_bits;  // bits of the index that each level took
};

// Bytes of workspace that start_msm takes.
template <class F>
std::size_t msm_workspace_bytes(const MsmPlan& plan);

// Queues the whole sum. scalars are plain integers below modulus in the card's memory, one for each point of the plan;
// tables as FixedBases has them (of a plan with one: the points); workspace is taken from its current place.
template <class F>
void start_msm(const MsmPlan& plan, const Affine<F>* tables, const UInt<4>* scalars, const UInt<4>& modulus,
               Workspace& workspace, PendingSum<F>& out, cudaStream_t stream, StepClock* clock = nullptr);
template <class F>
void start_msm(const FixedBases<F>& bases, const UInt<4>* scalars, const UInt<4>& modulus, Workspace& workspace,
               PendingSum<F>& out, cudaStream_t stream, StepClock* clock = nullptr) {
  start_msm(bases.plan(), bases.data(), scalars, modulus, workspace, out, stream, clock);
}

// The sum of the points whose bit is set. bit_of[i] is the place of point i's bit in bits, or i itself where bit_of is
// null. Same rules.
template <class F>
std::size_t selected_workspace_bytes(std::size_t points);
template <class F>
void start_selected_sum(const Affine<F>* points, const std::uint32_t* bit_of, const std::uint32_t* bits,
                        std::size_t count, Workspace& workspace, PendingSum<F>& out, cudaStream_t stream);

// out[i] = [first + i] generator, when it returns: a table of multiples, and in tests points whose sum has a closed
// form.
template <class F>
void walk(const Affine<F>& generator, std::uint64_t first, std::size_t count, Affine<F>* out, cudaStream_t stream);

}  // namespace groth16::device
