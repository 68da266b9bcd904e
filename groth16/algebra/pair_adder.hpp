// PairAdder: many independent sums of two affine points with one inversion for thousands of them: the slope of a chord
// needs 1 / (x2 - x1), and Montgomery's trick (1987) turns n inversions into one and 3n products, so that an addition
// costs 6 products where the best mixed formula without an inversion needs 10.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "groth16/algebra/cpu_level.hpp"
#include "groth16/algebra/curve.hpp"
#include "groth16/algebra/curves.hpp"

namespace groth16 {

// *sum = (+-) *first (+-) *second.
template <class F>
struct PointPair {
  const Affine<F>* first;
  const Affine<F>* second;
  Affine<F>* sum;
  bool negate_first = false;
  bool negate_second = false;
};

// Every pair has the right sum: equal and opposite points and infinity included. A sum's coordinates may come out not
// canonical (limbs below 2.1 p); operands may be such sums, except those that are negated. canonical() mends a point.
// One sum may be one of its own operands, but no operand of another pair. Not for use by several threads at once.
template <class F>
class PairAdder {
 public:
  // Pairs that share an inversion. 2^11 cost it a fiftieth of their time, and their points stay in a second-level
  // cache.
  static constexpr std::size_t kBatch = 2048;

  virtual ~PairAdder() = default;
  virtual void add(std::span<const PointPair<F>> pairs) = 0;  // any number
};

// Asks the memory for a point. Always in line: a compiler drops the call of a function that does nothing but this.
template <class F>
GROTH16_INLINE void prefetch_point(const Affine<F>* point) {
  const auto* const bytes = reinterpret_cast<const char*>(point);
  for (std::size_t at = 0; at < sizeof(*point); at += 64) __builtin_prefetch(bytes + at);
  __builtin_prefetch(bytes + sizeof(*point) - 1);  // points may begin anywhere in a line
}

// The adder of a level that this machine has. Memory: less than 1 MiB.
template <class F>
std::unique_ptr<PairAdder<F>> make_pair_adder(CpuLevel level);

// The point with limbs below p.
template <class P>
Fp<P> canonical_coordinate(const Fp<P>& value) {
  auto limbs = value.limbs();
  while (limbs >= P::modulus()) limbs.sub_in_place(P::modulus());
  return Fp<P>::from_montgomery_limbs(limbs);
}
template <class F>
Fp2<F> canonical_coordinate(const Fp2<F>& value) {
  return {canonical_coordinate(value.c0), canonical_coordinate(value.c1)};
}
template <class F>
Affine<F> canonical(const Affine<F>& point) {
  return {canonical_coordinate(point.x), canonical_coordinate(point.y)};
}

#define GROTH16_DECLARE_PAIR_ADDER(F) extern template std::unique_ptr<PairAdder<F>> make_pair_adder(CpuLevel level);
GROTH16_FOR_EACH_POINT_FIELD(GROTH16_DECLARE_PAIR_ADDER)
#undef GROTH16_DECLARE_PAIR_ADDER

}  // namespace groth16
