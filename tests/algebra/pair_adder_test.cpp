// Sums of pairs that share inversions against sums in Jacobian coordinates, at every level of this processor: chords,
// tangents, opposite points, infinity, negated operands, operands that are sums themselves.
#include <catch2/catch.hpp>

#include <vector>

#include "groth16/algebra/pair_adder.hpp"
#include "tests/algebra/random.hpp"

using groth16::Affine;
using groth16::CpuLevel;
using groth16::Jacobian;
using groth16::PointPair;
using groth16::test::Random;

namespace {

std::vector<CpuLevel> levels() {
  std::vector<CpuLevel> out{CpuLevel::portable};
  if (groth16::best_cpu_level() >= CpuLevel::adx) out.push_back(CpuLevel::adx);
  if (groth16::best_cpu_level() == CpuLevel::ifma) out.push_back(CpuLevel::ifma);
  return out;
}

// Infinity, and pairs of opposite points.
template <class G>
std::vector<Affine<typename G::Field>> some_points(Random& random, std::size_t count) {
  std::vector<Affine<typename G::Field>> points{Affine<typename G::Field>::infinity()};
  while (points.size() < count) {
    points.push_back(groth16::test::random_point<G>(random));
    points.push_back(-points.back());
  }
  return points;
}

template <class F>
Jacobian<F> expected_sum(const PointPair<F>& pair) {
  const auto first = canonical(*pair.first).negated_if(pair.negate_first);
  return Jacobian<F>::from_affine(first) + canonical(*pair.second).negated_if(pair.negate_second);
}

}  // namespace

TEMPLATE_TEST_CASE("every pair has the right sum, whatever its neighbours are", "[pairs]", GROTH16_TEST_GROUPS) {
  using F = typename TestType::Field;
  Random random(81);
  const auto points = some_points<TestType>(random, 9);
  for (const CpuLevel level : levels()) {
    const auto adder = groth16::make_pair_adder<F>(level);
    for (const std::size_t count : {1u, 7u, 8u, 9u, 255u, 257u, 2048u, 2049u}) {
      std::vector<Affine<F>> sums(count);
      std::vector<PointPair<F>> pairs;
      for (auto& sum : sums) {
        const std::uint64_t bits = random.u64();
        pairs.push_back({&points[bits % points.size()], &points[(bits >> 16) % points.size()], &sum,
                         (bits >> 32 & 1) != 0, (bits >> 33 & 1) != 0});
      }
      adder->add(pairs);
      std::size_t wrong = 0;
      for (const auto& pair : pairs) wrong += expected_sum(pair) == canonical(*pair.sum) ? 0 : 1;
      CHECK(wrong == 0);
    }
  }
}

TEMPLATE_TEST_CASE("sums of sums are right, and a sum may take its operand's place", "[pairs]", GROTH16_TEST_GROUPS) {
  using F = typename TestType::Field;
  constexpr std::size_t kCount = 300;
  Random random(82);
  const auto generator = TestType::generator();
  for (const CpuLevel level : levels()) {
    const auto adder = groth16::make_pair_adder<F>(level);
    // Point i is [i]G; each round adds one of them to all, without any mending in between.
    std::vector<Affine<F>> points(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      points[i] = times(generator, groth16::UInt<1>::from_u64(i)).to_affine();
    }
    std::uint64_t shift = 0;
    for (int round = 0; round < 40; ++round) {
      const std::size_t chosen = random.u64() % kCount;
      const auto step = points[chosen];  // its own double is among the sums
      std::vector<PointPair<F>> pairs;
      for (auto& point : points) pairs.push_back({&point, &step, &point});
      adder->add(pairs);
      shift = 2 * shift + chosen;
    }
    for (std::size_t i = 0; i < kCount; ++i) {
      CHECK(times(generator, groth16::UInt<1>::from_u64(i + shift)) == canonical(points[i]));
    }
  }
}
