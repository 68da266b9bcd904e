// The closed form of a sum over a walk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "groth16/algebra/compute.hpp"
#include "tests/gpu/device_vectors.hpp"

namespace groth16::test {

// sum over i < count of random_scalar(seed, i) (first + i).
template <class Fr>
Fr walk_factor(std::uint64_t seed, std::uint64_t first, std::size_t count) {
  constexpr std::size_t kPart = 4096;
  std::vector<Fr> parts((count + kPart - 1) / kPart, Fr::zero());
  Compute(16).parallel_for(parts.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t part = begin; part < end; ++part) {
      for (std::size_t i = kPart * part; i < std::min(count, kPart * (part + 1)); ++i) {
        parts[part] += Fr::from_u64(first + i).mul_raw(random_scalar(seed, i, Fr::modulus()));
      }
    }
  });
  Fr sum = Fr::zero();
  for (const Fr& part : parts) sum += part;
  return Fr::from_uint(sum.limbs());  // mul_raw has taken it out of Montgomery form
}

}  // namespace groth16::test
