// Whether points that came from outside are points: both coordinates below p, and y^2 = x^3 + b, or infinity.
#pragma once

#include <cstddef>
#include <span>

#include "groth16/algebra/cpu_level.hpp"
#include "groth16/algebra/curve.hpp"
#include "groth16/algebra/curves.hpp"

namespace groth16 {

// The place of the first that is none; points.size() when all are. Coordinates may be any bytes.
template <class F>
std::size_t first_off_curve(std::span<const Affine<F>> points, const F& b, CpuLevel level = cpu_level());

#define GROTH16_DECLARE_POINT_CHECK(F) \
  extern template std::size_t first_off_curve(std::span<const Affine<F>>, const F&, CpuLevel);
GROTH16_FOR_EACH_POINT_FIELD(GROTH16_DECLARE_POINT_CHECK)
#undef GROTH16_DECLARE_POINT_CHECK

}  // namespace groth16
