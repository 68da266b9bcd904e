// The marks of functions that use AVX-512 IFMA. Such code is part of every x86-64 build, whatever the compiler's
// target, and may run only where cpu_level() is CpuLevel::ifma. Every function that touches a register type carries a
// mark; no template of another header may be instantiated inside with a register type, since it would be compiled
// without.
#pragma once

#if defined(__x86_64__) && !defined(__CUDACC__)
#define GROTH16_HAS_IFMA 1
#include <immintrin.h>
#define GROTH16_IFMA_CALLED __attribute__((target("avx512f,avx512dq,avx512vl,avx512ifma"), noinline))
#define GROTH16_IFMA __attribute__((target("avx512f,avx512dq,avx512vl,avx512ifma"), always_inline)) inline
#endif
