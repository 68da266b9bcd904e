// The adder of portable and ADX arithmetic, four pairs in step, and the choice between it and the lanes.
#include "groth16/algebra/pair_adder.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "groth16/algebra/pair_adder_lanes.hpp"

namespace groth16 {

namespace {

// Four pairs in step: their products do not depend on each other, so a processor computes the next while the carries of
// one still ripple (BLS12-381 at level adx: a product takes 38 ns alone and 25 in step).
template <class F>
class StepPairAdder final : public PairAdder<F> {
 public:
  StepPairAdder() : differences_(PairAdder<F>::kBatch + kStep), prefixes_(PairAdder<F>::kBatch + kStep) {}

  void add(std::span<const PointPair<F>> pairs) override {
    for (; pairs.size() > PairAdder<F>::kBatch; pairs = pairs.subspan(PairAdder<F>::kBatch)) {
      add_batch(pairs.first(PairAdder<F>::kBatch));
    }
    if (!pairs.empty()) add_batch(pairs);
  }

 private:
  static constexpr std::size_t kStep = 4;
  static constexpr std::size_t kAhead = 12;  // pairs between a request for points of the memory and their use

  void add_batch(std::span<const PointPair<F>> pairs) {
    const std::size_t whole = pairs.size() / kStep * kStep;
    std::fill(std::begin(running_), std::end(running_), F::one());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (i + kAhead < pairs.size()) prefetch(pairs[i + kAhead]);
      prefixes_[i] = running_[i % kStep];
      differences_[i] = difference(pairs[i]);
      running_[i % kStep] *= differences_[i];
    }
    batch_inverse(std::span<F>(running_));
    for (std::size_t i = pairs.size(); i-- > whole;) {
      const F inverse = take_inverse(i);
      *pairs[i].sum = sum(first(pairs[i]), second(pairs[i]), inverse);
    }
    for (std::size_t i = whole; i > 0; i -= kStep) add_step(&pairs[i - kStep], i - kStep);
  }

  static void prefetch(const PointPair<F>& pair) {
    for (std::size_t at = 0; at < sizeof(Affine<F>); at += 64) {
      __builtin_prefetch(reinterpret_cast<const char*>(pair.first) + at);
      __builtin_prefetch(reinterpret_cast<const char*>(pair.second) + at);
    }
  }

  static Affine<F> first(const PointPair<F>& pair) { return pair.first->negated_if(pair.negate_first); }
  static Affine<F> second(const PointPair<F>& pair) { return pair.second->negated_if(pair.negate_second); }

  // What the pair's slope is divided by; 1 where there is no slope.
  static F difference(const PointPair<F>& pair) {
    const F chord = pair.second->x - pair.first->x;
    if (!chord.is_zero()) return chord;
    const F tangent = first(pair).y.doubled();
    return tangent.is_zero() ? F::one() : tangent;
  }

  F take_inverse(std::size_t i) {
    F& running = running_[i % kStep];
    const F inverse = running * prefixes_[i];
    running *= differences_[i];
    return inverse;
  }

  // The chord's formula for four pairs; the few that it does not serve are done again.
  void add_step(const PointPair<F>* pairs, std::size_t at) {
    F inverses[kStep], slopes[kStep], x[kStep];
    Affine<F> p[kStep], q[kStep];
    for (std::size_t k = 0; k < kStep; ++k) inverses[k] = running_[k] * prefixes_[at + k];
    for (std::size_t k = 0; k < kStep; ++k) running_[k] *= differences_[at + k];
    for (std::size_t k = 0; k < kStep; ++k) {
      p[k] = first(pairs[k]);
      q[k] = second(pairs[k]);
      slopes[k] = (q[k].y - p[k].y) * inverses[k];
    }
    for (std::size_t k = 0; k < kStep; ++k) x[k] = slopes[k].square() - p[k].x - q[k].x;
    for (std::size_t k = 0; k < kStep; ++k) {
      const bool is_chord = !p[k].is_infinity() && !q[k].is_infinity() && !(p[k].x == q[k].x);
      const F y = slopes[k] * (p[k].x - x[k]) - p[k].y;
      *pairs[k].sum = is_chord ? Affine<F>{x[k], y} : sum(p[k], q[k], inverses[k]);
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

  std::vector<F> differences_, prefixes_;
  F running_[kStep];
};

}  // namespace

template <class F>
std::unique_ptr<PairAdder<F>> make_pair_adder(CpuLevel level) {
#if defined(GROTH16_HAS_IFMA)
  if (level == CpuLevel::ifma) return std::make_unique<LanePairAdder<F>>();
#endif
  static_cast<void>(level);
  return std::make_unique<StepPairAdder<F>>();
}

#define GROTH16_DEFINE_PAIR_ADDER(F) template std::unique_ptr<PairAdder<F>> make_pair_adder(CpuLevel level);
GROTH16_FOR_EACH_POINT_FIELD(GROTH16_DEFINE_PAIR_ADDER)

}  // namespace groth16
