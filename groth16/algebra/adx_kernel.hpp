// AdxKernel<N>: arithmetic modulo p on N limbs, with mulx and the two carry chains of adcx and adox (Ozturk, Guilford,
// Gopal, Feghali 2012, "New instructions supporting large integer arithmetic on Intel architecture processors"): the
// low words of a row of products go down one chain while the high words go down the other.
//
// A product is LimbKernel's, row by row: t += a b_i, then t += p m with the m that clears t's lowest word. t stays in
// registers, and instead of moving down by a word it is called by other names in the next row. What bounds it is the
// multiplier with two additions a product: 72 times 0.28 ns of the 25 ns of a product in Fq of BLS12-381.
#pragma once

#if defined(__x86_64__) && !defined(__CUDACC__)
#define GROTH16_HAS_ADX 1

#include <cstddef>
#include <cstdint>

#include "groth16/algebra/cpu_level.hpp"
#include "groth16/algebra/portability.hpp"
#include "groth16/algebra/uint.hpp"

namespace groth16 {

// False until the program's dynamic initialisation has come to it: products before are portable, and the same.
inline const bool kUseAdx = cpu_level() >= CpuLevel::adx;

// Values are below p unless said otherwise. Products need a processor with BMI2 and ADX, the rest any x86-64.
template <std::size_t N>
class AdxKernel {
 public:
  static_assert(N == 4 || N == 6);

  // What the instructions read. p leaves its top bit free.
  struct Modulus {
    UInt<N> zero, p, successor;     // 0, p, p + 1
    std::uint64_t negated_inverse;  // -1 / p mod 2^64
  };
  static constexpr Modulus modulus(const UInt<N>& p, std::uint64_t negated_inverse) {
    return {UInt<N>::zero(), p, p + UInt<N>::from_u64(1), negated_inverse};
  }

  // a b / 2^(64N) mod p; b may be any integer of N limbs.
  static GROTH16_INLINE UInt<N> product(const UInt<N>& a, const UInt<N>& b, const Modulus& m) {
    Sum t{};
    add_rows<0>(t, m, a, b);
    return reduced(t, m.p);
  }

  // (a0 b0 + a1 b1) / 2^(64N) mod p: two products and one reduction. Factors may be p; needs 3p < 2^(64N).
  static GROTH16_INLINE UInt<N> sum_of_products(const UInt<N>& a0, const UInt<N>& b0, const UInt<N>& a1,
                                                const UInt<N>& b1, const Modulus& m) {
    Sum t{};
    add_rows<0>(t, m, a0, b0, a1, b1);
    return reduced(t, m.p);
  }

  // a + b mod p.
  static GROTH16_INLINE UInt<N> sum(const UInt<N>& a, const UInt<N>& b, const Modulus& m) {
    UInt<N> out = a;
    add(out, b);
    return reduced(out, m.p);
  }

  // a - b mod p; b may be p.
  static GROTH16_INLINE UInt<N> difference(const UInt<N>& a, const UInt<N>& b, const Modulus& m) {
    UInt<N> out = a;
    const bool borrow = subtract(out, b);
    add(out, chosen(-std::uint64_t{borrow}, m.zero, m.p));
    return out;
  }

  // -a where a mask is all ones and a where it is zero; -0 is p.
  static GROTH16_INLINE UInt<N> negated_if(std::uint64_t mask, const UInt<N>& a, const Modulus& m) {
    UInt<N> out;
    GROTH16_UNROLL
    for (std::size_t k = 0; k < N; ++k) out.limb[k] = a.limb[k] ^ mask;
    add(out, chosen(mask, m.zero, m.successor));
    return out;
  }

 private:
  // N + 1 words, of which word number k is t[(k + shift) % (N + 1)] after that many rows.
  using Sum = std::uint64_t[N + 1];
  template <std::size_t Shift>
  static constexpr std::size_t at(std::size_t k) {
    return (k + Shift) % (N + 1);
  }

  // t = (t + sum of a b_i + p m) / 2^64 for i from Row on.
  template <std::size_t Row, class... Factors>
  static GROTH16_INLINE void add_rows(Sum& t, const Modulus& m, const Factors&... factors) {
    add_row_of<Row>(t, factors...);
    add_row<Row>(t, m.p, t[at<Row>(0)] * m.negated_inverse);
    if constexpr (Row + 1 < N) add_rows<Row + 1>(t, m, factors...);
  }
  template <std::size_t Row, class... Rest>
  static GROTH16_INLINE void add_row_of(Sum& t, const UInt<N>& a, const UInt<N>& b, const Rest&... rest) {
    add_row<Row>(t, a, b.limb[Row]);
    if constexpr (sizeof...(rest) != 0) add_row_of<Row>(t, rest...);
  }

// One product of a row: low word to one word of the sum, high word to the next.
#define GROTH16_ADX_STEP(offset, low_sum, high_sum) \
  "mulx " #offset                                   \
  "(%[row]), %[low], %[high]\n\t"                   \
  "adcx %[low], %[" #low_sum                        \
  "]\n\t"                                           \
  "adox %[high], %[" #high_sum "]\n\t"

