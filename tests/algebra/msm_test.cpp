// Multi-scalar sums against naive sums, on the inputs that buckets, windows and digits get wrong first.
#include <catch2/catch.hpp>

#include <functional>
#include <span>
#include <vector>

#include "groth16/algebra/msm.hpp"
#include "tests/algebra/points.hpp"

using groth16::Affine;
using groth16::Compute;
using groth16::Jacobian;
using groth16::Pulse;
using groth16::UInt;
using groth16::test::multiples;
using groth16::test::Points;
using groth16::test::Random;
using groth16::test::random_scalars;
using groth16::test::Scalars;

namespace {

template <class F>
Jacobian<F> naive_sum(const Points<F>& points, const Scalars& scalars) {
  auto sum = Jacobian<F>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) sum += times(points[i], scalars[i]);
  return sum;
}

template <class F>
void check_equals_naive(const Points<F>& points, const Scalars& scalars) {
  const auto expected = naive_sum(points, scalars);
  for (const unsigned threads : {1u, 3u}) {
    CHECK(groth16::msm<F>(points, scalars, Compute(threads)) == expected);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("an MSM over few points equals the naive sum", "[msm]", GROTH16_TEST_GROUPS) {
  Random random(51);
  for (const std::size_t count : {0u, 1u, 2u, 3u, 15u, 16u, 17u}) {
    check_equals_naive(multiples<TestType>(count), random_scalars<TestType>(random, count));
  }
}

// The points are known multiples of one generator, so the sum is one multiple of it.
TEMPLATE_TEST_CASE("an MSM around powers of two equals the multiple that it must be", "[msm]", GROTH16_TEST_GROUPS) {
  using F = typename TestType::Field;
  using Fr = typename TestType::Curve::Fr;
  Random random(52);
  const auto all = multiples<TestType>(1026);
  for (const std::size_t count : {127u, 128u, 129u, 1023u, 1024u, 1025u}) {
    const auto scalars = random_scalars<TestType>(random, count);
    Fr exponent = Fr::zero();
    for (std::size_t i = 0; i < count; ++i) exponent += Fr::from_uint(scalars[i]) * Fr::from_u64(i + 1);
    const auto sum = groth16::msm<F>(std::span(all).first(count), scalars, Compute(2));
    CHECK(sum == times(TestType::generator(), exponent.to_uint()));
  }
}

TEMPLATE_TEST_CASE("an MSM over edge scalars equals the naive sum", "[msm]", GROTH16_TEST_GROUPS) {
  const auto r = TestType::Curve::Fr::modulus();
  const UInt<4> one = UInt<4>::from_u64(1);
  const auto points = multiples<TestType>(12);
  const auto all_equal = [&](const UInt<4>& scalar) { check_equals_naive(points, Scalars(points.size(), scalar)); };
  all_equal(UInt<4>::zero());
  all_equal(one);
  all_equal(UInt<4>::from_u64(2));
  all_equal(r - one);
  all_equal(UInt<4>{{~0ull, ~0ull, ~0ull, ~0ull}});
  all_equal(UInt<4>{{0, 0, 0, 1ull << 63}});
  all_equal(UInt<4>{{0x8000800080008000, 0x8000800080008000, 0x8000800080008000, 0x0800800080008000}});
  check_equals_naive(points, {UInt<4>::zero(), one, r - one, one, UInt<4>::zero(), UInt<4>::from_u64(2), r - one,
                              UInt<4>::from_u64(~0ull), one << 64, one << 128, (one << 200) - one, one << 253});
}

TEMPLATE_TEST_CASE("an MSM over edge points equals the naive sum", "[msm]", GROTH16_TEST_GROUPS) {
  using F = typename TestType::Field;
  Random random(53);
  const auto g = TestType::generator();
  const auto scalars = random_scalars<TestType>(random, 12);
  const auto infinity = Affine<F>::infinity();
  check_equals_naive(Points<F>(12, infinity), scalars);
  check_equals_naive(Points<F>(12, g), scalars);
  check_equals_naive(Points<F>{g, infinity, -g, g, g, infinity, g, -g, -g, infinity, infinity, g}, scalars);
}

TEMPLATE_TEST_CASE("opposite points with one scalar cancel, in a bucket and among the ones", "[msm]",
                   GROTH16_TEST_GROUPS) {
  using F = typename TestType::Field;
  const auto g = TestType::generator();
  Points<F> points;
  for (int i = 0; i < 100; ++i) points.push_back(i % 2 == 0 ? g : -g);
  for (const UInt<4>& scalar : {UInt<4>::from_u64(1), UInt<4>::from_u64(77), UInt<4>{{1, 2, 3, 4}}}) {
    CHECK(groth16::msm<F>(points, Scalars(points.size(), scalar), Compute(2)).is_infinity());
  }
}

TEMPLATE_TEST_CASE("an MSM whose points all fall in one bucket equals the naive sum", "[msm]", GROTH16_TEST_GROUPS) {
  using F = typename TestType::Field;
  const auto points = multiples<TestType>(200);
  const auto sum = groth16::msm<F>(points, Scalars(points.size(), UInt<4>::from_u64(3)), Compute(2));
  CHECK(sum == times(TestType::generator(), UInt<1>::from_u64(3 * 200 * 201 / 2)));
}

TEMPLATE_TEST_CASE("an MSM over a witness of mostly bits equals the naive sum", "[msm]", GROTH16_TEST_GROUPS) {
  using Fr = typename TestType::Curve::Fr;
  using F = typename TestType::Field;
  Random random(54);
  const auto points = multiples<TestType>(2500);
  Scalars scalars(points.size());
  Fr exponent = Fr::zero();
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    scalars[i] = i % 20 == 0 ? random.below(Fr::modulus()) : UInt<4>::from_u64(random.u64() & 1);
    exponent += Fr::from_uint(scalars[i]) * Fr::from_u64(i + 1);
  }
  for (const unsigned threads : {1u, 4u}) {
    CHECK(groth16::msm<F>(points, scalars, Compute(threads)) == times(TestType::generator(), exponent.to_uint()));
  }
}

TEMPLATE_TEST_CASE("the sum of selected points follows the bits", "[msm]", GROTH16_TEST_GROUPS) {
  using F = typename TestType::Field;
  Random random(55);
  for (const std::size_t count : {0u, 1u, 63u, 64u, 65u, 1023u, 1024u, 1025u, 2100u}) {
    const auto points = multiples<TestType>(count);
    for (const std::uint64_t pattern : {std::uint64_t{0}, ~std::uint64_t{0}, random.u64()}) {
      // The words are set beyond the points too; those bits must not count.
      const std::vector<std::uint64_t> bits((count + 63) / 64, pattern);
      std::uint64_t multiple = 0;
      for (std::size_t i = 0; i < count; ++i) multiple += (pattern >> (i % 64) & 1) * (i + 1);
      const auto sum = groth16::sum_selected<F>(points, bits, Compute(2));
      CHECK(sum == times(TestType::generator(), UInt<1>::from_u64(multiple)));
    }
  }
}

TEST_CASE("an MSM shows that it lives and ends early when cancelled", "[msm]") {
  using Group = groth16::test::GroupG1<groth16::Bn254>;
  Random random(56);
  const auto points = multiples<Group>(4096);
  const auto scalars = random_scalars<Group>(random, points.size());
  Pulse pulse;
  const auto sum = groth16::msm<Group::Field>(points, scalars, Compute(2, &pulse));
  CHECK(sum == groth16::msm<Group::Field>(points, scalars, Compute(1)));
  const auto full_beats = pulse.beats.load();
  CHECK(full_beats > 20);

  Pulse cancelled;
  cancelled.cancel = true;
  groth16::msm<Group::Field>(points, scalars, Compute(2, &cancelled));
  CHECK(cancelled.beats.load() < full_beats);
}
