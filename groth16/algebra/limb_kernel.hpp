// LimbKernel<P>: modular addition and Montgomery multiplication on raw limbs. P names the modulus and nothing else;
// R = 2^(64N), R^2 and -p^-1 are computed from it.
//
// Values are limbs of a number in [0, p), in Montgomery form where a product is taken: mul(aR, bR) = abR mod p.
// Multiplication is CIOS (Koc, Acar, Kaliski 1996, "Analyzing and comparing Montgomery multiplication algorithms",
// section 5) in the form that needs no carry word because the modulus leaves the top bit of the top limb free.
// Device code has WordKernel instead. On x86-64, sums and differences are AdxKernel's at every level: no compiler makes
// a chain of carries of a loop over limbs, and one takes a third of the loop's time (an NTT of 2^18: 42 ms instead of
// 60 with portable products).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "groth16/algebra/adx_kernel.hpp"
#include "groth16/algebra/portability.hpp"
#include "groth16/algebra/uint.hpp"
#if defined(__CUDACC__)
#include "groth16/algebra/word_carry.hpp"
#include "groth16/algebra/word_kernel.hpp"
#endif

namespace groth16 {

// What follows from a modulus. P: static constexpr std::size_t kLimbs; static constexpr UInt<kLimbs> modulus().
template <class P>
struct MontgomeryConstants {
  static constexpr std::size_t kLimbs = P::kLimbs;
  using Limbs = UInt<kLimbs>;

  GROTH16_HD static constexpr Limbs modulus() { return P::modulus(); }

  // 2^exponent mod p, by doubling.
  GROTH16_HD static constexpr Limbs power_of_two(std::size_t exponent) {
    Limbs value = Limbs::from_u64(1);
    for (std::size_t i = 0; i < exponent; ++i) {
      value.add_in_place(value);  // the free top bit holds the carry
      if (value >= modulus()) value.sub_in_place(modulus());
    }
    return value;
  }
  GROTH16_HD static constexpr Limbs r() { return power_of_two(64 * kLimbs); }
  GROTH16_HD static constexpr Limbs r_squared() { return power_of_two(128 * kLimbs); }

  // -p^-1 mod 2^64 by Newton's iteration: each step doubles the number of correct low bits, 1 to 64.
  GROTH16_HD static constexpr std::uint64_t negated_inverse() {
    const std::uint64_t p = modulus().limb[0];
    std::uint64_t inverse = 1;
    for (int i = 0; i < 6; ++i) inverse *= 2 - p * inverse;
    return ~inverse + 1;
  }

  static_assert((P::modulus().limb[0] & 1) == 1, "Montgomery arithmetic needs an odd modulus");
  static_assert(P::modulus().limb[kLimbs - 1] < 0x7fffffffffffffff, "the kernel uses the modulus's free top bit");
};

template <class P>
struct LimbKernel {
  static constexpr std::size_t kLimbs = P::kLimbs;
  using Constants = MontgomeryConstants<P>;
  using Limbs = UInt<kLimbs>;

  // On a device every operation is WordKernel's, and a sum of products costs less than its products.
#if defined(__CUDA_ARCH__)
  using Device = WordKernel<P, PtxCarry>;
  static constexpr bool kMergesProducts = Device::kMaxProducts >= 4;

  __device__ static __forceinline__ Limbs add(const Limbs& a, const Limbs& b) {
    return Device::join(Device::add(Device::split(a), Device::split(b)));
  }
  __device__ static __forceinline__ Limbs sub(const Limbs& a, const Limbs& b) {
    return Device::join(Device::sub(Device::split(a), Device::split(b)));
  }
  __device__ static __forceinline__ Limbs mul(const Limbs& a, const Limbs& b) {
    return Device::join(Device::mul(Device::split(a), Device::split(b)));
  }
  __device__ static __forceinline__ Limbs sqr(const Limbs& a) { return Device::join(Device::sqr(Device::split(a))); }
  // The sum of a[k] * b[k] / R mod p, for factors up to p; K at most Device::kMaxProducts.
  template <std::size_t K>
  __device__ static __forceinline__ Limbs sum_of_products(const Limbs (&a)[K], const Limbs (&b)[K]) {
    typename Device::Words a_words[K], b_words[K];
    GROTH16_UNROLL
    for (std::size_t k = 0; k < K; ++k) {
      a_words[k] = Device::split(a[k]);
      b_words[k] = Device::split(b[k]);
    }
    return Device::join(Device::sum_of_products(a_words, b_words));
  }
  // p - a, p for 0: a negated factor of a sum of products.
  __device__ static __forceinline__ Limbs complement(const Limbs& a) {
    return Device::join(Device::complement(Device::split(a)));
  }
#else
  static constexpr bool kMergesProducts = false;

#if defined(GROTH16_HAS_ADX)
  static constexpr auto kAdxModulus = AdxKernel<kLimbs>::modulus(Constants::modulus(), Constants::negated_inverse());
#endif

