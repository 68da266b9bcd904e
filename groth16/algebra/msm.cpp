// Which of the two bucket methods serves a sum.
#include "groth16/algebra/msm.hpp"

#include "groth16/algebra/affine_msm.hpp"
#include "groth16/algebra/xyzz_msm.hpp"

namespace groth16 {

namespace {

// Below, an inversion for each round of a few pairs costs more than the formulas without one.
constexpr std::size_t kFewPoints = 256;

}  // namespace

template <class F>
Jacobian<F> msm(std::span<const Affine<F>> points, std::span<const UInt<4>> scalars, const Compute& compute,
                CpuLevel level) {
  if (level == CpuLevel::portable || points.size() < kFewPoints) return xyzz_msm(points, scalars, compute);
  return affine_msm(points, scalars, compute, level);
}

template <class F>
Jacobian<F> sum_selected(std::span<const Affine<F>> points, std::span<const std::uint64_t> bits, const Compute& compute,
                         CpuLevel level) {
  if (level == CpuLevel::portable || points.size() < kFewPoints) return xyzz_sum_selected(points, bits, compute);
  return affine_sum_selected(points, bits, compute, level);
}

#define GROTH16_DEFINE_MSM(F)                                                                                   \
  template Jacobian<F> msm(std::span<const Affine<F>>, std::span<const UInt<4>>, const Compute&, CpuLevel);     \
  template Jacobian<F> sum_selected(std::span<const Affine<F>>, std::span<const std::uint64_t>, const Compute&, \
                                    CpuLevel);
GROTH16_FOR_EACH_POINT_FIELD(GROTH16_DEFINE_MSM)

}  // namespace groth16
