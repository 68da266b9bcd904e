// The bucket method with affine additions that share inversions, thousands of independent pairs at a time. Arguments
// and results are those of msm.hpp.
//
// A window's points are sorted by bucket; each bucket is summed as a tree. The weighted sum of the buckets, sum of
// k B_k, is cut by the bits of k: with C^0 = B and C^(l+1)_j = C^l_2j + C^l_(2j+1), the sum of B_k over all k that
// contain bit l is that of C^l_j over odd j. So a window ends in one point for each bit of its digit, all additions but
// a few hundred are affine, and none depends on the one before it.
#pragma once

#include <cstdint>
#include <span>

#include "groth16/algebra/compute.hpp"
#include "groth16/algebra/cpu_level.hpp"
#include "groth16/algebra/curve.hpp"
#include "groth16/algebra/curves.hpp"

namespace groth16 {

template <class F>
Jacobian<F> affine_msm(std::span<const Affine<F>> points, std::span<const UInt<4>> scalars, const Compute& compute,
                       CpuLevel level);

template <class F>
Jacobian<F> affine_sum_selected(std::span<const Affine<F>> points, std::span<const std::uint64_t> bits,
                                const Compute& compute, CpuLevel level);

#define GROTH16_DECLARE_AFFINE_MSM(F)                                                                          \
  extern template Jacobian<F> affine_msm(std::span<const Affine<F>>, std::span<const UInt<4>>, const Compute&, \
                                         CpuLevel);                                                            \
  extern template Jacobian<F> affine_sum_selected(std::span<const Affine<F>>, std::span<const std::uint64_t>,  \
                                                  const Compute&, CpuLevel);
GROTH16_FOR_EACH_POINT_FIELD(GROTH16_DECLARE_AFFINE_MSM)
#undef GROTH16_DECLARE_AFFINE_MSM

}  // namespace groth16