  GROTH16_HD static GROTH16_INLINE constexpr Limbs add(const Limbs& a, const Limbs& b) {
#if defined(GROTH16_HAS_ADX)
    if (!std::is_constant_evaluated()) return AdxKernel<kLimbs>::sum(a, b, kAdxModulus);
#endif
    Limbs sum = a;
    add_limbs(sum, b);
    return reduce_once(sum);
  }

  GROTH16_HD static GROTH16_INLINE constexpr Limbs sub(const Limbs& a, const Limbs& b) {
#if defined(GROTH16_HAS_ADX)
    if (!std::is_constant_evaluated()) return AdxKernel<kLimbs>::difference(a, b, kAdxModulus);
#endif
    constexpr Limbs p = Constants::modulus();
    Limbs difference = a;
    const std::uint64_t borrow = sub_limbs(difference, b);
    Limbs correction{};
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kLimbs; ++i) correction.limb[i] = p.limb[i] & (0 - borrow);
    add_limbs(difference, correction);
    return difference;
  }

  // a * b / R mod p, for a below p and any b below 2^(64N).
  GROTH16_HD static GROTH16_OUTLINED constexpr Limbs mul(const Limbs& a, const Limbs& b) {
#if defined(GROTH16_HAS_ADX)
    if (!std::is_constant_evaluated() && kUseAdx) return AdxKernel<kLimbs>::product(a, b, kAdxModulus);
#endif
    return mul_limbs(a, b);
  }

  GROTH16_HD static GROTH16_INLINE constexpr Limbs sqr(const Limbs& a) { return mul(a, a); }
#endif

 private:
#if !defined(__CUDA_ARCH__)
  GROTH16_HD static GROTH16_INLINE constexpr void add_limbs(Limbs& a, const Limbs& b) {
    std::uint64_t carry = 0;
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kLimbs; ++i) {
      const UInt128 sum = UInt128{a.limb[i]} + b.limb[i] + carry;
      a.limb[i] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64);
    }
  }

  GROTH16_HD static GROTH16_INLINE constexpr std::uint64_t sub_limbs(Limbs& a, const Limbs& b) {
    std::uint64_t borrow = 0;
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kLimbs; ++i) {
      const UInt128 difference = UInt128{a.limb[i]} - b.limb[i] - borrow;
      a.limb[i] = static_cast<std::uint64_t>(difference);
      borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
    }
    return borrow;
  }

  // From [0, 2p) to [0, p), without a branch.
  GROTH16_HD static GROTH16_INLINE constexpr Limbs reduce_once(const Limbs& a) {
    constexpr Limbs p = Constants::modulus();
    Limbs reduced = a;
    const bool is_below = sub_limbs(reduced, p) != 0;
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kLimbs; ++i) reduced.limb[i] = is_below ? a.limb[i] : reduced.limb[i];
    return reduced;
  }

  // value = low word of value + x * y + carry; returns the high word.
  static GROTH16_INLINE constexpr std::uint64_t multiply_add(std::uint64_t& value, std::uint64_t x, std::uint64_t y,
                                                             std::uint64_t carry) {
    const UInt128 sum = UInt128{x} * y + value + carry;
    value = static_cast<std::uint64_t>(sum);
    return static_cast<std::uint64_t>(sum >> 64);
  }

  static GROTH16_INLINE constexpr Limbs mul_limbs(const Limbs& a, const Limbs& b) {
    constexpr Limbs p = Constants::modulus();
    constexpr std::uint64_t negated_inverse = Constants::negated_inverse();
    Limbs t{};
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kLimbs; ++i) {
      std::uint64_t top = 0;
      GROTH16_UNROLL
      for (std::size_t j = 0; j < kLimbs; ++j) top = multiply_add(t.limb[j], a.limb[j], b.limb[i], top);
      const std::uint64_t m = t.limb[0] * negated_inverse;
      std::uint64_t carry = multiply_add(t.limb[0], m, p.limb[0], 0);
      GROTH16_UNROLL
      for (std::size_t j = 1; j < kLimbs; ++j) {
        carry = multiply_add(t.limb[j], m, p.limb[j], carry);
        t.limb[j - 1] = t.limb[j];
      }
      t.limb[kLimbs - 1] = top + carry;
    }
    return reduce_once(t);
  }
#endif
};

}  // namespace groth16
