// AdxField<F>: the arithmetic of a point's coordinates F, a prime field or Fp2 over one, in AdxKernel's instructions.
// Results are canonical for operands that are; the negative of 0 comes out as p, which every operand may be.
#pragma once

#include "groth16/algebra/adx_kernel.hpp"
#include "groth16/algebra/field.hpp"
#include "groth16/algebra/tower.hpp"

#if defined(GROTH16_HAS_ADX)

#include <cstdint>

namespace groth16 {

template <class F>
struct AdxField;

template <class P>
struct AdxField<Fp<P>> {
  using F = Fp<P>;
  using Kernel = AdxKernel<P::kLimbs>;
  static constexpr const auto& kModulus = F::Kernel::kAdxModulus;

  static GROTH16_INLINE F product(const F& a, const F& b) {
    return F::from_montgomery_limbs(Kernel::product(a.limbs(), b.limbs(), kModulus));
  }
  static GROTH16_INLINE F square(const F& a) { return product(a, a); }
  static GROTH16_INLINE F sum_of_products(const F& a0, const F& b0, const F& a1, const F& b1) {
    static_assert(P::modulus().limb[P::kLimbs - 1] < ~std::uint64_t{0} / 3);
    return F::from_montgomery_limbs(Kernel::sum_of_products(a0.limbs(), b0.limbs(), a1.limbs(), b1.limbs(), kModulus));
  }
  static GROTH16_INLINE F difference(const F& a, const F& b) {
    return F::from_montgomery_limbs(Kernel::difference(a.limbs(), b.limbs(), kModulus));
  }
  static GROTH16_INLINE F negated_if(bool negate, const F& a) {
    return F::from_montgomery_limbs(Kernel::negated_if(-std::uint64_t{negate}, a.limbs(), kModulus));
  }
};

// Products are calls: in line, those of a point's sum would fill the instruction cache.
template <class Base>
struct AdxField<Fp2<Base>> {
  using F = Fp2<Base>;
  using Prime = AdxField<Base>;

  static __attribute__((noinline)) F product(const F& a, const F& b) {
    const Base minus_b1 = Prime::negated_if(true, b.c1);
    return {Prime::sum_of_products(a.c0, b.c0, a.c1, minus_b1), Prime::sum_of_products(a.c0, b.c1, a.c1, b.c0)};
  }
  // (a0 + a1) (a0 - a1) and (2 a0) a1.
  static __attribute__((noinline)) F square(const F& a) {
    const Base minus_a1 = Prime::negated_if(true, a.c1), minus_a0 = Prime::negated_if(true, a.c0);
    const Base sum = Prime::difference(a.c0, minus_a1), twice = Prime::difference(a.c0, minus_a0);
    return {Prime::product(sum, Prime::difference(a.c0, a.c1)), Prime::product(twice, a.c1)};
  }
  static GROTH16_INLINE F difference(const F& a, const F& b) {
    return {Prime::difference(a.c0, b.c0), Prime::difference(a.c1, b.c1)};
  }
  static GROTH16_INLINE F negated_if(bool negate, const F& a) {
    return {Prime::negated_if(negate, a.c0), Prime::negated_if(negate, a.c1)};
  }
};

}  // namespace groth16

#endif
