// One spelling for code that runs on the host and on a device: the field and curve templates carry these marks and
// nothing else that a device compiler would have to know.
#pragma once

#if defined(__CUDACC__)
#define GROTH16_HD __host__ __device__
#else
#define GROTH16_HD
#endif

// Unrolls the loop that follows. Limb loops are at most 12 steps and only fast without their counter.
#if defined(__CUDACC__) || defined(__clang__)
#define GROTH16_UNROLL _Pragma("unroll")
#else
#define GROTH16_UNROLL _Pragma("GCC unroll 16")
#endif

// Forces a limb routine into its caller.
#if defined(__CUDACC__)
#define GROTH16_INLINE __forceinline__
#else
#define GROTH16_INLINE inline __attribute__((always_inline))
#endif

// Keeps a long limb routine out of its caller on the host: a call costs a twentieth of a product, while copies of it in
// every curve formula cost the instruction cache and half of the compile time. A device compiler decides by itself.
#if defined(__CUDACC__)
#define GROTH16_OUTLINED inline
#else
#define GROTH16_OUTLINED __attribute__((noinline))
#endif

// A routine that device code calls: its arguments are values and travel in registers.
#if defined(__CUDACC__)
#define GROTH16_CALLED __noinline__
#else
#define GROTH16_CALLED inline
#endif
