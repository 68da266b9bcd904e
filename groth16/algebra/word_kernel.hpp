// WordKernel<P, Carry>: the arithmetic of LimbKernel on 32-bit words, for machines whose multiplier is 32 bits wide and
// takes a carry in and out, as those of GPUs do. Carry is the machine: it names its instructions (PtxCarry on a device;
// EmulatedCarry, for tests, anywhere).
//
// A row x * y_i is two independent carry chains: the products of x's even words end where those of its odd words begin,
// so even words add up in one array (its first word weighs 1) and odd words in another (its first word weighs 2^32).
// After the reduction the first array's lowest word is zero and the roles change: the array of odd words is the next
// row's array of even words. No product ever waits for a carry out of its own pair of words. (Emmart, Zheng, Weems
// 2018, "Faster modular exponentiation using double precision floating point arithmetic on the GPU", describes the
// integer rows it is compared with in this form; the interleaving is Montgomery's as in LimbKernel.)
#pragma once

#include <cstddef>
#include <cstdint>

#include "groth16/algebra/portability.hpp"
#include "groth16/algebra/uint.hpp"

namespace groth16 {

template <class P, class Carry>
struct WordKernel {
  static constexpr std::size_t kWords = 2 * P::kLimbs;
  using Word = std::uint32_t;
  using Limbs = UInt<P::kLimbs>;

  struct Words {
    Word w[kWords];
  };

  GROTH16_HD static GROTH16_INLINE Words split(const Limbs& a) {
    Words out;
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kWords; ++i) out.w[i] = static_cast<Word>(a.limb[i / 2] >> (32 * (i % 2)));
    return out;
  }
  GROTH16_HD static GROTH16_INLINE Limbs join(const Words& a) {
    Limbs out;
    GROTH16_UNROLL
    for (std::size_t i = 0; i < P::kLimbs; ++i) out.limb[i] = a.w[2 * i] | (std::uint64_t{a.w[2 * i + 1]} << 32);
    return out;
  }

  // a + b mod p and a - b mod p, for a and b below p.
  GROTH16_HD static GROTH16_INLINE Words add(const Words& a, const Words& b) {
    Words sum;
    sum.w[0] = Carry::add_cc(a.w[0], b.w[0]);
    GROTH16_UNROLL
    for (std::size_t i = 1; i < kWords; ++i) sum.w[i] = Carry::addc_cc(a.w[i], b.w[i]);
    return reduce_once(sum);
  }
  GROTH16_HD static GROTH16_INLINE Words sub(const Words& a, const Words& b) {
    Words difference;
    difference.w[0] = Carry::sub_cc(a.w[0], b.w[0]);
    GROTH16_UNROLL
    for (std::size_t i = 1; i < kWords; ++i) difference.w[i] = Carry::subc_cc(a.w[i], b.w[i]);
    const Word borrow = Carry::subc(0, 0);  // all ones or zero
    difference.w[0] = Carry::add_cc(difference.w[0], borrow & modulus(0));
    GROTH16_UNROLL
    for (std::size_t i = 1; i + 1 < kWords; ++i) {
      difference.w[i] = Carry::addc_cc(difference.w[i], borrow & modulus(i));
    }
    difference.w[kWords - 1] = Carry::addc(difference.w[kWords - 1], borrow & modulus(kWords - 1));
    return difference;
  }
  // p - a, which is p and not 0 for a = 0: a factor that sum_of_products takes.
  GROTH16_HD static GROTH16_INLINE Words complement(const Words& a) {
    Words difference;
    difference.w[0] = Carry::sub_cc(modulus(0), a.w[0]);
    GROTH16_UNROLL
    for (std::size_t i = 1; i + 1 < kWords; ++i) difference.w[i] = Carry::subc_cc(modulus(i), a.w[i]);
    difference.w[kWords - 1] = Carry::subc(modulus(kWords - 1), a.w[kWords - 1]);
    return difference;
  }

