// Lanes<P>: eight elements of a prime field at a time, one in each 64-bit lane of the AVX-512 registers, multiplied by
// IFMA's 52-bit multiply-add (Gueron, Krasnov 2016, "Accelerating big integer arithmetic using Intel IFMA extensions").
//
// An element is kLimbs limbs of 52 bits; limb i of all eight is one register. No operation ends in a comparison with p:
// a product is below a b / 2^kRadixBits + p (Montgomery 1985), which is below 2p while the ranges of its factors
// multiply to at most 2^kRadixBits p. That is 84 p^2 in the base field of BN254, 2^35 p^2 in that of BLS12-381, and 84
// and 35 p^2 in their scalar fields. The ranges that occur:
//
//   product   [0, 2p)              what products return
//   loose     [0, 2p + p/512)      what reduced() returns and points in memory hold
//   wide      [0, 5p + p/256)      differences of loose elements, raised by 3p; a factor may be wide
//
// Columns are limbs in the middle of a computation: signed, of any size that fits a lane.
#pragma once

#include "groth16/algebra/ifma.hpp"

#if defined(GROTH16_HAS_IFMA)

#include <cstddef>
#include <cstdint>

#include "groth16/algebra/limb_kernel.hpp"
#include "groth16/algebra/uint.hpp"

namespace groth16 {

template <class P>
struct Lanes {
  static constexpr std::size_t kWords = P::kLimbs;  // 64-bit words of an element in memory
  static constexpr unsigned kLimbBits = 52;
  static constexpr std::size_t kLimbs = (P::modulus().bit_length() + 5 + kLimbBits - 1) / kLimbBits;
  static constexpr std::size_t kRadixBits = kLimbs * kLimbBits;
  static constexpr std::uint64_t kMask = (std::uint64_t{1} << kLimbBits) - 1;

  struct Columns {
    __m512i limb[kLimbs];
  };
  struct Element : Columns {};  // every limb in [0, 2^52)

  // A number below 2^kRadixBits in 52-bit limbs.
  struct Split {
    std::uint64_t limb[kLimbs];
  };
  static constexpr Split split(UInt<kWords + 1> value) {
    Split out{};
    for (std::size_t i = 0; i < kLimbs; ++i) {
      out.limb[i] = value.limb[0] & kMask;
      value = value >> kLimbBits;
    }
    return out;
  }
  static constexpr Split multiple_of_p(std::uint64_t multiple) {
    UInt<kWords + 1> value = P::modulus().template resized<kWords + 1>();
    value.mul_word_in_place(multiple);
    return split(value);
  }
  template <std::uint64_t multiple>
  static constexpr Split kMultiple = multiple_of_p(multiple);
  static constexpr std::uint64_t kNegatedInverse = MontgomeryConstants<P>::negated_inverse() & kMask;

  GROTH16_IFMA static __m512i broadcast(std::uint64_t value) {
    return _mm512_set1_epi64(static_cast<long long>(value));
  }
  GROTH16_IFMA static Element constant(const Split& value) {
    Element out;
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kLimbs; ++i) out.limb[i] = broadcast(value.limb[i]);
    return out;
  }

  // Columns whose sum is not negative and below 2^kRadixBits, as limbs.
  GROTH16_IFMA static Element carried(const Columns& a) {
    const __m512i mask = broadcast(kMask);
    Element out;
    __m512i column = a.limb[0];
    GROTH16_UNROLL
    for (std::size_t i = 0; i + 1 < kLimbs; ++i) {
      out.limb[i] = column & mask;
      column = a.limb[i + 1] + (column >> kLimbBits);
    }
    out.limb[kLimbs - 1] = column;
    return out;
  }

  // Steps times: adds 2p where the sum of the columns is negative; then limbs. From (-2 Steps p, 2p) to loose. The sign
  // is judged by the top column, which misses a carry between -3 and 2^6 of the columns below: so that no negative sum
  // passes, small positive ones are raised too, to at most 2p and 2^7 units of the top limb.
  template <unsigned Steps>
  GROTH16_IFMA static Element reduced(Columns a) {
    constexpr Split two_p = kMultiple<2>;
    GROTH16_UNROLL
    for (unsigned step = 0; step < Steps; ++step) {
      const __mmask8 negative = _mm512_cmplt_epi64_mask(a.limb[kLimbs - 1], broadcast(4));
      GROTH16_UNROLL
      for (std::size_t i = 0; i < kLimbs; ++i) {
        a.limb[i] = _mm512_mask_add_epi64(a.limb[i], negative, a.limb[i], broadcast(two_p.limb[i]));
      }
    }
    return carried(a);
  }

