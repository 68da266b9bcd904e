// LanePairAdder: affine additions eight at a time, on points as they lie in memory.
//
// Points keep the Montgomery form of memory, coordinates times r = 2^(64 words), while a product of lanes divides by
// rho = 2^kRadixBits. With differences d = r dx and inverses scaled to k / d, the slope is (k / rho) dy / dx, its
// square (k / rho)^2 / rho, and that is times r when k = rho sqrt(r rho). The last product needs the slope times rho: a
// shift by half of the bits that rho has more than r. So nothing is ever converted, and keys are used where they are.
#pragma once

#include "groth16/algebra/lane_field.hpp"
#include "groth16/algebra/lane_memory.hpp"
#include "groth16/algebra/pair_adder.hpp"

#if defined(GROTH16_HAS_IFMA)

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace groth16 {

template <class F>
class LanePairAdder final : public PairAdder<F> {
 public:
  LanePairAdder() : prefixes_(kGroups), marks_(kGroups) {}

  void add(std::span<const PointPair<F>> pairs) override {
    for (; pairs.size() > PairAdder<F>::kBatch; pairs = pairs.subspan(PairAdder<F>::kBatch)) {
      add_batch(pairs.first(PairAdder<F>::kBatch));
    }
    if (!pairs.empty()) add_batch(pairs);
  }

 private:
  using Field = LaneField<F>;
  using Base = typename Field::Base;
  using Element = typename Field::Element;
  using Constants = MontgomeryConstants<typename F::Prime::Params>;
  using Pair = PointPair<F>;

  static constexpr std::size_t kLanes = 8;
  static constexpr std::size_t kGroups = PairAdder<F>::kBatch / kLanes;
  static constexpr std::size_t kExcessBits = Base::kRadixBits - 64 * Base::kWords;  // rho / r
  static constexpr std::size_t kPointWords = 2 * Field::kWords;
  static constexpr std::size_t kAhead = 3;  // groups between a request for points of the memory and their use
  static_assert(sizeof(Affine<F>) == 8 * kPointWords && kExcessBits % 2 == 0);

  // Lanes of a group that the chord's formula does not serve.
  struct Marks {
    std::uint8_t doubled = 0;  // equal points: the tangent's
    std::uint8_t settled = 0;  // infinity is involved: the sum is in settled_ already
  };
  struct alignas(64) Stored {
    std::uint64_t words[sizeof(Element) / 8];
  };

  void add_batch(std::span<const Pair> pairs) {
    const std::size_t groups = (pairs.size() + kLanes - 1) / kLanes;
    std::array<Pair, kLanes> last;
    last.fill({&padding_[0], &padding_[1], &padding_[2]});
    const std::size_t full = groups - 1;
    for (std::size_t i = full * kLanes; i < pairs.size(); ++i) last[i - full * kLanes] = pairs[i];

    start();
    for (std::size_t group = 0; group < full; ++group) {
      if (group + kAhead < full) prefetch(&pairs[(group + kAhead) * kLanes]);
      multiply(&pairs[group * kLanes], group);
    }
    multiply(last.data(), full);
    invert_product();
    add_group(last.data(), full);
    for (std::size_t group = full; group-- > 0;) add_group(&pairs[group * kLanes], group);
    for (const auto& [sum, point] : settled_) *sum = point;
    settled_.clear();
  }

  static GROTH16_INLINE void prefetch(const Pair* pairs) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      prefetch_point(pairs[i].first);
      prefetch_point(pairs[i].second);
    }
  }

  static const std::uint64_t* words(const Affine<F>* point) { return reinterpret_cast<const std::uint64_t*>(point); }

  template <std::size_t Words>
  GROTH16_IFMA static void load(const Pair* pairs, const Affine<F>* Pair::*operand, __m512i (&out)[Words]) {
    const std::uint64_t* rows[kLanes];
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kLanes; ++i) rows[i] = words(pairs[i].*operand);
    load_rows<Words>(rows, out);
  }
  GROTH16_IFMA static Element load_x(const Pair* pairs, const Affine<F>* Pair::*operand) {
    constexpr std::size_t kRead = (Field::kWords + 3) / 4 * 4;
    __m512i read[kRead];
    load<kRead>(pairs, operand, read);
    return Field::from_words(read);
  }
  GROTH16_IFMA static __mmask8 signs(const Pair* pairs, bool Pair::*negate) {
    unsigned mask = 0;
    GROTH16_UNROLL
    for (unsigned i = 0; i < kLanes; ++i) mask |= static_cast<unsigned>(pairs[i].*negate) << i;
    return static_cast<__mmask8>(mask);
  }
  GROTH16_IFMA static void store(const Element& value, Stored& out) { *reinterpret_cast<Element*>(&out) = value; }
  GROTH16_IFMA static Element stored(const Stored& in) { return *reinterpret_cast<const Element*>(&in); }

  GROTH16_IFMA_CALLED void start() { store(Field::constant({{1}}), running_); }

  // Forward: prefixes_[group] is the product of all differences before the group's.
  GROTH16_IFMA_CALLED void multiply(const Pair* pairs, std::size_t group) {
    const Element x1 = load_x(pairs, &Pair::first), x2 = load_x(pairs, &Pair::second);
    Element difference = Field::difference(x2, x1);
    const __mmask8 suspects = Field::may_vanish(difference) | Field::may_be_zero(x1) | Field::may_be_zero(x2);
    marks_[group] = suspects == 0 ? Marks{} : sort(pairs, suspects);
    if (suspects != 0) difference = corrected_difference(pairs, marks_[group], difference);
    const Element product = stored(running_);
    store(product, prefixes_[group]);
    store(Field::product(product, difference), running_);
  }

  // Turns the product of each lane into k over it.
  void invert_product() {
    F lanes[kLanes];
    running_to_memory(lanes);
    for (F& lane : lanes) lane = canonical_coordinate(lane);
    batch_inverse(std::span<F>(lanes));
    for (F& lane : lanes) lane = scaled(lane);
    running_from_memory(lanes);
  }
  GROTH16_IFMA_CALLED void running_to_memory(F* lanes) {
    __m512i columns[(Field::kWords + 3) / 4 * 4];
    for (auto& column : columns) column = _mm512_setzero_si512();
    Field::to_words(stored(running_), columns);
    alignas(64) std::uint64_t rows[Field::kWords][kLanes];
    for (std::size_t i = 0; i < Field::kWords; ++i) _mm512_store_si512(rows[i], columns[i]);
    auto* const out = reinterpret_cast<std::uint64_t*>(lanes);
    for (std::size_t i = 0; i < Field::kWords * kLanes; ++i) out[i] = rows[i % Field::kWords][i / Field::kWords];
  }
  GROTH16_IFMA_CALLED void running_from_memory(const F* lanes) {
    const auto* const in = reinterpret_cast<const std::uint64_t*>(lanes);
    alignas(64) std::uint64_t rows[Field::kWords][kLanes];
    for (std::size_t i = 0; i < Field::kWords * kLanes; ++i) rows[i % Field::kWords][i / Field::kWords] = in[i];
    __m512i columns[Field::kWords];
    for (std::size_t i = 0; i < Field::kWords; ++i) columns[i] = _mm512_load_si512(rows[i]);
    store(Field::from_words(columns), running_);
  }
  // Limbs r^2 / d become k / d.
  static F scaled(const F& inverse) {
    using Prime = typename F::Prime;
    constexpr auto factor = Constants::power_of_two((3 * Base::kRadixBits - 64 * Base::kWords) / 2);
    const Prime k = Prime::from_montgomery_limbs(factor);
    if constexpr (std::is_same_v<F, Prime>) {
      return inverse * k;
    } else {
      return inverse.scaled(k);
    }
  }

  // Backward: running_ is k over the product of all differences up to the group's.
  GROTH16_IFMA_CALLED void add_group(const Pair* pairs, std::size_t group) {
    __m512i first[kPointWords], second[kPointWords];
    load<kPointWords>(pairs, &Pair::first, first);
    load<kPointWords>(pairs, &Pair::second, second);
    const Element x1 = Field::from_words(first), y1 = Field::from_words(first + Field::kWords);
    const Element x2 = Field::from_words(second), y2 = Field::from_words(second + Field::kWords);
    const __mmask8 negate_first = signs(pairs, &Pair::negate_first);
    Element dx = Field::difference(x2, x1);
    Element dy = Field::difference(y2, signs(pairs, &Pair::negate_second), y1, negate_first);
    const Marks marks = marks_[group];
    if ((marks.doubled | marks.settled) != 0) {
      dx = corrected_difference(pairs, marks, dx);
      dy = Field::chosen(marks.doubled, dy, tangent_numerator(x1));
    }
    const Element inverse = stored(running_);
    const Element slope = Field::product(Field::product(inverse, stored(prefixes_[group])), dy);
    store(Field::product(inverse, dx), running_);
    const Element x3 = Field::square_less(slope, x1, x2);
    const Element y3 =
        Field::template shifted_product_less<kExcessBits / 2>(slope, Field::difference(x1, x3), y1, negate_first);
    Field::to_words(x3, first);
    Field::to_words(y3, first + Field::kWords);
    std::uint64_t* rows[kLanes];
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kLanes; ++i) rows[i] = reinterpret_cast<std::uint64_t*>(pairs[i].sum);
    store_rows<kPointWords>(first, rows);
  }

  // 3 x^2: the square of lanes is r x^2 r / rho.
  GROTH16_IFMA_CALLED static Element tangent_numerator(const Element& x) {
    constexpr auto tripled = [] {
      const auto power = Constants::power_of_two(2 * Base::kRadixBits - 64 * Base::kWords);
      const auto twice = LimbKernel<typename F::Prime::Params>::add(power, power);
      return Base::split(LimbKernel<typename F::Prime::Params>::add(twice, power).template resized<Base::kWords + 1>());
    }();
    return Field::product(Field::constant(tripled), Field::square(x));
  }

  GROTH16_IFMA_CALLED static Element corrected_difference(const Pair* pairs, Marks marks, const Element& difference) {
    __m512i first[kPointWords];
    load<kPointWords>(pairs, &Pair::first, first);
    const Element y1 = Field::from_words(first + Field::kWords);
    const Element tangent = Field::doubled(y1, signs(pairs, &Pair::negate_first));
    return Field::chosen(marks.settled, Field::chosen(marks.doubled, difference, tangent), Field::constant({{1}}));
  }

  // What the suspects are, by exact comparison.
  Marks sort(const Pair* pairs, unsigned suspects) {
    Marks marks;
    for (unsigned i = 0; i < kLanes; ++i) {
      if ((suspects >> i & 1) == 0) continue;
      const auto p = canonical(*pairs[i].first).negated_if(pairs[i].negate_first);
      const auto q = canonical(*pairs[i].second).negated_if(pairs[i].negate_second);
      const bool is_chord = !p.is_infinity() && !q.is_infinity() && !(p.x == q.x);
      if (is_chord) continue;
      const bool is_tangent = p == q && !p.y.is_zero();
      if (is_tangent) {
        marks.doubled = static_cast<std::uint8_t>(marks.doubled | 1u << i);
      } else {
        marks.settled = static_cast<std::uint8_t>(marks.settled | 1u << i);
        const auto other = q.is_infinity() ? p : Affine<F>::infinity();
        settled_.emplace_back(pairs[i].sum, p.is_infinity() ? q : other);
      }
    }
    return marks;
  }

  std::vector<Stored> prefixes_;
  std::vector<Marks> marks_;
  std::vector<std::pair<Affine<F>*, Affine<F>>> settled_;
  Stored running_;
  Affine<F> padding_[3] = {{F::one(), F::one()}, {F::one().doubled(), F::one()}, {}};
};

}  // namespace groth16

#endif