  // The sum of a[k] * b[k] over R mod p with one reduction for all K products, for factors up to p. The running total
  // stays below (K + 1) p, and the result before its last subtraction below p + K p^2 / R < 2p, where the modulus
  // leaves that room (kMaxProducts). For K = 1, b may be any integer below 2^(32 kWords), as in LimbKernel::mul.
  template <std::size_t K>
  GROTH16_HD static GROTH16_INLINE Words sum_of_products(const Words (&a)[K], const Words (&b)[K]) {
    static_assert(K <= kMaxProducts);
    Word even[kWords], odd[kWords];
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kWords; i += 2) {
      if (i == 0) {
        first_row(even, odd, a[0], b[0].w[0]);
      } else {
        next_row(even, odd, a[0], b[0].w[i]);
      }
      finish_row<K>(even, odd, a, b, i);
      next_row(odd, even, a[0], b[0].w[i + 1]);
      finish_row<K>(odd, even, a, b, i + 1);
    }
    Words total;
    total.w[0] = Carry::add_cc(even[0], odd[1]);
    GROTH16_UNROLL
    for (std::size_t i = 1; i + 1 < kWords; ++i) total.w[i] = Carry::addc_cc(even[i], odd[i + 1]);
    total.w[kWords - 1] = Carry::addc(even[kWords - 1], 0);
    return reduce_once(total);
  }

  GROTH16_HD static GROTH16_INLINE Words mul(const Words& a, const Words& b) {
    const Words factors_a[1] = {a}, factors_b[1] = {b};
    return sum_of_products<1>(factors_a, factors_b);
  }

  // a * a: each product of two different words once, doubled, and a reduction of its own. n^2/2 products fewer than
  // mul.
  GROTH16_HD static GROTH16_INLINE Words sqr(const Words& a) {
    if constexpr (kLowWordsAreFree) return mul(a, a);
    Word square[2 * kWords];
    wide_square(square, a);
    const Words reduced = reduce_low_half(square);
    Words total;
    total.w[0] = Carry::add_cc(reduced.w[0], square[kWords]);
    GROTH16_UNROLL
    for (std::size_t i = 1; i + 1 < kWords; ++i) total.w[i] = Carry::addc_cc(reduced.w[i], square[kWords + i]);
    total.w[kWords - 1] = Carry::addc(reduced.w[kWords - 1], square[2 * kWords - 1]);
    return reduce_once(total);
  }

  // How many products one reduction may serve: (K + 1) p fits the words.
  static constexpr std::size_t kMaxProducts = [] {
    const std::uint64_t top = (P::modulus().limb[P::kLimbs - 1] >> 32) + 1;  // p < top * 2^(32 (kWords - 1))
    return static_cast<std::size_t>((std::uint64_t{1} << 32) / top - 1);
  }();

 private:
  GROTH16_HD static GROTH16_INLINE constexpr Word modulus(std::size_t i) {
    return static_cast<Word>(P::modulus().limb[i / 2] >> (32 * (i % 2)));
  }
  // -p^-1 mod 2^32 by Newton's iteration.
  GROTH16_HD static constexpr Word negated_inverse() {
    Word inverse = 1;
    for (int i = 0; i < 5; ++i) inverse *= 2 - modulus(0) * inverse;
    return ~inverse + 1;
  }
  // Whether p = 1 - 2^32 mod 2^64, as the order of BLS12-381 is: then a row's lowest two products are additions.
  static constexpr bool kLowWordsAreFree = modulus(0) == 1 && modulus(1) == 0xffffffff;

  // From [0, 2p) to [0, p), without a branch.
  GROTH16_HD static GROTH16_INLINE Words reduce_once(const Words& a) {
    Words reduced;
    reduced.w[0] = Carry::sub_cc(a.w[0], modulus(0));
    GROTH16_UNROLL
    for (std::size_t i = 1; i < kWords; ++i) reduced.w[i] = Carry::subc_cc(a.w[i], modulus(i));
    const bool is_below = Carry::subc(0, 0) != 0;
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kWords; ++i) reduced.w[i] = is_below ? a.w[i] : reduced.w[i];
    return reduced;
  }

  // low = the products of a's even words with y, high those of its odd words.
  GROTH16_HD static GROTH16_INLINE void first_row(Word* low, Word* high, const Words& a, Word y) {
    GROTH16_UNROLL
    for (std::size_t j = 0; j < kWords; j += 2) {
      set_product(low + j, a.w[j], y);
      set_product(high + j, a.w[j + 1], y);
    }
  }
  // The same added, after the roles have changed: high's old contents weigh 2^-32 of their new place, and its word 0 is
  // zero, so that they move down by two words with word 1 falling to low.
  GROTH16_HD static GROTH16_INLINE void next_row(Word* low, Word* high, const Words& a, Word y) {
    low[0] = Carry::add_cc(low[0], high[1]);
    GROTH16_UNROLL
    for (std::size_t j = 0; j + 2 < kWords; j += 2) {
      high[j] = Carry::madc_lo_cc(a.w[j + 1], y, high[j + 2]);
      high[j + 1] = Carry::madc_hi_cc(a.w[j + 1], y, high[j + 3]);
    }
    high[kWords - 2] = Carry::madc_lo_cc(a.w[kWords - 1], y, 0);
    high[kWords - 1] = Carry::madc_hi(a.w[kWords - 1], y, 0);
    add_even_words(low, high, a, y);
  }
  // The products of the other pairs, then the reduction of the row.
  template <std::size_t K>
  GROTH16_HD static GROTH16_INLINE void finish_row(Word* low, Word* high, const Words (&a)[K], const Words (&b)[K],
                                                   std::size_t i) {
    GROTH16_UNROLL
    for (std::size_t k = 1; k < K; ++k) {
      add_odd_words(high, a[k], b[k].w[i]);
      add_even_words(low, high, a[k], b[k].w[i]);
    }
    if constexpr (kLowWordsAreFree) {
      reduce_row_with_free_low_words(low, high);
    } else {
      reduce_row(low, high);
    }
  }
  GROTH16_HD static GROTH16_INLINE void add_odd_words(Word* high, const Words& a, Word y) {
    high[0] = Carry::mad_lo_cc(a.w[1], y, high[0]);
    high[1] = Carry::madc_hi_cc(a.w[1], y, high[1]);
    GROTH16_UNROLL
    for (std::size_t j = 2; j < kWords; j += 2) {
      high[j] = Carry::madc_lo_cc(a.w[j + 1], y, high[j]);
      high[j + 1] =
          j + 2 < kWords ? Carry::madc_hi_cc(a.w[j + 1], y, high[j + 1]) : Carry::madc_hi(a.w[j + 1], y, high[j + 1]);
    }
  }
  GROTH16_HD static GROTH16_INLINE void add_even_words(Word* low, Word* high, const Words& a, Word y) {
    low[0] = Carry::mad_lo_cc(a.w[0], y, low[0]);
    low[1] = Carry::madc_hi_cc(a.w[0], y, low[1]);
    GROTH16_UNROLL
    for (std::size_t j = 2; j < kWords; j += 2) {
      low[j] = Carry::madc_lo_cc(a.w[j], y, low[j]);
      low[j + 1] = Carry::madc_hi_cc(a.w[j], y, low[j + 1]);
    }
    high[kWords - 1] = Carry::addc(high[kWords - 1], 0);
  }
  // Adds the multiple of p that makes low[0] zero.
  GROTH16_HD static GROTH16_INLINE void reduce_row(Word* low, Word* high) {
    Words p;
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kWords; ++i) p.w[i] = modulus(i);
    const Word m = low[0] * negated_inverse();
    add_odd_words(high, p, m);
    add_even_words(low, high, p, m);
  }
  // The same for p = 1 + 2^32 (2^32 - 1) + ...: m = -low[0], and m (2^32 - 1) is low[0] below and m - 1 (0 for m = 0)
  // above. Written with the complement of low[0]: a compiler that sees a negation moves it into the products, and then
  // cannot fuse their halves.
  GROTH16_HD static GROTH16_INLINE void reduce_row_with_free_low_words(Word* low, Word* high) {
    const Word lowest = low[0], inverted = ~lowest;
    const Word m = Carry::add_cc(inverted, 1);  // carries for lowest = 0
    const Word above = Carry::addc(inverted, 0);
    high[0] = Carry::add_cc(high[0], lowest);
    high[1] = Carry::addc_cc(high[1], above);
    GROTH16_UNROLL
    for (std::size_t j = 2; j < kWords; j += 2) {
      high[j] = Carry::madc_lo_cc(modulus(j + 1), m, high[j]);
      high[j + 1] = j + 2 < kWords ? Carry::madc_hi_cc(modulus(j + 1), m, high[j + 1])
                                   : Carry::madc_hi(modulus(j + 1), m, high[j + 1]);
    }
    low[0] = Carry::add_cc(lowest, m);
    low[1] = Carry::addc_cc(low[1], 0);
    GROTH16_UNROLL
    for (std::size_t j = 2; j < kWords; j += 2) {
      low[j] = Carry::madc_lo_cc(modulus(j), m, low[j]);
      low[j + 1] = Carry::madc_hi_cc(modulus(j), m, low[j + 1]);
    }
    high[kWords - 1] = Carry::addc(high[kWords - 1], 0);
  }
  // Products a_i a_j, i < j, fall into two arrays by the parity of i + j, as a row's do by that of a's index.
  GROTH16_HD static GROTH16_INLINE void wide_square(Word* square, const Words& a) {
    Word even[2 * kWords] = {}, odd[2 * kWords] = {};  // odd[0] weighs 2^32
    GROTH16_UNROLL
    for (std::size_t i = 0; i + 1 < kWords; ++i) {
      add_every_other(odd, a, i, i + 1, 2 * i);
      add_every_other(even, a, i, i + 2, 2 * i + 2);
    }
    square[0] = 0;
    square[1] = odd[0];  // even[1] is zero: its products begin with a_0 a_2
    square[2] = Carry::add_cc(even[2], odd[1]);
    GROTH16_UNROLL
    for (std::size_t i = 3; i < 2 * kWords; ++i) square[i] = Carry::addc_cc(even[i], odd[i - 1]);
    square[1] = Carry::add_cc(square[1], square[1]);
    GROTH16_UNROLL
    for (std::size_t i = 2; i < 2 * kWords; ++i) square[i] = Carry::addc_cc(square[i], square[i]);
    square[0] = Carry::mad_lo_cc(a.w[0], a.w[0], square[0]);
    square[1] = Carry::madc_hi_cc(a.w[0], a.w[0], square[1]);
    GROTH16_UNROLL
    for (std::size_t i = 1; i < kWords; ++i) {
      square[2 * i] = Carry::madc_lo_cc(a.w[i], a.w[i], square[2 * i]);
      square[2 * i + 1] = Carry::madc_hi_cc(a.w[i], a.w[i], square[2 * i + 1]);
    }
  }
  // sum[place] and on += a_i times a_first, a_(first+2), ...: one chain and its carry.
  GROTH16_HD static GROTH16_INLINE void add_every_other(Word* sum, const Words& a, std::size_t i, std::size_t first,
                                                        std::size_t place) {
    GROTH16_UNROLL
    for (std::size_t j = first; j < kWords; j += 2, place += 2) {
      sum[place] =
          j == first ? Carry::mad_lo_cc(a.w[i], a.w[j], sum[place]) : Carry::madc_lo_cc(a.w[i], a.w[j], sum[place]);
      sum[place + 1] = Carry::madc_hi_cc(a.w[i], a.w[j], sum[place + 1]);
    }
    if (first < kWords && place < 2 * kWords) sum[place] = Carry::addc(sum[place], 0);
  }
  // (t + m p) / R for the lower half t of a square, at most p.
  GROTH16_HD static GROTH16_INLINE Words reduce_low_half(const Word* t) {
    Words p;
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kWords; ++i) p.w[i] = modulus(i);
    Word even[kWords], odd[kWords];
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kWords; ++i) even[i] = t[i];
    const Word m = even[0] * negated_inverse();
    GROTH16_UNROLL
    for (std::size_t j = 0; j < kWords; j += 2) set_product(odd + j, p.w[j + 1], m);
    add_even_words(even, odd, p, m);
    next_reduction(odd, even, p);
    GROTH16_UNROLL
    for (std::size_t i = 2; i < kWords; i += 2) {
      next_reduction(even, odd, p);
      next_reduction(odd, even, p);
    }
    Words total;
    total.w[0] = Carry::add_cc(even[0], odd[1]);
    GROTH16_UNROLL
    for (std::size_t i = 1; i + 1 < kWords; ++i) total.w[i] = Carry::addc_cc(even[i], odd[i + 1]);
    total.w[kWords - 1] = Carry::addc(even[kWords - 1], 0);
    return total;
  }
  // Changes the roles as next_row does, with the multiple of p that makes the new low[0] zero as the products.
  GROTH16_HD static GROTH16_INLINE void next_reduction(Word* low, Word* high, const Words& p) {
    const Word m = (low[0] + high[1]) * negated_inverse();
    next_row(low, high, p, m);
  }
  GROTH16_HD static GROTH16_INLINE void set_product(Word* pair, Word x, Word y) {
    const std::uint64_t product = std::uint64_t{x} * y;
    pair[0] = static_cast<Word>(product);
    pair[1] = static_cast<Word>(product >> 32);
  }
};

}  // namespace groth16
