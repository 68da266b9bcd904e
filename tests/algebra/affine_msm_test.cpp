// The bucket method with shared inversions against the one with XYZZ accumulators, on what sorts, trees and inversions
// get wrong first: few points, one bucket, one point, opposite points, infinity, scalars that are all alike.
#include <catch2/catch.hpp>

#include <functional>
#include <span>
#include <vector>

#include "groth16/algebra/affine_msm.hpp"
#include "groth16/algebra/booth.hpp"
#include "groth16/algebra/xyzz_msm.hpp"
#include "tests/algebra/random.hpp"

using groth16::Affine;
using groth16::BoothWindows;
using groth16::Compute;
using groth16::CpuLevel;
using groth16::Jacobian;
using groth16::UInt;
using groth16::test::Random;

namespace {

template <class F>
using Points = std::vector<Affine<F>>;
using Scalars = std::vector<UInt<4>>;

std::vector<CpuLevel> levels() {
  std::vector<CpuLevel> out{CpuLevel::portable};
  if (groth16::best_cpu_level() >= CpuLevel::adx) out.push_back(CpuLevel::adx);
  if (groth16::best_cpu_level() == CpuLevel::ifma) out.push_back(CpuLevel::ifma);
  return out;
}

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

template <class F>
void check(const Points<F>& points, const Scalars& scalars) {
  const auto expected = groth16::xyzz_msm<F>(points, scalars, Compute(1));
  for (const CpuLevel level : levels()) {
    for (const unsigned threads : {1u, 3u}) {
      CHECK(groth16::affine_msm<F>(points, scalars, Compute(threads), level) == expected);
    }
  }
}

}  // namespace

TEST_CASE("the digits of a scalar give the scalar back", "[msm]") {
  Random random(91);
  const UInt<4> all_bits{{~0ull, ~0ull, ~0ull, ~0ull}}, one = UInt<4>::from_u64(1);
  Scalars scalars{UInt<4>::zero(), one,           all_bits,
                  one << 255,      all_bits >> 1, {{0x8000800080008000, 0x8000800080008000, 1, 0}}};
  for (int i = 0; i < 20; ++i) scalars.push_back(UInt<4>{{random.u64(), random.u64(), random.u64(), random.u64()}});
  for (unsigned bits = 2; bits <= 17; ++bits) {
    const BoothWindows windows(bits, 256);
    for (const auto& scalar : scalars) {
      UInt<4> sum{};  // modulo 2^256
      for (std::size_t window = windows.count(); window-- > 0;) {
        const std::int32_t digit = windows.digit(scalar, window);
        REQUIRE(std::abs(digit) <= static_cast<std::int64_t>(windows.buckets()));
        sum = sum << bits;
        const auto magnitude = UInt<4>::from_u64(static_cast<std::uint64_t>(std::abs(digit)));
        sum = digit < 0 ? sum - magnitude : sum + magnitude;
      }
      CHECK(sum == scalar);
    }
  }
}

TEMPLATE_TEST_CASE("shared inversions give the sum that XYZZ buckets give", "[msm]", GROTH16_TEST_GROUPS) {
  using F = typename TestType::Field;
  Random random(92);
  const auto modulus = TestType::Curve::Fr::modulus();
  const auto all = multiples<TestType>(1500);
  const auto one = UInt<4>::from_u64(1);
  const std::function<void(Affine<F>&, UInt<4>&)> skews[] = {
      [](auto&, auto&) {},
      [&](auto&, auto& scalar) { scalar = modulus - one; },
      [&](auto&, auto& scalar) { scalar = UInt<4>::from_u64(random.u64() & 1); },
      [&](auto&, auto& scalar) {
        scalar = {{~0ull, ~0ull, ~0ull, ~0ull}};
      },
      [&](auto& point, auto& scalar) {
        point = all[random.u64() % 5];
        scalar = UInt<4>::from_u64(random.u64() % 9);
      },
      [&](auto& point, auto&) {
        point = random.u64() % 3 == 0 ? Affine<F>::infinity() : all[0].negated_if((random.u64() & 1) != 0);
      },
      [&](auto& point, auto& scalar) {
        point = all[7];
        scalar = UInt<4>::from_u64(0x123456789);
      },
  };
  for (const std::size_t count : {1u, 2u, 9u, 100u, 1500u}) {
    for (const auto& skew : skews) {
      Points<F> points(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
      Scalars scalars(count);
      for (std::size_t i = 0; i < count; ++i) {
        scalars[i] = random.below(modulus);
        skew(points[i], scalars[i]);
      }
      check<F>(points, scalars);
    }
  }
}

// More points than a piece of the tree holds, in one bucket, so that a run is cut twice.
TEST_CASE("a bucket that is longer than the tree's piece is summed to its end", "[msm]") {
  using Group = groth16::test::GroupG1<groth16::Bn254>;
  using F = Group::Field;
  const auto few = multiples<Group>(1000);
  Points<F> points;
  for (std::size_t i = 0; i < 40000; ++i) points.push_back(few[i % few.size()]);
  const Scalars scalars(points.size(), UInt<4>::from_u64(3));
  const std::vector<std::uint64_t> bits(points.size() / 64, ~std::uint64_t{0});
  const auto sum = times(Group::generator(), UInt<1>::from_u64(40 * 500 * 1001));
  for (const CpuLevel level : levels()) {
    CHECK(groth16::affine_msm<F>(points, scalars, Compute(2), level) == sum.times(UInt<1>::from_u64(3)));
    CHECK(groth16::affine_sum_selected<F>(points, bits, Compute(2), level) == sum);
  }
}

TEMPLATE_TEST_CASE("selected points are summed as XYZZ accumulators sum them", "[msm]", GROTH16_TEST_GROUPS) {
  using F = typename TestType::Field;
  Random random(93);
  auto points = multiples<TestType>(700);
  for (std::size_t i = 0; i < points.size(); i += 5) points[i] = Affine<F>::infinity();
  for (const std::size_t count : {0u, 1u, 64u, 65u, 699u, 700u}) {
    const auto some = std::span<const Affine<F>>(points).first(count);
    for (const std::uint64_t pattern : {std::uint64_t{0}, ~std::uint64_t{0}, random.u64()}) {
      const std::vector<std::uint64_t> bits((count + 63) / 64, pattern);
      const auto expected = groth16::xyzz_sum_selected<F>(some, bits, Compute(1));
      for (const CpuLevel level : levels()) {
        CHECK(groth16::affine_sum_selected<F>(some, bits, Compute(2), level) == expected);
      }
    }
  }
}
