// Points from outside: what is none is found, wherever it stands, by every level alike.
#include <catch2/catch.hpp>

#include <cstring>
#include <vector>

#include "groth16/algebra/point_check.hpp"
#include "tests/algebra/points.hpp"

using groth16::Affine;
using groth16::CpuLevel;
using groth16::first_off_curve;
using groth16::test::multiples;
using groth16::test::pair_adder_levels;
using groth16::test::Points;
using groth16::test::Random;

namespace {

template <class G>
std::size_t found(const Points<typename G::Field>& points, CpuLevel level) {
  return first_off_curve<typename G::Field>(points, G::b(), level);
}

// Adds p to limbs of memory: the same residue, in a form that no reader may accept.
template <class Prime>
void add_modulus(Prime& coordinate) {
  auto limbs = coordinate.limbs();
  limbs.add_in_place(Prime::modulus());
  std::memcpy(static_cast<void*>(&coordinate), limbs.limb, sizeof(limbs.limb));
}
template <class P>
auto& first_prime(groth16::Fp<P>& a) {
  return a;
}
template <class P>
auto& first_prime(groth16::Fp2<groth16::Fp<P>>& a) {
  return a.c0;
}
template <class P>
auto& last_prime(groth16::Fp<P>& a) {
  return a;
}
template <class P>
auto& last_prime(groth16::Fp2<groth16::Fp<P>>& a) {
  return a.c1;
}

}  // namespace

TEMPLATE_TEST_CASE("points of the curve and infinity pass, at every length", "[point_check]", GROTH16_TEST_GROUPS) {
  using F = typename TestType::Field;
  for (const CpuLevel level : pair_adder_levels()) {
    for (const std::size_t count : {0u, 1u, 7u, 8u, 9u, 16u, 67u}) {
      auto points = multiples<TestType>(count);
      CHECK(found<TestType>(points, level) == count);
      for (std::size_t i = 0; i < count; i += 3) points[i] = Affine<F>::infinity();
      CHECK(found<TestType>(points, level) == count);
      for (auto& point : points) point = -point;
      CHECK(found<TestType>(points, level) == count);
    }
  }
}

TEMPLATE_TEST_CASE("the first that is no point is found in every lane", "[point_check]", GROTH16_TEST_GROUPS) {
  using F = typename TestType::Field;
  const std::vector<void (*)(Affine<F>&)> faults = {
      [](Affine<F>& point) { point.x = point.x + F::one(); },
      [](Affine<F>& point) { point.y = point.y + F::one(); },
      [](Affine<F>& point) { point.x = F::zero(); },
      [](Affine<F>& point) { point.y = F::zero(); },
      [](Affine<F>& point) { std::swap(point.x, point.y); },
      [](Affine<F>& point) { last_prime(point.y) = last_prime(point.y) + last_prime(point.y).one(); },
      [](Affine<F>& point) { add_modulus(first_prime(point.x)); },
      [](Affine<F>& point) { add_modulus(last_prime(point.x)); },
      [](Affine<F>& point) { add_modulus(first_prime(point.y)); },
      [](Affine<F>& point) { add_modulus(last_prime(point.y)); },
      [](Affine<F>& point) { std::memset(static_cast<void*>(&point.x), 0xff, sizeof point.x); },
      [](Affine<F>& point) { std::memset(static_cast<void*>(&point), 0xff, sizeof point); },
  };
  const auto sound = multiples<TestType>(25);
  for (const CpuLevel level : pair_adder_levels()) {
    for (const auto& fault : faults) {
      for (std::size_t place = 0; place < sound.size(); ++place) {
        auto points = sound;
        fault(points[place]);
        points.back().x = points.back().x + F::one();  // a later one is not told
        CHECK(found<TestType>(points, level) == place);
      }
    }
  }
}

TEMPLATE_TEST_CASE("random pairs of coordinates are judged as by the equation", "[point_check]", GROTH16_TEST_GROUPS) {
  using F = typename TestType::Field;
  Random random(57);
  for (int round = 0; round < 64; ++round) {
    Points<F> points(8);
    for (auto& point : points) point = {random.element<F>(), random.element<F>()};
    std::size_t expected = 0;
    while (expected < points.size() && groth16::on_curve(points[expected], TestType::b())) ++expected;
    for (const CpuLevel level : pair_adder_levels()) CHECK(found<TestType>(points, level) == expected);
  }
}
