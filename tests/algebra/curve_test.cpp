// The group law in all three shapes of a point, with the cases that formulas forget.
#include <catch2/catch.hpp>

#include <span>
#include <vector>

#include "tests/algebra/random.hpp"

using groth16::Affine;
using groth16::Jacobian;
using groth16::UInt;
using groth16::Xyzz;
using groth16::test::Random;
using groth16::test::random_point;

namespace {

// The chord-and-tangent law, straight from the textbook.
template <class F>
Affine<F> textbook_sum(const Affine<F>& p, const Affine<F>& q) {
  if (p.is_infinity()) return q;
  if (q.is_infinity()) return p;
  if (p == -q) return Affine<F>::infinity();
  const F square = p.x.square();
  const F slope = p == q ? (square + square + square) * (p.y + p.y).inverse() : (p.y - q.y) * (p.x - q.x).inverse();
  const F x = slope.square() - p.x - q.x;
  return {x, slope * (p.x - x) - p.y};
}

// The same point with another Z.
template <class F>
Jacobian<F> rescaled(const Affine<F>& p, const F& z) {
  if (p.is_infinity()) return {z, z, F::zero()};
  return {p.x * z.square(), p.y * z.square() * z, z};
}
template <class F>
Xyzz<F> rescaled_xyzz(const Affine<F>& p, const F& z) {
  if (p.is_infinity()) return {z, z, F::zero(), F::zero()};
  return {p.x * z.square(), p.y * z.square() * z, z.square(), z.square() * z};
}

template <class G>
std::vector<Affine<typename G::Field>> samples(Random& random) {
  const auto p = random_point<G>(random), q = random_point<G>(random);
  const auto twice = Jacobian<typename G::Field>::from_affine(p).doubled().to_affine();
  return {Affine<typename G::Field>::infinity(), G::generator(), -G::generator(), p, -p, twice, -twice, q};
}

}  // namespace

TEMPLATE_TEST_CASE("every sum equals the textbook sum", "[curve]", GROTH16_TEST_GROUPS) {
  using F = typename TestType::Field;
  Random random(31);
  const auto points = samples<TestType>(random);
  for (const auto& p : points) {
    for (const auto& q : points) {
      const auto expected = textbook_sum(p, q);
      const F z1 = random.element<F>(), z2 = random.element<F>();
      const auto jp = rescaled(p, z1), jq = rescaled(q, z2);
      CHECK((jp + jq).to_affine() == expected);
      CHECK((jp + q).to_affine() == expected);
      CHECK((jp - (-jq)).to_affine() == expected);
      CHECK((Jacobian<F>::from_affine(p) + q).to_affine() == expected);
      auto mixed = rescaled_xyzz(p, z1);
      mixed += q;
      CHECK(mixed.to_jacobian().to_affine() == expected);
      auto full = rescaled_xyzz(p, z1);
      full += rescaled_xyzz(q, z2);
      CHECK(full.to_jacobian().to_affine() == expected);
    }
    const auto twice = textbook_sum(p, p);
    const F z = random.element<F>();
    CHECK(rescaled(p, z).doubled().to_affine() == twice);
    CHECK(rescaled_xyzz(p, z).doubled().to_jacobian().to_affine() == twice);
    CHECK(Xyzz<F>::doubled(p).to_jacobian().to_affine() == twice);
  }
}

TEMPLATE_TEST_CASE("points are equal whatever their scale", "[curve]", GROTH16_TEST_GROUPS) {
  using F = typename TestType::Field;
  Random random(32);
  const auto points = samples<TestType>(random);
  for (const auto& p : points) {
    for (const auto& q : points) {
      const F z1 = random.element<F>(), z2 = random.element<F>();
      CHECK((rescaled(p, z1) == rescaled(q, z2)) == (p == q));
      CHECK((rescaled(p, z1) == q) == (p == q));
    }
  }
}

