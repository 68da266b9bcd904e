// Sorting and scanning of 32-bit words, by CUB; apart from everything else because its templates are slow to compile.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

namespace groth16::device {

// Two arrays of keys and two of values; a sort leaves its result in either and swaps the pointers so that keys and
// values name it.
struct SortBuffers {
  std::uint32_t *keys, *other_keys;
  std::uint32_t *values, *other_values;
};

std::size_t sort_temporary_bytes(std::size_t count, unsigned key_bits);

// Orders pairs by the lowest key_bits of their keys, stable.
void sort_pairs(SortBuffers& buffers, std::size_t count, unsigned key_bits, void* temporary, std::size_t bytes,
                cudaStream_t stream);

std::size_t scan_temporary_bytes(std::size_t count);

// out[i] = the sum of in[0 .. i-1].
void exclusive_scan(const std::uint32_t* in, std::uint32_t* out, std::size_t count, void* temporary, std::size_t bytes,
                    cudaStream_t stream);

}  // namespace groth16::device
