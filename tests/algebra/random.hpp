// Inputs for the tests of the mathematics: reproducible random elements, the edges of a field, and points that nobody
// chose.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "groth16/algebra/curves.hpp"

namespace groth16::test {

// A fixed seed makes a failure reproducible; each test takes its own.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t u64() { return engine_(); }

  template <std::size_t N>
  UInt<N> below(const UInt<N>& bound) {
    const std::size_t spare = UInt<N>::kBits - bound.bit_length();
    while (true) {
      UInt<N> value{};
      for (auto& limb : value.limb) limb = u64();
      value = value >> spare;
      if (value < bound) return value;
    }
  }

  template <class F>
  F element() {
    if constexpr (requires { F::zero().c0; }) {
      using Part = typename F::Prime;
      return F{element<Part>(), element<Part>()};
    } else {
      return F::from_uint(below(F::modulus()));
    }
  }

 private:
  std::mt19937_64 engine_;
};

template <class F>
F negative_one() {
  return -F::one();
}

// 0, 1, 2, -1, -2 and count random elements.
template <class F>
std::vector<F> elements(Random& random, std::size_t count) {
  std::vector<F> out{F::zero(), F::one(), F::from_u64(2), -F::one(), -F::from_u64(2)};
  for (std::size_t i = 0; i < count; ++i) out.push_back(random.element<F>());
  return out;
}

// A group of a curve, so that one test body serves G1 and G2.
template <class C>
struct GroupG1 {
  using Curve = C;
  using Field = typename C::Fq;
  static const auto& generator() { return C::generator_g1(); }
  static const auto& b() { return C::b_g1(); }
  static Field x_candidate(std::uint64_t i) { return Field::from_u64(i); }
};
template <class C>
struct GroupG2 {
  using Curve = C;
  using Field = typename C::Fq2;
  static const auto& generator() { return C::generator_g2(); }
  static const auto& b() { return C::b_g2(); }
  static Field x_candidate(std::uint64_t i) { return Field{Field::Prime::from_u64(i), Field::Prime::one()}; }
};

// The first point on the curve whose x coordinate is candidate number i, i+1, ...; i moves past it. Nearly never in the
// subgroup when the group has a cofactor.
template <class G>
Affine<typename G::Field> next_point_on_curve(std::uint64_t& i) {
  while (true) {
    const auto x = G::x_candidate(i++);
    const auto y = (x.square() * x + G::b()).sqrt();
    if (y) return {x, *y};
  }
}

template <class G>
Affine<typename G::Field> random_point(Random& random) {
  return times(G::generator(), random.below(G::Curve::Fr::modulus())).to_affine();
}

}  // namespace groth16::test

#define GROTH16_TEST_GROUPS                                                       \
  groth16::test::GroupG1<groth16::Bn254>, groth16::test::GroupG2<groth16::Bn254>, \
      groth16::test::GroupG1<groth16::Bls12_381>, groth16::test::GroupG2<groth16::Bls12_381>
#define GROTH16_TEST_PRIME_FIELDS groth16::Bn254::Fq, groth16::Bn254::Fr, groth16::Bls12_381::Fq, groth16::Bls12_381::Fr
#define GROTH16_TEST_CURVES groth16::Bn254, groth16::Bls12_381
