// The Montgomery product of LimbKernel with mulx and the two carry chains of adcx and adox (Ozturk, Guilford, Gopal,
// Feghali 2012, "New instructions supporting large integer arithmetic on Intel architecture processors"): the low words
// of a row of products go down one chain while the high words go down the other.
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

// Needs a processor with BMI2 and ADX.
template <std::size_t N>
struct AdxKernel {
  static_assert(N == 4 || N == 6);

  // a b / 2^(64N) + at most p, for operands as in LimbKernel::mul; p leaves its top bit free.
  static inline UInt<N> product(const UInt<N>& a, const UInt<N>& b, const UInt<N>& p, std::uint64_t negated_inverse) {
    std::uint64_t t[N + 1] = {};
    GROTH16_UNROLL
    for (std::size_t i = 0; i < N; ++i) {
      add_row(t, a, b.limb[i]);
      add_row(t, p, t[0] * negated_inverse);
      GROTH16_UNROLL
      for (std::size_t j = 0; j < N; ++j) t[j] = t[j + 1];
      t[N] = 0;
    }
    UInt<N> out;
    GROTH16_UNROLL
    for (std::size_t j = 0; j < N; ++j) out.limb[j] = t[j];
    return out;
  }

 private:
// One product of a row: low word to t[j], high word to t[j + 1].
#define GROTH16_ADX_STEP(offset, low_sum, high_sum) \
  "mulx " #offset                                   \
  "(%[row]), %[low], %[high]\n\t"                   \
  "adcx %[low], %[" #low_sum                        \
  "]\n\t"                                           \
  "adox %[high], %[" #high_sum "]\n\t"

  // t += row * factor.
  static inline __attribute__((always_inline)) void add_row(std::uint64_t (&t)[N + 1], const UInt<N>& row,
                                                            std::uint64_t factor) {
    std::uint64_t low, high;
    if constexpr (N == 4) {
      asm("xor %k[high], %k[high]\n\t"  // clears both carries
          GROTH16_ADX_STEP(0, t0, t1) GROTH16_ADX_STEP(8, t1, t2) GROTH16_ADX_STEP(16, t2, t3)
          GROTH16_ADX_STEP(24, t3, t4)
          "mov $0, %k[low]\n\t"
          "adcx %[low], %[t4]"
          : [t0] "+&r"(t[0]), [t1] "+&r"(t[1]), [t2] "+&r"(t[2]), [t3] "+&r"(t[3]), [t4] "+&r"(t[4]),
            [low] "=&r"(low), [high] "=&r"(high)
          : [row] "r"(row.limb), "d"(factor), "m"(row)
          : "cc");
    } else {
      asm("xor %k[high], %k[high]\n\t"
          GROTH16_ADX_STEP(0, t0, t1) GROTH16_ADX_STEP(8, t1, t2) GROTH16_ADX_STEP(16, t2, t3)
          GROTH16_ADX_STEP(24, t3, t4) GROTH16_ADX_STEP(32, t4, t5) GROTH16_ADX_STEP(40, t5, t6)
          "mov $0, %k[low]\n\t"
          "adcx %[low], %[t6]"
          : [t0] "+&r"(t[0]), [t1] "+&r"(t[1]), [t2] "+&r"(t[2]), [t3] "+&r"(t[3]), [t4] "+&r"(t[4]),
            [t5] "+&r"(t[5]), [t6] "+&r"(t[6]), [low] "=&r"(low), [high] "=&r"(high)
          : [row] "r"(row.limb), "d"(factor), "m"(row)
          : "cc");
    }
  }
#undef GROTH16_ADX_STEP
};

}  // namespace groth16

#endif
