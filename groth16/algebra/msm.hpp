// Multi-scalar multiplication: sum of [s_i] P_i, by Pippenger's buckets with signed digits (Bernstein, Doumen, Lange,
// Oosterwijk 2012, "Faster batch forgery identification", section 4). The portable level adds into XYZZ buckets
// (xyzz_msm.hpp); the others add affine points with shared inversions (affine_msm.hpp).
//
// The scalars of a real witness are mostly bits: zeros are dropped and ones are summed apart, before any window is
// looked at. The number of windows follows the largest scalar that is present.
#pragma once

#include <cstdint>
#include <span>

#include "groth16/algebra/compute.hpp"
#include "groth16/algebra/cpu_level.hpp"
#include "groth16/algebra/curve.hpp"
#include "groth16/algebra/curves.hpp"

namespace groth16 {

// Points are on the curve, infinity allowed; scalars are plain integers of any size (not Montgomery form); the spans
// have equal sizes. Unspecified when compute was cancelled. Memory: 8 bytes an index for each scalar above 0, and
// kMsmBytesPerThread a thread at most. level is one that this machine has.
template <class F>
Jacobian<F> msm(std::span<const Affine<F>> points, std::span<const UInt<4>> scalars, const Compute& compute,
                CpuLevel level = cpu_level());

// Sorted indices of at most 2^20 points, 4 MiB; buckets and their sums by halves, 8 MiB; trees and inversions, 2 MiB.
inline constexpr std::uint64_t kMsmBytesPerThread = std::uint64_t{16} << 20;

// The sum of the points whose bit is set: bit i is bit i % 64 of bits[i / 64]. bits has at least
// ceil(points.size() / 64) words; bits beyond the points are ignored.
template <class F>
Jacobian<F> sum_selected(std::span<const Affine<F>> points, std::span<const std::uint64_t> bits, const Compute& compute,
                         CpuLevel level = cpu_level());

#define GROTH16_DECLARE_MSM(F)                                                                                         \
  extern template Jacobian<F> msm(std::span<const Affine<F>>, std::span<const UInt<4>>, const Compute&, CpuLevel);     \
  extern template Jacobian<F> sum_selected(std::span<const Affine<F>>, std::span<const std::uint64_t>, const Compute&, \
                                           CpuLevel);
GROTH16_FOR_EACH_POINT_FIELD(GROTH16_DECLARE_MSM)
#undef GROTH16_DECLARE_MSM

}  // namespace groth16
