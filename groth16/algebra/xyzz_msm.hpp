// The bucket method with XYZZ accumulators: no inversion and no order among the points. The portable reference, and the
// best for few points. Arguments and results are those of msm.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "groth16/algebra/compute.hpp"
#include "groth16/algebra/curve.hpp"
#include "groth16/algebra/curves.hpp"

namespace groth16 {

template <class F>
Jacobian<F> xyzz_msm(std::span<const Affine<F>> points, std::span<const UInt<4>> scalars, const Compute& compute);

template <class F>
Jacobian<F> xyzz_sum_selected(std::span<const Affine<F>> points, std::span<const std::uint64_t> bits,
                              const Compute& compute);

#define GROTH16_DECLARE_XYZZ_MSM(F)                                                                           \
  extern template Jacobian<F> xyzz_msm(std::span<const Affine<F>>, std::span<const UInt<4>>, const Compute&); \
  extern template Jacobian<F> xyzz_sum_selected(std::span<const Affine<F>>, std::span<const std::uint64_t>,   \
                                                const Compute&);
GROTH16_FOR_EACH_POINT_FIELD(GROTH16_DECLARE_XYZZ_MSM)
#undef GROTH16_DECLARE_XYZZ_MSM

}  // namespace groth16