  // (sum of a[k] b[k]) / 2^kRadixBits, the reduction interleaved; columns below 2^58.
  template <std::size_t K>
  GROTH16_IFMA static Columns product_sum(const Element* const (&a)[K], const Element* const (&b)[K]) {
    constexpr Split p = kMultiple<1>;
    const __m512i zero = _mm512_setzero_si512(), inverse = broadcast(kNegatedInverse);
    Columns t;
    GROTH16_UNROLL
    for (std::size_t j = 0; j < kLimbs; ++j) t.limb[j] = zero;
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kLimbs; ++i) {
      GROTH16_UNROLL
      for (std::size_t k = 0; k < K; ++k) {
        GROTH16_UNROLL
        for (std::size_t j = 0; j < kLimbs; ++j) {
          t.limb[j] = _mm512_madd52lo_epu64(t.limb[j], a[k]->limb[j], b[k]->limb[i]);
        }
      }
      const __m512i m = _mm512_madd52lo_epu64(zero, t.limb[0], inverse);
      const __m512i cleared = _mm512_madd52lo_epu64(t.limb[0], m, broadcast(p.limb[0]));
      GROTH16_UNROLL
      for (std::size_t j = 1; j < kLimbs; ++j) {
        t.limb[j - 1] = _mm512_madd52lo_epu64(t.limb[j], m, broadcast(p.limb[j]));
      }
      t.limb[kLimbs - 1] = zero;
      t.limb[0] += cleared >> kLimbBits;
      GROTH16_UNROLL
      for (std::size_t k = 0; k < K; ++k) {
        GROTH16_UNROLL
        for (std::size_t j = 0; j < kLimbs; ++j) {
          t.limb[j] = _mm512_madd52hi_epu64(t.limb[j], a[k]->limb[j], b[k]->limb[i]);
        }
      }
      GROTH16_UNROLL
      for (std::size_t j = 0; j < kLimbs; ++j) {
        t.limb[j] = _mm512_madd52hi_epu64(t.limb[j], m, broadcast(p.limb[j]));
      }
    }
    return t;
  }
  GROTH16_IFMA static Columns product(const Element& a, const Element& b) { return product_sum<1>({&a}, {&b}); }

  GROTH16_IFMA static Columns sum(const Columns& a, const Columns& b) {
    Columns out;
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kLimbs; ++i) out.limb[i] = a.limb[i] + b.limb[i];
    return out;
  }
  GROTH16_IFMA static Columns less(const Columns& a, const Columns& b) {
    Columns out;
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kLimbs; ++i) out.limb[i] = a.limb[i] - b.limb[i];
    return out;
  }
  // multiple p - a.
  template <std::uint64_t multiple>
  GROTH16_IFMA static Columns complement(const Columns& a) {
    return less(constant(kMultiple<multiple>), a);
  }
  // a + multiple p.
  template <std::uint64_t multiple>
  GROTH16_IFMA static Columns raised(const Columns& a) {
    return sum(a, constant(kMultiple<multiple>));
  }
  // Where the mask is set p - a, elsewhere a; for a below p where it is set.
  GROTH16_IFMA static Columns negated_where(__mmask8 mask, const Columns& a) {
    constexpr Split p = kMultiple<1>;
    Columns out;
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kLimbs; ++i) {
      out.limb[i] = _mm512_mask_sub_epi64(a.limb[i], mask, broadcast(p.limb[i]), a.limb[i]);
    }
    return out;
  }
  // Where the mask is set b, elsewhere a.
  GROTH16_IFMA static Element chosen(__mmask8 mask, const Element& a, const Element& b) {
    Element out;
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kLimbs; ++i) out.limb[i] = _mm512_mask_mov_epi64(a.limb[i], mask, b.limb[i]);
    return out;
  }
  // a 2^Bits, which fits the limbs.
  template <unsigned Bits>
  GROTH16_IFMA static Element shifted(const Element& a) {
    const __m512i mask = broadcast(kMask);
    Element out;
    out.limb[0] = (a.limb[0] << Bits) & mask;
    GROTH16_UNROLL
    for (std::size_t i = 1; i < kLimbs; ++i) {
      out.limb[i] = ((a.limb[i] << Bits) | (a.limb[i - 1] >> (kLimbBits - Bits))) & mask;
    }
    return out;
  }

  // Lanes where a wide element may be a multiple of p: all that are, and one in 2^49 of the others.
  GROTH16_IFMA static __mmask8 may_vanish(const Element& a) {
    __mmask8 mask = _mm512_cmpeq_epi64_mask(a.limb[0], broadcast(kMultiple<1>.limb[0]));
    mask |= _mm512_cmpeq_epi64_mask(a.limb[0], broadcast(kMultiple<2>.limb[0]));
    mask |= _mm512_cmpeq_epi64_mask(a.limb[0], broadcast(kMultiple<3>.limb[0]));
    mask |= _mm512_cmpeq_epi64_mask(a.limb[0], broadcast(kMultiple<4>.limb[0]));
    mask |= _mm512_cmpeq_epi64_mask(a.limb[0], broadcast(kMultiple<5>.limb[0]));
    return mask;
  }

  // Words of memory (word i of all eight elements in words[i]) to limbs and back.
  GROTH16_IFMA static Element from_words(const __m512i* words) {
    const __m512i mask = broadcast(kMask);
    Element out;
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kLimbs; ++i) {
      const std::size_t word = kLimbBits * i / 64, shift = kLimbBits * i % 64;
      __m512i limb = _mm512_setzero_si512();
      if (word < kWords) limb = shifted_right(words[word], shift);
      if (shift > 64 - kLimbBits && word + 1 < kWords) limb |= words[word + 1] << static_cast<int>(64 - shift);
      out.limb[i] = limb & mask;
    }
    return out;
  }
  GROTH16_IFMA static void to_words(const Element& a, __m512i* words) {
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kWords; ++i) {
      const std::size_t limb = 64 * i / kLimbBits, shift = 64 * i % kLimbBits;
      words[i] = shifted_right(a.limb[limb], shift);
      if (limb + 1 < kLimbs) words[i] |= a.limb[limb + 1] << static_cast<int>(kLimbBits - shift);
      if (limb + 2 < kLimbs && 2 * kLimbBits - shift < 64) {
        words[i] |= a.limb[limb + 2] << static_cast<int>(2 * kLimbBits - shift);
      }
    }
  }

 private:
  GROTH16_IFMA static __m512i shifted_right(__m512i a, std::size_t bits) {
    return (__m512i)((__v8du)a >> static_cast<int>(bits));
  }
};

}  // namespace groth16

#endif
