// Between eight objects in memory, each a row of 64-bit words, and lanes: word i of all eight rows is one register.
#pragma once

#include "groth16/algebra/ifma.hpp"

#if defined(GROTH16_HAS_IFMA)

#include <cstddef>
#include <cstdint>

#include "groth16/algebra/portability.hpp"

namespace groth16 {

// [a0 b0 a2 b2 a4 b4 a6 b6] and [a1 b1 a3 b3 a5 b5 a7 b7].
GROTH16_IFMA __m512i even_words(__m512i a, __m512i b) {
  return __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
}
GROTH16_IFMA __m512i odd_words(__m512i a, __m512i b) {
  return __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
}
// [a0 a1 b0 b1 a4 a5 b4 b5] and [a2 a3 b2 b3 a6 a7 b6 b7].
GROTH16_IFMA __m512i even_pairs(__m512i a, __m512i b) {
  return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
}
GROTH16_IFMA __m512i odd_pairs(__m512i a, __m512i b) {
  return __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
}
// The low halves and the high halves.
GROTH16_IFMA __m512i low_halves(__m512i a, __m512i b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
}
GROTH16_IFMA __m512i high_halves(__m512i a, __m512i b) {
  return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
}

// A 4 x 4 transposition in each half: in, row i and row i + 4 in the halves of a[i]; out, word i of rows 0..3 and 4..7.
// It is its own inverse.
GROTH16_IFMA void transpose_halves(__m512i (&a)[4]) {
  const __m512i t0 = even_words(a[0], a[1]), t1 = odd_words(a[0], a[1]);
  const __m512i t2 = even_words(a[2], a[3]), t3 = odd_words(a[2], a[3]);
  a[0] = even_pairs(t0, t2);
  a[1] = even_pairs(t1, t3);
  a[2] = odd_pairs(t0, t2);
  a[3] = odd_pairs(t1, t3);
}

// An 8 x 8 transposition.
GROTH16_IFMA void transpose(__m512i (&a)[8]) {
  __m512i low[4] = {a[0], a[1], a[2], a[3]}, high[4] = {a[4], a[5], a[6], a[7]};
  transpose_halves(low);
  transpose_halves(high);
  GROTH16_UNROLL
  for (std::size_t i = 0; i < 4; ++i) {
    a[i] = low_halves(low[i], high[i]);
    a[i + 4] = high_halves(low[i], high[i]);
  }
}

GROTH16_IFMA __m256i load_four(const std::uint64_t* words) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
}
GROTH16_IFMA void store_four(std::uint64_t* words, __m256i value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(words), value);
}

// Reads Words words of each of eight rows; Words is a multiple of 4.
template <std::size_t Words>
GROTH16_IFMA void load_rows(const std::uint64_t* const (&rows)[8], __m512i (&words)[Words]) {
  static_assert(Words % 4 == 0);
  GROTH16_UNROLL
  for (std::size_t first = 0; first + 8 <= Words; first += 8) {
    __m512i block[8];
    GROTH16_UNROLL
    for (std::size_t i = 0; i < 8; ++i) block[i] = _mm512_loadu_si512(rows[i] + first);
    transpose(block);
    GROTH16_UNROLL
    for (std::size_t i = 0; i < 8; ++i) words[first + i] = block[i];
  }
  if constexpr (Words % 8 != 0) {
    __m512i block[4];
    GROTH16_UNROLL
    for (std::size_t i = 0; i < 4; ++i) {
      block[i] = __builtin_shufflevector(load_four(rows[i] + Words - 4), load_four(rows[i + 4] + Words - 4), 0, 1, 2, 3,
                                         4, 5, 6, 7);
    }
    transpose_halves(block);
    GROTH16_UNROLL
    for (std::size_t i = 0; i < 4; ++i) words[Words - 4 + i] = block[i];
  }
}

template <std::size_t Words>
GROTH16_IFMA void store_rows(const __m512i (&words)[Words], std::uint64_t* const (&rows)[8]) {
  static_assert(Words % 4 == 0);
  GROTH16_UNROLL
  for (std::size_t first = 0; first + 8 <= Words; first += 8) {
    __m512i block[8];
    GROTH16_UNROLL
    for (std::size_t i = 0; i < 8; ++i) block[i] = words[first + i];
    transpose(block);
    GROTH16_UNROLL
    for (std::size_t i = 0; i < 8; ++i) _mm512_storeu_si512(rows[i] + first, block[i]);
  }
  if constexpr (Words % 8 != 0) {
    __m512i block[4];
    GROTH16_UNROLL
    for (std::size_t i = 0; i < 4; ++i) block[i] = words[Words - 4 + i];
    transpose_halves(block);
    GROTH16_UNROLL
    for (std::size_t i = 0; i < 4; ++i) {
      store_four(rows[i] + Words - 4, __builtin_shufflevector(block[i], block[i], 0, 1, 2, 3));
      store_four(rows[i + 4] + Words - 4, __builtin_shufflevector(block[i], block[i], 4, 5, 6, 7));
    }
  }
}

}  // namespace groth16

#endif
