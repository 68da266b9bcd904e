// Inputs of sums of points: multiples of a generator that are known, scalars, and the levels whose additions differ.
#pragma once

#include <cstddef>
#include <vector>

#include "groth16/algebra/cpu_level.hpp"
#include "groth16/algebra/curves.hpp"
#include "tests/algebra/random.hpp"

namespace groth16::test {

template <class F>
using Points = std::vector<Affine<F>>;
using Scalars = std::vector<UInt<4>>;

// [1]G, [2]G, ..., [count]G.
template <class G>
Points<typename G::Field> multiples(std::size_t count) {
  using F = typename G::Field;
  std::vector<Jacobian<F>> sums(count);
  auto sum = Jacobian<F>::infinity();
  for (auto& entry : sums) entry = sum = sum + G::generator();
  Points<F> points(count);
  batch_to_affine<F>(sums, points);
  return points;
}

template <class G>
Scalars random_scalars(Random& random, std::size_t count) {
  Scalars scalars(count);
  for (auto& scalar : scalars) scalar = random.below(G::Curve::Fr::modulus());
  return scalars;
}

// The levels of this processor that add pairs of points in ways of their own.
inline std::vector<CpuLevel> pair_adder_levels() {
  std::vector<CpuLevel> out{CpuLevel::portable};
  if (best_cpu_level() >= CpuLevel::adx) out.push_back(CpuLevel::adx);
  if (best_cpu_level() == CpuLevel::ifma) out.push_back(CpuLevel::ifma);
  return out;
}

}  // namespace groth16::test
