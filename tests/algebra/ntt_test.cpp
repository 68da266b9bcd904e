// Transforms against the definition of the discrete Fourier transform, and against themselves.
#include <catch2/catch.hpp>

#include <utility>
#include <vector>

#include "groth16/algebra/ntt.hpp"
#include "tests/algebra/random.hpp"

using groth16::Compute;
using groth16::Domain;
using groth16::DomainRoot;
using groth16::UInt;
using groth16::test::Random;

namespace {

template <class F>
std::vector<F> random_vector(Random& random, std::size_t count) {
  std::vector<F> values(count);
  for (auto& value : values) value = random.element<F>();
  return values;
}

template <class F>
F evaluate(const std::vector<F>& coefficients, const F& x) {
  F sum = F::zero();
  for (std::size_t i = coefficients.size(); i-- > 0;) sum = sum * x + coefficients[i];
  return sum;
}

template <class C>
std::vector<DomainRoot> roots() {
  std::vector<DomainRoot> out{DomainRoot::five};
  if (C::has_root(DomainRoot::seven)) out.push_back(DomainRoot::seven);
  return out;
}

}  // namespace

TEMPLATE_TEST_CASE("roots of unity are the powers of their generator with the order they claim", "[ntt]",
                   GROTH16_TEST_CURVES) {
  using Fr = typename TestType::Fr;
  const auto r_less_one = Fr::modulus() - Fr::Integer::from_u64(1);
  CHECK_FALSE(r_less_one.bit(TestType::two_adicity - 1));
  CHECK(r_less_one.bit(TestType::two_adicity));
  for (const DomainRoot kind : roots<TestType>()) {
    const Fr generator = Fr::from_u64(static_cast<std::uint64_t>(kind));
    CHECK(TestType::root_of_unity(kind, TestType::two_adicity) == generator.pow(r_less_one >> TestType::two_adicity));
    CHECK(TestType::root_of_unity(kind, 0) == Fr::one());
    CHECK(TestType::root_of_unity(kind, 1) == -Fr::one());
    for (unsigned log2 = 1; log2 <= TestType::two_adicity; ++log2) {
      CHECK(TestType::root_of_unity(kind, log2).square() == TestType::root_of_unity(kind, log2 - 1));
    }
  }
}

TEST_CASE("the two roots of BLS12-381 give the same points in different orders", "[ntt]") {
  using groth16::Bls12_381;
  const auto five = Bls12_381::root_of_unity(DomainRoot::five, 3),
             seven = Bls12_381::root_of_unity(DomainRoot::seven, 3);
  CHECK_FALSE(five == seven);
  bool found = false;
  for (std::uint64_t i = 1; i < 8; i += 2) found = found || five.pow(i) == seven;
  CHECK(found);
}

TEMPLATE_TEST_CASE("a transform evaluates the polynomial at the powers of the root", "[ntt]", GROTH16_TEST_CURVES) {
  using Fr = typename TestType::Fr;
  Random random(61);
  for (const DomainRoot kind : roots<TestType>()) {
    for (unsigned log2 = 0; log2 <= 7; ++log2) {
      const Fr root = TestType::root_of_unity(kind, log2);
      const Domain<Fr> domain(root, log2);
      const auto coefficients = random_vector<Fr>(random, domain.size());
      auto values = coefficients;
      domain.forward(values, Compute(2));
      for (std::uint64_t j = 0; j < domain.size(); ++j) CHECK(values[j] == evaluate(coefficients, root.pow(j)));
    }
  }
}

// The sizes lie on both sides of the border between layers over the whole vector and layers in the cache.
TEMPLATE_TEST_CASE("a large transform is right at sampled points and undone by its inverse", "[ntt]",
                   GROTH16_TEST_CURVES) {
  using Fr = typename TestType::Fr;
  Random random(62);
  for (const unsigned log2 : {11u, 12u, 13u, 14u, 15u}) {
    for (const unsigned threads : {1u, 3u}) {
      const Fr root = TestType::root_of_unity(roots<TestType>().back(), log2);
      const Domain<Fr> domain(root, log2, Compute(threads));
      const auto coefficients = random_vector<Fr>(random, domain.size());
      auto values = coefficients;
      domain.forward(values, Compute(threads));
      for (const std::uint64_t j : {std::uint64_t{0}, std::uint64_t{1}, random.u64() % domain.size(),
                                    std::uint64_t{domain.size() / 2 + 1}, std::uint64_t{domain.size() - 1}}) {
        CHECK(values[j] == evaluate(coefficients, root.pow(j)));
      }
      domain.inverse(values, Compute(threads));
      CHECK(values == coefficients);
    }
  }
}

