// LanePointCheck<F>: y^2 - x^3 - b for eight points at a time.
//
// Coordinates in memory are times r = 2^(64 words), and a product of lanes divides by rho = 2^kRadixBits. A factor that
// is shifted by the bits that rho has more than r leaves a product times r, so that both sides and b are on one scale.
#pragma once

#include "groth16/algebra/lane_memory.hpp"
#include "groth16/algebra/lanes.hpp"

#if defined(GROTH16_HAS_IFMA)

#include <cstddef>
#include <cstdint>
#include <span>

#include "groth16/algebra/curve.hpp"
#include "groth16/algebra/field.hpp"
#include "groth16/algebra/tower.hpp"

namespace groth16 {

// What the check needs of a field: elements below p from memory, and y^2 - x^3 - b, raised to be positive.
template <class F>
struct LaneCurve;

template <class P>
struct LaneCurve<Fp<P>> {
  using Base = Lanes<P>;
  using Limbs = typename Base::Element;
  static constexpr std::size_t kWords = Base::kWords;
  static constexpr unsigned kExcessBits = Base::kRadixBits - 64 * Base::kWords;  // rho / r
  struct Element {
    Limbs c0;
  };

  GROTH16_IFMA static Element from_words(const __m512i* words) { return {Base::from_words(words)}; }
  GROTH16_IFMA static Element broadcast(const Fp<P>& value) { return {broadcast_limbs(value)}; }
  GROTH16_IFMA static Limbs broadcast_limbs(const Fp<P>& value) {
    return Base::constant(Base::split(value.limbs().template resized<Base::kWords + 1>()));
  }

  GROTH16_IFMA static __mmask8 is_zero(const Element& a) { return is_zero(a.c0); }
  GROTH16_IFMA static __mmask8 is_zero(const Limbs& a) {
    __m512i any = a.limb[0];
    GROTH16_UNROLL
    for (std::size_t i = 1; i < Base::kLimbs; ++i) any |= a.limb[i];
    return _mm512_cmpeq_epi64_mask(any, _mm512_setzero_si512());
  }
  GROTH16_IFMA static __mmask8 is_canonical(const Element& a) { return is_canonical(a.c0); }
  GROTH16_IFMA static __mmask8 is_canonical(const Limbs& a) {
    const Limbs less = Base::carried(Base::less(a, Base::constant(Base::template kMultiple<1>)));
    return _mm512_cmplt_epi64_mask(less.limb[Base::kLimbs - 1], _mm512_setzero_si512());
  }
  // The part of y^2 - x^3 - b that is given as its three terms, from products and canonical b: a multiple of p?
  GROTH16_IFMA static __mmask8 vanishes(const typename Base::Columns& y2, const typename Base::Columns& x3,
                                        const Limbs& b) {
    // From (-3p, 2p) to (0, 5p).
    const Limbs a = Base::carried(Base::template raised<3>(Base::less(Base::less(y2, x3), b)));
    return equals<1>(a) | equals<2>(a) | equals<3>(a) | equals<4>(a);
  }
  template <std::uint64_t multiple>
  GROTH16_IFMA static __mmask8 equals(const Limbs& a) {
    constexpr auto value = Base::template kMultiple<multiple>;
    __mmask8 mask = 0xff;
    GROTH16_UNROLL
    for (std::size_t i = 0; i < Base::kLimbs; ++i) {
      mask = _mm512_mask_cmpeq_epi64_mask(mask, a.limb[i], Base::broadcast(value.limb[i]));
    }
    return mask;
  }

