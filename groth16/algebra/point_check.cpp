#include "groth16/algebra/point_check.hpp"

#include "groth16/algebra/point_check_lanes.hpp"

namespace groth16 {

namespace {

template <class P>
bool is_canonical(const Fp<P>& a) {
  return Fp<P>::is_canonical(a.limbs());
}
template <class F>
bool is_canonical(const Fp2<F>& a) {
  return is_canonical(a.c0) && is_canonical(a.c1);
}

}  // namespace

template <class F>
std::size_t first_off_curve(std::span<const Affine<F>> points, const F& b, CpuLevel level) {
  std::size_t i = 0;
#if defined(GROTH16_HAS_IFMA)
  if (level == CpuLevel::ifma) i = LanePointCheck<F>::sound_groups(points, b) * LanePointCheck<F>::kLanes;
#endif
  static_cast<void>(level);
  for (; i < points.size(); ++i) {
    const Affine<F>& point = points[i];
    if (!is_canonical(point.x) || !is_canonical(point.y) || !on_curve(point, b)) break;
  }
  return i;
}

#define GROTH16_DEFINE_POINT_CHECK(F) \
  template std::size_t first_off_curve(std::span<const Affine<F>>, const F&, CpuLevel);
GROTH16_FOR_EACH_POINT_FIELD(GROTH16_DEFINE_POINT_CHECK)

}  // namespace groth16
