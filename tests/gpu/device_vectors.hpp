// Random vectors that host and card both know, and host copies of what the card holds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cuda/device_array.cuh"
#include "groth16/algebra/uint.hpp"

namespace groth16::test {

// splitmix64 (Steele, Lea, Flood 2014) of a counter.
GROTH16_HD inline std::uint64_t scrambled(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Scalar number i of a seed: uniform among the integers of the modulus's bits, less the modulus where it is not below.
GROTH16_HD inline UInt<4> random_scalar(std::uint64_t seed, std::uint64_t i, const UInt<4>& modulus) {
  UInt<4> value;
  for (unsigned j = 0; j < 4; ++j) value.limb[j] = scrambled(seed * 0x100000001b3 + 4 * i + j);
  std::uint64_t mask = modulus.limb[3];
  for (unsigned shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
  value.limb[3] &= mask;
  if (value >= modulus) value.sub_in_place(modulus);
  return value;
}

// values[i] = random_scalar(seed, i, modulus) for i < count, on the card.
void fill_random(UInt<4>* values, std::uint64_t seed, const UInt<4>& modulus, std::size_t count, cudaStream_t stream);

template <class T>
device::DeviceArray<T> on_device(std::span<const T> values, const device::Stream& stream) {
  device::DeviceArray<T> array(values.size(), "test values");
  device::upload(array.data(), values, stream.get());
  stream.wait("upload");
  return array;
}
template <class T>
std::vector<T> on_host(const T* values, std::size_t count, const device::Stream& stream) {
  std::vector<T> out(count);
  device::download(std::span(out), values, stream.get());
  stream.wait("download");
  return out;
}

}  // namespace groth16::test