  GROTH16_IFMA static __mmask8 on_curve(const Element& x, const Element& y, const Element& b) {
    const Limbs shifted_x = Base::template shifted<kExcessBits>(x.c0);
    const auto y2 = Base::product(Base::template shifted<kExcessBits>(y.c0), y.c0);
    const Limbs x2 = Base::carried(Base::product(shifted_x, x.c0));
    return vanishes(y2, Base::product(shifted_x, x2), b.c0);
  }
};

template <class P>
struct LaneCurve<Fp2<Fp<P>>> {
  using Part = LaneCurve<Fp<P>>;
  using Base = Lanes<P>;
  using Limbs = typename Base::Element;
  using Columns = typename Base::Columns;
  static constexpr std::size_t kWords = 2 * Base::kWords;
  struct Element {
    Limbs c0, c1;
  };

  GROTH16_IFMA static Element from_words(const __m512i* words) {
    return {Base::from_words(words), Base::from_words(words + Base::kWords)};
  }
  GROTH16_IFMA static Element broadcast(const Fp2<Fp<P>>& value) {
    return {Part::broadcast_limbs(value.c0), Part::broadcast_limbs(value.c1)};
  }
  GROTH16_IFMA static __mmask8 is_zero(const Element& a) { return Part::is_zero(a.c0) & Part::is_zero(a.c1); }
  GROTH16_IFMA static __mmask8 is_canonical(const Element& a) {
    return Part::is_canonical(a.c0) & Part::is_canonical(a.c1);
  }

  GROTH16_IFMA static __mmask8 on_curve(const Element& x, const Element& y, const Element& b) {
    const Factor by_x(x), by_y(y);
    const Element x2{Base::carried(by_x.c0_of(x)), Base::carried(by_x.c1_of(x))};
    return Part::vanishes(by_y.c0_of(y), by_x.c0_of(x2), b.c0) & Part::vanishes(by_y.c1_of(y), by_x.c1_of(x2), b.c1);
  }

 private:
  // A canonical factor a, prepared; times up to 2p its products take at most 2^(bits + 2) p^2, which is 64 p^2 in BN254
  // and 2^34 p^2 in BLS12-381.
  struct Factor {
    Limbs a0, a1, minus_a1;
    GROTH16_IFMA explicit Factor(const Element& a)
        : a0(Base::template shifted<Part::kExcessBits>(a.c0)),
          a1(Base::template shifted<Part::kExcessBits>(a.c1)),
          minus_a1(Base::template shifted<Part::kExcessBits>(Base::carried(Base::template complement<1>(a.c1)))) {}
    GROTH16_IFMA Columns c0_of(const Element& b) const {
      return Base::template product_sum<2>({&a0, &minus_a1}, {&b.c0, &b.c1});
    }
    GROTH16_IFMA Columns c1_of(const Element& b) const {
      return Base::template product_sum<2>({&a0, &a1}, {&b.c1, &b.c0});
    }
  };
};

template <class F>
struct LanePointCheck {
  using Curve = LaneCurve<F>;
  static constexpr std::size_t kLanes = 8;

  // How many groups of eight points, from the first on, hold nothing but points.
  GROTH16_IFMA_CALLED static std::size_t sound_groups(std::span<const Affine<F>> points, const F& b) {
    const auto b_lanes = Curve::broadcast(b);
    const std::size_t groups = points.size() / kLanes;
    for (std::size_t group = 0; group < groups; ++group) {
      const std::uint64_t* rows[kLanes];
      for (std::size_t i = 0; i < kLanes; ++i) {
        rows[i] = reinterpret_cast<const std::uint64_t*>(points.data() + group * kLanes + i);
      }
      __m512i words[2 * Curve::kWords];
      load_rows<2 * Curve::kWords>(rows, words);
      const auto x = Curve::from_words(words), y = Curve::from_words(words + Curve::kWords);
      const __mmask8 infinity = Curve::is_zero(x) & Curve::is_zero(y);
      const __mmask8 canonical = Curve::is_canonical(x) & Curve::is_canonical(y);
      const __mmask8 sound = infinity | (canonical & Curve::on_curve(x, y, b_lanes));
      if (sound != 0xff) return group;
    }
    return groups;
  }
};

}  // namespace groth16

#endif
