// StepPairAdder: affine additions one after the other, four pairs in step: their products do not depend on each other,
// so a processor computes the next while the carries of one still ripple.
//
// Field is the arithmetic of F that the level has: AdxField<F> or PlainField<F>.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "groth16/algebra/pair_adder.hpp"

namespace groth16 {

// F's own operators.
template <class F>
struct PlainField {
  static F product(const F& a, const F& b) { return a * b; }
  static F square(const F& a) { return a.square(); }
  static F difference(const F& a, const F& b) { return a - b; }
  static F negated_if(bool negate, const F& a) { return negate ? -a : a; }
};

template <class F, class Field>
class StepPairAdder final : public PairAdder<F> {
 public:
  StepPairAdder() : slopes_(kBatch + kStep) {}

  void add(std::span<const PointPair<F>> pairs) override {
    for (; pairs.size() > kBatch; pairs = pairs.subspan(kBatch)) add_batch(pairs.first(kBatch));
    if (!pairs.empty()) add_batch(pairs);
  }

 private:
  using Pair = PointPair<F>;
  static constexpr std::size_t kStep = 4;
  static constexpr std::size_t kBatch = 512;  // what these touch stays in a second-level cache
  static constexpr std::size_t kAhead = 16;   // pairs between a request for points of the memory and their use
  static_assert(kBatch % kStep == 0);

  // numerator / denominator is the slope; prefix is the product of all denominators before, in every fourth pair.
  struct Slope {
    F numerator, denominator, prefix;
  };

  void add_batch(std::span<const Pair> pairs) {
    const std::size_t whole = pairs.size() / kStep * kStep;
    std::array<Pair, kStep> last;
    last.fill({&padding_[0], &padding_[1], &padding_[2]});
    for (std::size_t i = whole; i < pairs.size(); ++i) last[i - whole] = pairs[i];

    for (std::size_t k = 0; k < kStep; ++k) slopes_[k].prefix = F::one();
    for (std::size_t i = 0; i < whole; i += kStep) {
      prefetch(pairs, i + kAhead);
      multiply(&pairs[i], &slopes_[i]);
    }
    if (whole < pairs.size()) multiply(last.data(), &slopes_[whole]);
    const Slope* const end = &slopes_[(pairs.size() + kStep - 1) / kStep * kStep];
    for (std::size_t k = 0; k < kStep; ++k) running_[k] = end[k].prefix;
    batch_inverse(std::span<F>(running_));
    if (whole < pairs.size()) add_step(last.data(), &slopes_[whole]);
    for (std::size_t i = whole; i > 0; i -= kStep) {
      add_step(&pairs[i - kStep], &slopes_[i - kStep]);
    }
    for (const auto& [sum, point] : settled_) *sum = point;
    settled_.clear();
  }

  // The points of a step of these pairs, as far as there are any.
  static GROTH16_INLINE void prefetch(std::span<const Pair> pairs, std::size_t first) {
    for (std::size_t i = first; i < std::min(first + kStep, pairs.size()); ++i) {
      prefetch_point(pairs[i].first);
      prefetch_point(pairs[i].second);
    }
  }

  static F first_y(const Pair& pair) { return Field::negated_if(pair.negate_first, pair.first->y); }
  static F second_y(const Pair& pair) { return Field::negated_if(pair.negate_second, pair.second->y); }

  // Forward: the prefixes of the next step become the products of all denominators up to these.
  void multiply(const Pair* pairs, Slope* slopes) {
    for (std::size_t k = 0; k < kStep; ++k) {
      const Pair& pair = pairs[k];
      slopes[k].denominator = Field::difference(pair.second->x, pair.first->x);
      slopes[k].numerator = Field::difference(second_y(pair), first_y(pair));
      if (slopes[k].denominator.is_zero() || pair.first->x.is_zero() || pair.second->x.is_zero()) {
        treat_apart(pair, slopes[k]);
      }
    }
    for (std::size_t k = 0; k < kStep; ++k) {
      slopes[kStep + k].prefix = Field::product(slopes[k].prefix, slopes[k].denominator);
    }
  }

  // The pairs that the chord's formula does not serve, and some that it does: equal points get the tangent's slope, and
  // where infinity is involved the sum is known.
  __attribute__((noinline)) void treat_apart(const Pair& pair, Slope& slope) {
    const Affine<F> p = pair.first->negated_if(pair.negate_first), q = pair.second->negated_if(pair.negate_second);
    if (p == q && !p.y.is_zero()) {
      const F square = p.x.square();
      slope.numerator = square.doubled() + square;
      slope.denominator = p.y.doubled();
    } else if (p.is_infinity() || q.is_infinity() || p.x == q.x) {
      slope.denominator = F::one();
      const Affine<F> other = q.is_infinity() ? p : Affine<F>::infinity();
      settled_.emplace_back(pair.sum, p.is_infinity() ? q : other);
    }
  }

  // Backward: running_ is 1 over the product of all denominators up to these. A sum may be one of its operands, so its
  // y is written after the last of them is read.
  void add_step(const Pair* pairs, const Slope* slopes) {
    F slope[kStep], rise[kStep];
    for (std::size_t k = 0; k < kStep; ++k) slope[k] = Field::product(running_[k], slopes[k].prefix);
    for (std::size_t k = 0; k < kStep; ++k) running_[k] = Field::product(running_[k], slopes[k].denominator);
    for (std::size_t k = 0; k < kStep; ++k) slope[k] = Field::product(slope[k], slopes[k].numerator);
    for (std::size_t k = 0; k < kStep; ++k) {
      const F& x1 = pairs[k].first->x;
      const F x = Field::difference(Field::difference(Field::square(slope[k]), x1), pairs[k].second->x);
      rise[k] = Field::difference(x, x1);
      pairs[k].sum->x = x;
    }
    for (std::size_t k = 0; k < kStep; ++k) {
      const F minus_y1 = Field::negated_if(!pairs[k].negate_first, pairs[k].first->y);
      pairs[k].sum->y = Field::difference(minus_y1, Field::product(slope[k], rise[k]));
    }
  }

  std::vector<Slope> slopes_;
  std::vector<std::pair<Affine<F>*, Affine<F>>> settled_;
  std::array<F, kStep> running_;
  Affine<F> padding_[3] = {{F::one(), F::one()}, {F::one().doubled(), F::one()}, {}};
};

}  // namespace groth16
