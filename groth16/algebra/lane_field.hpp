// LaneField<F>: eight coordinates of points at a time, for F a prime field or its quadratic extension, with the few
// operations that affine additions are made of. Ranges are those of Lanes.
#pragma once

#include "groth16/algebra/lanes.hpp"

#if defined(GROTH16_HAS_IFMA)

#include "groth16/algebra/field.hpp"
#include "groth16/algebra/tower.hpp"

namespace groth16 {

template <class F>
struct LaneField;

template <class P>
struct LaneField<Fp<P>> {
  using Base = Lanes<P>;
  using Element = typename Base::Element;
  static constexpr std::size_t kWords = Base::kWords;

  GROTH16_IFMA static Element from_words(const __m512i* words) { return Base::from_words(words); }
  GROTH16_IFMA static void to_words(const Element& a, __m512i* words) { Base::to_words(a, words); }
  // The same number in every lane, below 2p.
  GROTH16_IFMA static Element constant(const typename Base::Split& value) { return Base::constant(value); }

  // a is a product, b is wide; the result is a product.
  GROTH16_IFMA static Element product(const Element& a, const Element& b) { return Base::carried(Base::product(a, b)); }
  // Of products or loose elements.
  GROTH16_IFMA static Element square(const Element& a) { return product(a, a); }
  // b - a: of loose elements to wide.
  GROTH16_IFMA static Element difference(const Element& b, const Element& a) {
    return Base::carried(Base::template raised<3>(Base::less(b, a)));
  }
  // The same with b, a or both negated where a mask is set; there they are below p.
  GROTH16_IFMA static Element difference(const Element& b, __mmask8 negate_b, const Element& a, __mmask8 negate_a) {
    return Base::carried(
        Base::template raised<3>(Base::less(Base::negated_where(negate_b, b), Base::negated_where(negate_a, a))));
  }
  // 2a, a negated where the mask is set: of loose elements to wide.
  GROTH16_IFMA static Element doubled(const Element& a, __mmask8 negate) {
    const auto columns = Base::negated_where(negate, a);
    return Base::carried(Base::sum(columns, columns));
  }
  // a^2 - b - c, loose; a is a product, b and c are loose.
  GROTH16_IFMA static Element square_less(const Element& a, const Element& b, const Element& c) {
    return Base::template reduced<2>(Base::less(Base::less(Base::product(a, a), b), c));
  }
  // (2^Shift a) b - c, loose, c negated where the mask is set; a is a product, b is wide, c is loose.
  template <unsigned Shift>
  GROTH16_IFMA static Element shifted_product_less(const Element& a, const Element& b, const Element& c,
                                                   __mmask8 negate) {
    return Base::template reduced<1>(
        Base::less(Base::product(Base::template shifted<Shift>(a), b), Base::negated_where(negate, c)));
  }
  GROTH16_IFMA static Element chosen(__mmask8 mask, const Element& a, const Element& b) {
    return Base::chosen(mask, a, b);
  }
  GROTH16_IFMA static __mmask8 may_vanish(const Element& a) { return Base::may_vanish(a); }
  // Lanes where the low limb is zero: all zeros, one in 2^52 of the others.
  GROTH16_IFMA static __mmask8 may_be_zero(const Element& a) {
    return _mm512_cmpeq_epi64_mask(a.limb[0], _mm512_setzero_si512());
  }
};

template <class P>
struct LaneField<Fp2<Fp<P>>> {
  using Base = Lanes<P>;
  using Part = LaneField<Fp<P>>;
  using Limbs = typename Base::Element;
  struct Element {
    Limbs c0, c1;
  };
  static constexpr std::size_t kWords = 2 * Base::kWords;

  GROTH16_IFMA static Element from_words(const __m512i* words) {
    return {Base::from_words(words), Base::from_words(words + Base::kWords)};
  }
  GROTH16_IFMA static void to_words(const Element& a, __m512i* words) {
    Base::to_words(a.c0, words);
    Base::to_words(a.c1, words + Base::kWords);
  }
  GROTH16_IFMA static Element constant(const typename Base::Split& value) {
    return {Base::constant(value), Base::constant({})};
  }