TEMPLATE_TEST_CASE("an inverse transform interpolates", "[ntt]", GROTH16_TEST_CURVES) {
  using Fr = typename TestType::Fr;
  Random random(63);
  for (unsigned log2 = 0; log2 <= 6; ++log2) {
    const Fr root = TestType::root_of_unity(DomainRoot::five, log2);
    const Domain<Fr> domain(root, log2);
    const auto values = random_vector<Fr>(random, domain.size());
    auto coefficients = values;
    domain.inverse(coefficients, Compute(1));
    for (std::uint64_t j = 0; j < domain.size(); ++j) CHECK(evaluate(coefficients, root.pow(j)) == values[j]);
  }
}

TEMPLATE_TEST_CASE("scaling by powers moves a polynomial to the odd coset", "[ntt]", GROTH16_TEST_CURVES) {
  using Fr = typename TestType::Fr;
  Random random(64);
  for (const unsigned log2 : {1u, 5u}) {
    const Fr half_step = TestType::root_of_unity(DomainRoot::five, log2 + 1);
    const Domain<Fr> domain(half_step.square(), log2);
    const auto coefficients = random_vector<Fr>(random, domain.size());
    auto values = coefficients;
    Domain<Fr>::coset_scale(values, half_step, Compute(2));
    domain.forward(values, Compute(2));
    for (std::uint64_t j = 0; j < domain.size(); ++j) {
      CHECK(values[j] == evaluate(coefficients, half_step.pow(2 * j + 1)));
    }
  }
  auto many = std::vector<Fr>(10000, Fr::one());
  const Fr g = random.element<Fr>();
  Domain<Fr>::coset_scale(many, g, Compute(3));
  for (const std::uint64_t i : {0u, 1u, 4095u, 4096u, 9999u}) CHECK(many[i] == g.pow(i));
}

TEMPLATE_TEST_CASE("every level of the processor gives the same transforms", "[ntt]", GROTH16_TEST_CURVES) {
  using groth16::CpuLevel;
  using Fr = typename TestType::Fr;
  if (groth16::best_cpu_level() != CpuLevel::ifma) return;
  Random random(65);
  for (unsigned log2 = 0; log2 <= 14; ++log2) {
    const Fr root = TestType::root_of_unity(DomainRoot::five, log2);
    const Domain<Fr> portable(root, log2, Compute(1), CpuLevel::portable),
        lanes(root, log2, Compute(1), CpuLevel::ifma);
    // Random values, and those with the largest limbs in every place.
    for (const bool extreme : {false, true}) {
      const auto values = extreme ? std::vector<Fr>(portable.size(),
                                                    Fr::from_montgomery_limbs(Fr::modulus() - Fr::Integer::from_u64(1)))
                                  : random_vector<Fr>(random, portable.size());
      auto expected = values, actual = values;
      portable.forward(expected, Compute(1));
      lanes.forward(actual, Compute(2));
      CHECK(actual == expected);
      lanes.inverse(actual, Compute(2));
      CHECK(actual == values);
      actual = values;
      lanes.inverse(actual, Compute(1));
      expected = values;
      portable.inverse(expected, Compute(1));
      CHECK(actual == expected);
    }
  }
  for (const std::size_t count : {0u, 1u, 7u, 8u, 9u, 5001u}) {
    const auto values = random_vector<Fr>(random, count);
    auto expected = values, actual = values;
    const Fr g = random.element<Fr>();
    Domain<Fr>::coset_scale(expected, g, Compute(1), CpuLevel::portable);
    Domain<Fr>::coset_scale(actual, g, Compute(2), CpuLevel::ifma);
    CHECK(actual == expected);
  }
}
