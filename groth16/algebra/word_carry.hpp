// The instructions that WordKernel is made of, on a device and emulated. The suffix _cc sets the carry flag, a c before
// it reads the flag; sub and subc mean the borrow. Only these functions know the flag, and a chain of them is not to be
// interleaved with another.
#pragma once

#include <cstdint>

#include "groth16/algebra/portability.hpp"

namespace groth16 {

// One thread's carry flag as a variable: the same sums anywhere, for tests.
struct EmulatedCarry {
  using Word = std::uint32_t;

  static Word add_cc(Word a, Word b) { return set(std::uint64_t{a} + b); }
  static Word addc_cc(Word a, Word b) { return set(std::uint64_t{a} + b + flag()); }
  static Word addc(Word a, Word b) { return static_cast<Word>(std::uint64_t{a} + b + flag()); }
  static Word sub_cc(Word a, Word b) { return set(std::uint64_t{a} - b); }
  static Word subc_cc(Word a, Word b) { return set(std::uint64_t{a} - b - flag()); }
  static Word subc(Word a, Word b) { return static_cast<Word>(std::uint64_t{a} - b - flag()); }
  static Word mad_lo_cc(Word a, Word b, Word c) { return set(low(a, b) + c); }
  static Word madc_lo_cc(Word a, Word b, Word c) { return set(low(a, b) + c + flag()); }
  static Word madc_hi_cc(Word a, Word b, Word c) { return set(high(a, b) + c + flag()); }
  static Word madc_hi(Word a, Word b, Word c) { return static_cast<Word>(high(a, b) + c + flag()); }

 private:
  static Word& flag() {
    static thread_local Word value = 0;
    return value;
  }
  static Word set(std::uint64_t wide) {
    flag() = (wide >> 32) != 0 ? 1 : 0;  // a carry, or the sign of a negative difference
    return static_cast<Word>(wide);
  }
  static std::uint64_t low(Word a, Word b) { return static_cast<Word>(std::uint64_t{a} * b); }
  static std::uint64_t high(Word a, Word b) { return (std::uint64_t{a} * b) >> 32; }
};

#if defined(__CUDACC__)
// PTX. Volatile keeps the order of the statements, and with it the flag; the assembler fuses each pair of lo and hi
// into one wide multiplication.
struct PtxCarry {
  using Word = std::uint32_t;

#define GROTH16_PTX_SUM(NAME, INSTRUCTION)                                     \
  __device__ static __forceinline__ Word NAME(Word a, Word b) {                \
    Word out;                                                                  \
    asm volatile(INSTRUCTION ".u32 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b)); \
    return out;                                                                \
  }
#define GROTH16_PTX_PRODUCT(NAME, INSTRUCTION)                                             \
  __device__ static __forceinline__ Word NAME(Word a, Word b, Word c) {                    \
    Word out;                                                                              \
    asm volatile(INSTRUCTION ".u32 %0, %1, %2, %3;" : "=r"(out) : "r"(a), "r"(b), "r"(c)); \
    return out;                                                                            \
  }
  GROTH16_PTX_SUM(add_cc, "add.cc")
  GROTH16_PTX_SUM(addc_cc, "addc.cc")
  GROTH16_PTX_SUM(addc, "addc")
  GROTH16_PTX_SUM(sub_cc, "sub.cc")
  GROTH16_PTX_SUM(subc_cc, "subc.cc")
  GROTH16_PTX_SUM(subc, "subc")
  GROTH16_PTX_PRODUCT(mad_lo_cc, "mad.lo.cc")
  GROTH16_PTX_PRODUCT(madc_lo_cc, "madc.lo.cc")
  GROTH16_PTX_PRODUCT(madc_hi_cc, "madc.hi.cc")
  GROTH16_PTX_PRODUCT(madc_hi, "madc.hi")
#undef GROTH16_PTX_SUM
#undef GROTH16_PTX_PRODUCT
};
#endif

}  // namespace groth16
