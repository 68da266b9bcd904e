// One thread a scalar.
#include "tests/gpu/device_vectors.hpp"

#include "cuda/threads.cuh"

namespace groth16::test {

namespace {

__global__ void fill(UInt<4>* values, std::uint64_t seed, UInt<4> modulus, std::size_t count) {
  const std::size_t i = device::thread_index();
  if (i < count) values[i] = random_scalar(seed, i, modulus);
}

}  // namespace

void fill_random(UInt<4>* values, std::uint64_t seed, const UInt<4>& modulus, std::size_t count, cudaStream_t stream) {
  fill<<<device::blocks_for(count, 256), 256, 0, stream>>>(values, seed, modulus, count);
  device::check_launch("fill");
}

}  // namespace groth16::test
