// The adder of portable and ADX arithmetic, one pair after the other, and the choice between it and the lanes.
#include "groth16/algebra/pair_adder.hpp"

#include <array>

#include "groth16/algebra/pair_adder_lanes.hpp"

namespace groth16 {

namespace {

template <class F>
class SinglePairAdder final : public PairAdder<F> {
 public:
  void add(std::span<const PointPair<F>> pairs) override {
    for (; pairs.size() > kInverted; pairs = pairs.subspan(kInverted)) add_batch(pairs.first(kInverted));
    add_batch(pairs);
  }

 private:
  static constexpr std::size_t kInverted = 256;  // batch_inverse takes as many at a time

  void add_batch(std::span<const PointPair<F>> pairs) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto& pair = pairs[i];
      inverses_[i] = pair.second->x - pair.first->x;
      if (inverses_[i].is_zero()) inverses_[i] = pair.first->negated_if(pair.negate_first).y.doubled();
    }
    batch_inverse(std::span<F>(inverses_).first(pairs.size()));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto& pair = pairs[i];
      *pair.sum =
          sum(pair.first->negated_if(pair.negate_first), pair.second->negated_if(pair.negate_second), inverses_[i]);
    }
  }

  // inverse is 1 / (q.x - p.x), or 1 / (2 p.y) where the x are equal.
  static Affine<F> sum(const Affine<F>& p, const Affine<F>& q, const F& inverse) {
    if (p.is_infinity()) return q;
    if (q.is_infinity()) return p;
    F numerator = q.y - p.y;
    if (p.x == q.x) {
      if (!numerator.is_zero() || p.y.is_zero()) return Affine<F>::infinity();
      const F square = p.x.square();
      numerator = square.doubled() + square;
    }
    const F slope = numerator * inverse;
    const F x = slope.square() - p.x - q.x;
    return {x, slope * (p.x - x) - p.y};
  }

  std::array<F, kInverted> inverses_;
};

}  // namespace

template <class F>
std::unique_ptr<PairAdder<F>> make_pair_adder(CpuLevel level) {
#if defined(GROTH16_HAS_IFMA)
  if (level == CpuLevel::ifma) return std::make_unique<LanePairAdder<F>>();
#endif
  static_cast<void>(level);
  return std::make_unique<SinglePairAdder<F>>();
}

#define GROTH16_DEFINE_PAIR_ADDER(F) template std::unique_ptr<PairAdder<F>> make_pair_adder(CpuLevel level);
GROTH16_FOR_EACH_POINT_FIELD(GROTH16_DEFINE_PAIR_ADDER)

}  // namespace groth16
