// Multi-scalar multiplication: sum of [s_i] P_i, by Pippenger's buckets with signed digits and XYZZ accumulators
// (Bernstein, Doumen, Lange, Oosterwijk 2012, "Faster batch forgery identification", section 4).
//
// The scalars of a real witness are mostly bits: zeros are dropped and ones are summed apart, before any window is
// looked at. The number of windows follows the largest scalar that is present.
#pragma once

#include <cstdint>
#include <span>

#include "groth16/algebra/bls12_381.hpp"
#include "groth16/algebra/bn254.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/algebra/curve.hpp"

namespace groth16 {

// Points are on the curve, infinity allowed; scalars are plain integers of any size (not Montgomery form); the spans
// have equal sizes. Unspecified when compute was cancelled. Memory: 8 bytes an index for each scalar above 1, and
// buckets of at most a few MiB a thread.
template <class F>
Jacobian<F> msm(std::span<const Affine<F>> points, std::span<const UInt<4>> scalars, const Compute& compute);

// The sum of the points whose bit is set: bit i is bit i % 64 of bits[i / 64]. bits has at least
// ceil(points.size() / 64) words; bits beyond the points are ignored.
template <class F>
Jacobian<F> sum_selected(std::span<const Affine<F>> points, std::span<const std::uint64_t> bits,
                         const Compute& compute);

#define GROTH16_FOR_EACH_POINT_FIELD(DO) DO(Bn254::Fq) DO(Bn254::Fq2) DO(Bls12_381::Fq) DO(Bls12_381::Fq2)

#define GROTH16_DECLARE_MSM(F)                                                                           \
  extern template Jacobian<F> msm(std::span<const Affine<F>>, std::span<const UInt<4>>, const Compute&); \
  extern template Jacobian<F> sum_selected(std::span<const Affine<F>>, std::span<const std::uint64_t>, const Compute&);
GROTH16_FOR_EACH_POINT_FIELD(GROTH16_DECLARE_MSM)
#undef GROTH16_DECLARE_MSM

}  // namespace groth16
