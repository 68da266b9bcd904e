// The kernels that add points: accumulation by runs, merging of what runs share, reduction of buckets, sums of lists.
#pragma once

#include <cstdint>

#include "cuda/threads.cuh"
#include "groth16/algebra/curve.hpp"

namespace groth16::device {

// Threads a block, and blocks that a multiprocessor holds: accumulators of G1 take 160 registers, those of G2 all 255.
inline constexpr unsigned kPointThreads = 128;
template <class F>
inline constexpr unsigned kPointBlocks = sizeof(F) <= 48 ? 3 : 2;

// Items that a thread merges at most one after another.
inline constexpr std::uint32_t kMergeRun = 16;

// Infinity by its zz alone: what is_infinity looks at.
template <class F>
__device__ __forceinline__ void store_infinity(Xyzz<F>* at) {
  store16(&at->zz, F::zero());
}

// Where a run puts the sum of one of its segments, the pairs of one bucket: the first segment may begin before the run
// and the last may go on behind it.
template <class F>
struct RunOutput {
  Xyzz<F>* buckets;
  std::uint32_t* shared_keys;  // two a run
  Xyzz<F>* shared;

  __device__ __forceinline__ void begin(std::size_t run, std::uint32_t first_key, std::uint32_t last_key) const {
    shared_keys[2 * run] = first_key;
    shared_keys[2 * run + 1] = last_key;
    store_infinity(shared + 2 * run);
    store_infinity(shared + 2 * run + 1);
  }
  __device__ __forceinline__ void put(std::size_t run, std::uint32_t key, const Xyzz<F>& sum, bool from_before,
                                      bool goes_on) const {
    if (sum.is_infinity()) return;
    store16(from_before ? shared + 2 * run : goes_on ? shared + 2 * run + 1 : buckets + key, sum);
  }
};

// This thread's run, length of the count items that are ordered by key; add(sum, i) adds item i. Keys from none on have
// no bucket.
template <class F, class Add>
__device__ __forceinline__ void add_up_run(const std::uint32_t* keys, std::uint32_t count, std::uint32_t length,
                                           std::uint32_t none, const RunOutput<F>& out, const Add& add) {
  const std::uint32_t run = static_cast<std::uint32_t>(thread_index());
  const std::uint64_t first = std::uint64_t{run} * length;
  if (first >= count) return;
  const std::uint32_t last = static_cast<std::uint32_t>(first + length < count ? first + length : count);
  std::uint32_t key = keys[first];
  out.begin(run, key, keys[last - 1]);
  bool from_before = first > 0 && keys[first - 1] == key;
  Xyzz<F> sum = Xyzz<F>::infinity();
  for (std::uint32_t i = static_cast<std::uint32_t>(first); i < last; ++i) {
    const std::uint32_t next_key = keys[i];
    if (next_key != key) {
      out.put(run, key, sum, from_before, false);
      sum = Xyzz<F>::infinity();
      key = next_key;
      from_before = false;
    }
    if (key >= none) return;
    add(sum, i);
  }
  out.put(run, key, sum, from_before, last < count && keys[last] == key);
}

// Pairs of bucket and point, run a thread.
template <class F>
__global__ void __launch_bounds__(kPointThreads, kPointBlocks<F>)
    accumulate_runs(const Affine<F>* points, const std::uint32_t* keys, const std::uint32_t* values,
                    std::uint32_t count, std::uint32_t run, std::uint32_t none, RunOutput<F> out) {
  add_up_run(keys, count, run, none, out, [=](Xyzz<F>& sum, std::uint32_t i) {
    const std::uint32_t value = values[i];
    const Affine<F> point = load16_constant(points + (value >> 1));
    sum += point.negated_if((value & 1) != 0);
  });
}

// Sums that runs share, kMergeRun a thread; infinities stand for nothing.
template <class F>
__global__ void __launch_bounds__(kPointThreads, kPointBlocks<F>)
    merge_runs(const std::uint32_t* keys, const Xyzz<F>* sums, std::uint32_t count, std::uint32_t none,
               RunOutput<F> out) {
  add_up_run(keys, count, kMergeRun, none, out, [=](Xyzz<F>& sum, std::uint32_t i) {
    if (!load16(&sums[i].zz).is_zero()) sum += load16(sums + i);
  });
}

// One level of the reduction: arrays of length elements, [set][array], become arrays of length >> chunk_bits, one more
// a set. blockIdx.y is the array, blockIdx.z the set. Array 0 is summed and weighted, the others are summed.
template <class F>
__global__ void __launch_bounds__(kPointThreads, kPointBlocks<F>)
    reduce_level(const Xyzz<F>* in, Xyzz<F>* out, std::uint32_t length, unsigned chunk_bits) {
  const std::uint32_t chunk = static_cast<std::uint32_t>(thread_index()), chunks = length >> chunk_bits;
  if (chunk >= chunks) return;
  const unsigned array = blockIdx.y, set = blockIdx.z, arrays = gridDim.y;
  const Xyzz<F>* const from = in + (std::size_t{set} * arrays + array) * length + (std::size_t{chunk} << chunk_bits);
  Xyzz<F>* const to = out + std::size_t{set} * (arrays + 1) * chunks + chunk;
  std::uint32_t i = (1u << chunk_bits) - 1;
  Xyzz<F> sum = load16(from + i);
  if (array == 0) {
    Xyzz<F> weighted = sum;  // sum over j of j B_j: the sum of all suffix sums but the last
    while (--i > 0) {
      sum += load16(from + i);
      weighted += sum;
    }
    store16(to + chunks, weighted);
    sum += load16(from);
    store16(to, sum);
  } else {
    while (i-- > 0) sum += load16(from + i);
    store16(to + (array + 1) * chunks, sum);
  }
}

// sums[t] = the sum of points[list[t]], points[list[t + threads]], ...
template <class F>
__global__ void __launch_bounds__(kPointThreads, kPointBlocks<F>)
    sum_list(const Affine<F>* points, const std::uint32_t* list, const std::uint32_t* count, Xyzz<F>* sums,
             std::uint32_t threads) {
  const std::uint32_t t = static_cast<std::uint32_t>(thread_index());
  if (t >= threads) return;
  Xyzz<F> sum = Xyzz<F>::infinity();
  for (std::uint64_t i = t; i < *count; i += threads) sum += load16_constant(points + list[i]);
  store16(sums + t, sum);
}

// out[i] = the sum of in[8i] .. in[8i + 7], as far as there are so many.
template <class F>
__global__ void __launch_bounds__(kPointThreads, kPointBlocks<F>)
    sum_eights(const Xyzz<F>* in, std::uint32_t count, Xyzz<F>* out) {
  const std::uint32_t t = static_cast<std::uint32_t>(thread_index());
  if (8 * t >= count) return;
  Xyzz<F> sum = load16(in + 8 * t);
  for (std::uint32_t i = 8 * t + 1; i < count && i < 8 * t + 8; ++i) sum += load16(in + i);
  store16(out + t, sum);
}

}  // namespace groth16::device
