// Radix sort and scan of the CUDA toolkit's CUB.
#include "cuda/ordering.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "cuda/cuda_call.cuh"

namespace groth16::device {

std::size_t sort_temporary_bytes(std::size_t count, unsigned key_bits) {
  std::size_t bytes = 0;
  cub::DoubleBuffer<std::uint32_t> keys, values;
  check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, values, static_cast<std::uint64_t>(count), 0,
                                        static_cast<int>(key_bits)),
        "cub::DeviceRadixSort::SortPairs (size)");
  return bytes;
}

void sort_pairs(SortBuffers& buffers, std::size_t count, unsigned key_bits, void* temporary, std::size_t bytes,
                cudaStream_t stream) {
  cub::DoubleBuffer<std::uint32_t> keys(buffers.keys, buffers.other_keys);
  cub::DoubleBuffer<std::uint32_t> values(buffers.values, buffers.other_values);
  check(cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, values, static_cast<std::uint64_t>(count), 0,
                                        static_cast<int>(key_bits), stream),
        "cub::DeviceRadixSort::SortPairs");
  buffers = {keys.Current(), keys.Alternate(), values.Current(), values.Alternate()};
}

std::size_t scan_temporary_bytes(std::size_t count) {
  std::size_t bytes = 0;
  const std::uint32_t* in = nullptr;
  std::uint32_t* out = nullptr;
  check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, in, out, static_cast<std::uint64_t>(count)),
        "cub::DeviceScan::ExclusiveSum (size)");
  return bytes;
}

void exclusive_scan(const std::uint32_t* in, std::uint32_t* out, std::size_t count, void* temporary, std::size_t bytes,
                    cudaStream_t stream) {
  check(cub::DeviceScan::ExclusiveSum(temporary, bytes, in, out, static_cast<std::uint64_t>(count), stream),
        "cub::DeviceScan::ExclusiveSum");
}

}  // namespace groth16::device
