// What kernels and their launches share: how many threads, which of them this one is, and its accesses to memory, 16
// bytes at a time.
#pragma once

#include <cstddef>

#include <cuda_runtime.h>

namespace groth16::device {

// Blocks of threads that cover count items.
inline unsigned blocks_for(std::size_t count, unsigned threads) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

#if defined(__CUDACC__)
__device__ inline std::size_t thread_index() { return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; }

// A value as parts of 16 bytes: elements and points are aligned to 8 for the host, and lie at multiples of their size,
// itself a multiple of 16, in memory that cudaMalloc has aligned to 256.
template <class T>
union Parts16 {
  static_assert(sizeof(T) % 16 == 0);
  static constexpr unsigned kParts = sizeof(T) / 16;

  __device__ Parts16() {}
  __device__ explicit Parts16(const T& from) : value(from) {}

  uint4 part[kParts];
  T value;
};

template <class T>
__device__ __forceinline__ T load16(const T* at) {
  Parts16<T> parts;
#pragma unroll
  for (unsigned i = 0; i < parts.kParts; ++i) parts.part[i] = reinterpret_cast<const uint4*>(at)[i];
  return parts.value;
}
// The same through the read-only path, for what no kernel writes while this one runs.
template <class T>
__device__ __forceinline__ T load16_constant(const T* at) {
  Parts16<T> parts;
#pragma unroll
  for (unsigned i = 0; i < parts.kParts; ++i) parts.part[i] = __ldg(reinterpret_cast<const uint4*>(at) + i);
  return parts.value;
}
template <class T>
__device__ __forceinline__ void store16(T* at, const T& value) {
  const Parts16<T> parts(value);
#pragma unroll
  for (unsigned i = 0; i < parts.kParts; ++i) reinterpret_cast<uint4*>(at)[i] = parts.part[i];
}
#endif

}  // namespace groth16::device