  // t += row * factor.
  template <std::size_t Shift>
  static GROTH16_INLINE void add_row(Sum& t, const UInt<N>& row, std::uint64_t factor) {
    std::uint64_t low, high;
    if constexpr (N == 4) {
      asm("xor %k[high], %k[high]\n\t"  // clears both carries
          GROTH16_ADX_STEP(0, t0, t1) GROTH16_ADX_STEP(8, t1, t2) GROTH16_ADX_STEP(16, t2, t3)
              GROTH16_ADX_STEP(24, t3, t4) "adc $0, %[t4]"
          : [t0] "+&r"(t[at<Shift>(0)]), [t1] "+&r"(t[at<Shift>(1)]), [t2] "+&r"(t[at<Shift>(2)]),
            [t3] "+&r"(t[at<Shift>(3)]), [t4] "+&r"(t[at<Shift>(4)]), [low] "=&r"(low), [high] "=&r"(high)
          : [row] "r"(row.limb), "d"(factor), "m"(row)
          : "cc");
    } else {
      asm("xor %k[high], %k[high]\n\t" GROTH16_ADX_STEP(0, t0, t1) GROTH16_ADX_STEP(8, t1, t2)
              GROTH16_ADX_STEP(16, t2, t3) GROTH16_ADX_STEP(24, t3, t4) GROTH16_ADX_STEP(32, t4, t5)
                  GROTH16_ADX_STEP(40, t5, t6) "adc $0, %[t6]"
          : [t0] "+&r"(t[at<Shift>(0)]), [t1] "+&r"(t[at<Shift>(1)]), [t2] "+&r"(t[at<Shift>(2)]),
            [t3] "+&r"(t[at<Shift>(3)]), [t4] "+&r"(t[at<Shift>(4)]), [t5] "+&r"(t[at<Shift>(5)]),
            [t6] "+&r"(t[at<Shift>(6)]), [low] "=&r"(low), [high] "=&r"(high)
          : [row] "r"(row.limb), "d"(factor), "m"(row)
          : "cc");
    }
  }
#undef GROTH16_ADX_STEP

  // From [0, 2p) to [0, p). Instructions, because compilers make a branch of a choice between two numbers.
  static GROTH16_INLINE UInt<N> reduced(const UInt<N>& a, const UInt<N>& p) {
    UInt<N> out = a;
    if constexpr (N == 4) {
      asm("sub %[p0], %[u0]\n\tsbb %[p1], %[u1]\n\tsbb %[p2], %[u2]\n\tsbb %[p3], %[u3]\n\t"
          "cmovc %[a0], %[u0]\n\tcmovc %[a1], %[u1]\n\tcmovc %[a2], %[u2]\n\tcmovc %[a3], %[u3]"
          : [u0] "+&r"(out.limb[0]), [u1] "+&r"(out.limb[1]), [u2] "+&r"(out.limb[2]), [u3] "+&r"(out.limb[3])
          : [a0] "rm"(a.limb[0]), [a1] "rm"(a.limb[1]), [a2] "rm"(a.limb[2]), [a3] "rm"(a.limb[3]), [p0] "m"(p.limb[0]),
            [p1] "m"(p.limb[1]), [p2] "m"(p.limb[2]), [p3] "m"(p.limb[3])
          : "cc");
    } else {
      asm("sub %[p0], %[u0]\n\tsbb %[p1], %[u1]\n\tsbb %[p2], %[u2]\n\tsbb %[p3], %[u3]\n\tsbb %[p4], %[u4]\n\t"
          "sbb %[p5], %[u5]\n\t"
          "cmovc %[a0], %[u0]\n\tcmovc %[a1], %[u1]\n\tcmovc %[a2], %[u2]\n\tcmovc %[a3], %[u3]\n\t"
          "cmovc %[a4], %[u4]\n\tcmovc %[a5], %[u5]"
          : [u0] "+&r"(out.limb[0]), [u1] "+&r"(out.limb[1]), [u2] "+&r"(out.limb[2]), [u3] "+&r"(out.limb[3]),
            [u4] "+&r"(out.limb[4]), [u5] "+&r"(out.limb[5])
          : [a0] "rm"(a.limb[0]), [a1] "rm"(a.limb[1]), [a2] "rm"(a.limb[2]), [a3] "rm"(a.limb[3]),
            [a4] "rm"(a.limb[4]), [a5] "rm"(a.limb[5]), [p0] "m"(p.limb[0]), [p1] "m"(p.limb[1]), [p2] "m"(p.limb[2]),
            [p3] "m"(p.limb[3]), [p4] "m"(p.limb[4]), [p5] "m"(p.limb[5])
          : "cc");
    }
    return out;
  }