  GROTH16_IFMA static Element product(const Element& a, const Element& b) {
    const Columns2 columns = products(a.c0, a.c1, Base::carried(Base::template complement<2>(a.c1)), b);
    return {Base::carried(columns.c0), Base::carried(columns.c1)};
  }
  GROTH16_IFMA static Element square(const Element& a) {
    const Columns2 columns = squares(a);
    return {Base::carried(columns.c0), Base::carried(columns.c1)};
  }
  GROTH16_IFMA static Element difference(const Element& b, const Element& a) {
    return {Part::difference(b.c0, a.c0), Part::difference(b.c1, a.c1)};
  }
  GROTH16_IFMA static Element difference(const Element& b, __mmask8 negate_b, const Element& a, __mmask8 negate_a) {
    return {Part::difference(b.c0, negate_b, a.c0, negate_a), Part::difference(b.c1, negate_b, a.c1, negate_a)};
  }
  GROTH16_IFMA static Element doubled(const Element& a, __mmask8 negate) {
    return {Part::doubled(a.c0, negate), Part::doubled(a.c1, negate)};
  }
  GROTH16_IFMA static Element square_less(const Element& a, const Element& b, const Element& c) {
    const Columns2 columns = squares(a);
    return {Base::template reduced<2>(Base::less(Base::less(columns.c0, b.c0), c.c0)),
            Base::template reduced<2>(Base::less(Base::less(columns.c1, b.c1), c.c1))};
  }
  // With a up to 1.4 p and b up to 5 p, the shift by 2 bits of BN254 gives (4 * 1.4 + 4 * 2) * 5 p^2 = 68 p^2 < 84 p^2.
  template <unsigned Shift>
  GROTH16_IFMA static Element shifted_product_less(const Element& a, const Element& b, const Element& c,
                                                   __mmask8 negate) {
    const Limbs a0 = Base::template shifted<Shift>(a.c0), a1 = Base::template shifted<Shift>(a.c1);
    const Limbs minus_a1 = Base::template shifted<Shift>(Base::carried(Base::template complement<2>(a.c1)));
    const Columns2 columns = products(a0, a1, minus_a1, b);
    return {Base::template reduced<1>(Base::less(columns.c0, Base::negated_where(negate, c.c0))),
            Base::template reduced<1>(Base::less(columns.c1, Base::negated_where(negate, c.c1)))};
  }
  GROTH16_IFMA static Element chosen(__mmask8 mask, const Element& a, const Element& b) {
    return {Base::chosen(mask, a.c0, b.c0), Base::chosen(mask, a.c1, b.c1)};
  }
  GROTH16_IFMA static __mmask8 may_vanish(const Element& a) { return Base::may_vanish(a.c0); }
  GROTH16_IFMA static __mmask8 may_be_zero(const Element& a) { return Part::may_be_zero(a.c0); }

 private:
  struct Columns2 {
    typename Base::Columns c0, c1;
  };
  // a0 b0 - a1 b1 and a0 b1 + a1 b0. Four half products and two reductions are as many multiplications as Karatsuba's
  // three products, and need fewer additions. Called, because three copies of it would not fit an instruction cache.
  GROTH16_IFMA_CALLED static Columns2 products(const Limbs& a0, const Limbs& a1, const Limbs& minus_a1,
                                               const Element& b) {
    return {Base::template product_sum<2>({&a0, &minus_a1}, {&b.c0, &b.c1}),
            Base::template product_sum<2>({&a0, &a1}, {&b.c1, &b.c0})};
  }
  // (a0 + a1)(a0 - a1) and 2 a0 a1.
  GROTH16_IFMA static Columns2 squares(const Element& a) {
    const Limbs sum = Base::carried(Base::sum(a.c0, a.c1));
    const Limbs difference = Part::difference(a.c0, a.c1);
    const Limbs twice = Base::carried(Base::sum(a.c0, a.c0));
    return {Base::product(sum, difference), Base::product(twice, a.c1)};
  }
};

}  // namespace groth16

#endif