TEMPLATE_TEST_CASE("scalar multiplication is repeated addition", "[curve]", GROTH16_TEST_GROUPS) {
  using F = typename TestType::Field;
  const auto& g = TestType::generator();
  auto sum = Jacobian<F>::infinity();
  for (std::uint64_t k = 0; k < 20; ++k) {
    CHECK(times(g, UInt<1>::from_u64(k)) == sum);
    sum += g;
  }
  const auto r = TestType::Curve::Fr::modulus();
  CHECK(times(g, r).is_infinity());
  CHECK(times(g, r - UInt<4>::from_u64(1)) == -g);
  CHECK(times(g, r + UInt<4>::from_u64(1)) == g);
  CHECK(times(Affine<F>::infinity(), r - UInt<4>::from_u64(1)).is_infinity());
}

TEMPLATE_TEST_CASE("conversion in a batch equals single conversions", "[curve]", GROTH16_TEST_GROUPS) {
  using F = typename TestType::Field;
  Random random(33);
  std::vector<Jacobian<F>> points;
  auto sum = Jacobian<F>::from_affine(TestType::generator());
  for (int i = 0; i < 300; ++i) {
    points.push_back(i % 50 == 7 ? Jacobian<F>::infinity() : sum);
    sum = sum.doubled() + TestType::generator();
  }
  std::vector<Affine<F>> out(points.size());
  batch_to_affine<F>(points, out);
  for (std::size_t i = 0; i < points.size(); ++i) {
    CHECK(points[i] == out[i]);
    CHECK(out[i].is_infinity() == points[i].is_infinity());
    CHECK(on_curve(out[i], TestType::b()));
  }
}

TEMPLATE_TEST_CASE("a point off the curve is told from one on it", "[curve]", GROTH16_TEST_GROUPS) {
  using F = typename TestType::Field;
  Random random(34);
  const auto p = random_point<TestType>(random);
  CHECK(on_curve(p, TestType::b()));
  CHECK(on_curve(Affine<F>::infinity(), TestType::b()));
  CHECK_FALSE(on_curve(Affine<F>{p.x, p.y + F::one()}, TestType::b()));
  CHECK_FALSE(on_curve(Affine<F>{p.x + F::one(), p.y}, TestType::b()));
  CHECK_FALSE(on_curve(Affine<F>{F::zero(), F::one()}, TestType::b()));
  CHECK_FALSE(on_curve(Affine<F>{p.x, F::zero()}, TestType::b()));
}

TEMPLATE_TEST_CASE("a point lies in memory as x then y, infinity as zero bytes", "[curve]", GROTH16_TEST_GROUPS) {
  using Point = Affine<typename TestType::Field>;
  STATIC_REQUIRE(std::is_trivially_copyable_v<Point>);
  STATIC_REQUIRE(sizeof(Point) == 2 * sizeof(typename TestType::Field));
  STATIC_REQUIRE(offsetof(Point, y) == sizeof(typename TestType::Field));
  const Point zeros{};
  CHECK(zeros.is_infinity());
}

TEST_CASE("curve names are understood in every spelling and no other", "[curve]") {
  using groth16::curve_from_name;
  using groth16::CurveId;
  for (const char* name : {"bn128", "BN254", "bn254", "alt_bn128", "ALTBN128", "bn-128"}) {
    CHECK(curve_from_name(name) == CurveId::bn254);
  }
  for (const char* name : {"bls12381", "BLS12_381", "bls12-381"}) CHECK(curve_from_name(name) == CurveId::bls12_381);
  for (const char* name : {"", "bn", "bn1284", "bls12377", "secp256k1"}) CHECK_FALSE(curve_from_name(name).has_value());
  const auto id = [](CurveId of) { return groth16::with_curve(of, []<class C>() { return C::id; }); };
  CHECK(id(CurveId::bn254) == CurveId::bn254);
  CHECK(id(CurveId::bls12_381) == CurveId::bls12_381);
}