  // The sum after N rows, whose top word is zero.
  static GROTH16_INLINE UInt<N> reduced(const Sum& t, const UInt<N>& p) {
    UInt<N> out;
    GROTH16_UNROLL
    for (std::size_t k = 0; k < N; ++k) out.limb[k] = t[at<N>(k)];
    return reduced(out, p);
  }

  // By its address: no word passes through a register.
  static GROTH16_INLINE const UInt<N>& chosen(std::uint64_t mask, const UInt<N>& if_zero, const UInt<N>& if_ones) {
    const auto zero_at = reinterpret_cast<std::uintptr_t>(&if_zero),
               ones_at = reinterpret_cast<std::uintptr_t>(&if_ones);
    return *reinterpret_cast<const UInt<N>*>(zero_at + (mask & (ones_at - zero_at)));
  }

  static GROTH16_INLINE void add(UInt<N>& a, const UInt<N>& b) {
    if constexpr (N == 4) {
      asm("add %[b0], %[a0]\n\tadc %[b1], %[a1]\n\tadc %[b2], %[a2]\n\tadc %[b3], %[a3]"
          : [a0] "+&r"(a.limb[0]), [a1] "+&r"(a.limb[1]), [a2] "+&r"(a.limb[2]), [a3] "+&r"(a.limb[3])
          : [b0] "m"(b.limb[0]), [b1] "m"(b.limb[1]), [b2] "m"(b.limb[2]), [b3] "m"(b.limb[3])
          : "cc");
    } else {
      asm("add %[b0], %[a0]\n\tadc %[b1], %[a1]\n\tadc %[b2], %[a2]\n\tadc %[b3], %[a3]\n\tadc %[b4], %[a4]\n\t"
          "adc %[b5], %[a5]"
          : [a0] "+&r"(a.limb[0]), [a1] "+&r"(a.limb[1]), [a2] "+&r"(a.limb[2]), [a3] "+&r"(a.limb[3]),
            [a4] "+&r"(a.limb[4]), [a5] "+&r"(a.limb[5])
          : [b0] "m"(b.limb[0]), [b1] "m"(b.limb[1]), [b2] "m"(b.limb[2]), [b3] "m"(b.limb[3]), [b4] "m"(b.limb[4]),
            [b5] "m"(b.limb[5])
          : "cc");
    }
  }

  // Whether b is above a.
  static GROTH16_INLINE bool subtract(UInt<N>& a, const UInt<N>& b) {
    bool borrow;
    if constexpr (N == 4) {
      asm("sub %[b0], %[a0]\n\tsbb %[b1], %[a1]\n\tsbb %[b2], %[a2]\n\tsbb %[b3], %[a3]"
          : [a0] "+&r"(a.limb[0]), [a1] "+&r"(a.limb[1]), [a2] "+&r"(a.limb[2]), [a3] "+&r"(a.limb[3]), "=@ccc"(borrow)
          : [b0] "m"(b.limb[0]), [b1] "m"(b.limb[1]), [b2] "m"(b.limb[2]), [b3] "m"(b.limb[3]));
    } else {
      asm("sub %[b0], %[a0]\n\tsbb %[b1], %[a1]\n\tsbb %[b2], %[a2]\n\tsbb %[b3], %[a3]\n\tsbb %[b4], %[a4]\n\t"
          "sbb %[b5], %[a5]"
          : [a0] "+&r"(a.limb[0]), [a1] "+&r"(a.limb[1]), [a2] "+&r"(a.limb[2]), [a3] "+&r"(a.limb[3]),
            [a4] "+&r"(a.limb[4]), [a5] "+&r"(a.limb[5]), "=@ccc"(borrow)
          : [b0] "m"(b.limb[0]), [b1] "m"(b.limb[1]), [b2] "m"(b.limb[2]), [b3] "m"(b.limb[3]), [b4] "m"(b.limb[4]),
            [b5] "m"(b.limb[5]));
    }
    return borrow;
  }
};

}  // namespace groth16

#endif
