// Subgroup membership: the fast checks against multiplication by r, on points of every kind of order.
#include <catch2/catch.hpp>

#include "tests/algebra/random.hpp"

using groth16::Affine;
using groth16::Bls12_381;
using groth16::Bn254;
using groth16::UInt;
using groth16::test::next_point_on_curve;
using groth16::test::Random;
using groth16::test::random_point;

namespace {

template <class G>
bool killed_by_r(const Affine<typename G::Field>& p) {
  return times(p, G::Curve::Fr::modulus()).is_infinity();
}

}  // namespace

TEMPLATE_TEST_CASE("multiples of the generator are in the subgroup", "[subgroup]", GROTH16_TEST_GROUPS) {
  using F = typename TestType::Field;
  Random random(41);
  CHECK(TestType::Curve::in_subgroup(TestType::generator()));
  CHECK(TestType::Curve::in_subgroup(Affine<F>::infinity()));
  for (int round = 0; round < 4; ++round) {
    const auto p = random_point<TestType>(random);
    CHECK(TestType::Curve::in_subgroup(p));
    CHECK(TestType::Curve::in_subgroup(-p));
    CHECK_FALSE(TestType::Curve::in_subgroup(Affine<F>{p.x, p.y + F::one()}));
    CHECK_FALSE(TestType::Curve::in_subgroup(Affine<F>{p.y, p.x}));
  }
}

TEMPLATE_TEST_CASE("the fast check agrees with multiplication by the order", "[subgroup]", GROTH16_TEST_GROUPS) {
  std::uint64_t next = 1;
  for (int round = 0; round < 8; ++round) {
    const auto p = next_point_on_curve<TestType>(next);
    CHECK(on_curve(p, TestType::b()));
    CHECK(TestType::Curve::in_subgroup(p) == killed_by_r<TestType>(p));
    // The part of p whose order divides the cofactor, and that part moved by a point of the subgroup.
    const auto part = times(p, TestType::Curve::Fr::modulus());
    CHECK(TestType::Curve::in_subgroup(part.to_affine()) == part.is_infinity());
    CHECK(TestType::Curve::in_subgroup((part + TestType::generator()).to_affine()) == part.is_infinity());
  }
}

TEST_CASE("points on the curve outside of the subgroup exist and are refused where the cofactor is not one",
          "[subgroup]") {
  std::uint64_t next = 1;
  CHECK(Bn254::in_subgroup(next_point_on_curve<groth16::test::GroupG1<Bn254>>(next)));
  CHECK_FALSE(Bn254::in_subgroup(next_point_on_curve<groth16::test::GroupG2<Bn254>>(next)));
  CHECK_FALSE(Bls12_381::in_subgroup(next_point_on_curve<groth16::test::GroupG1<Bls12_381>>(next)));
  CHECK_FALSE(Bls12_381::in_subgroup(next_point_on_curve<groth16::test::GroupG2<Bls12_381>>(next)));
}

TEST_CASE("points of each small order of BLS12-381's G1 cofactor are refused", "[subgroup]") {
  using Group = groth16::test::GroupG1<Bls12_381>;
  // (x-1)^2 / 3 = 3 * 11^2 * 10177^2 * 859267^2 * 52437899^2
  const auto cofactor = UInt<2>::from_hex("396c8c005555e1568c00aaab0000aaab");
  const auto order = mul_wide(cofactor, Bls12_381::Fr::modulus());
  const Bls12_381::G1 of_order_three{Bls12_381::Fq::zero(), Bls12_381::Fq::from_u64(2)};
  CHECK(on_curve(of_order_three, Bls12_381::b_g1()));
  CHECK(times(of_order_three, UInt<1>::from_u64(3)).is_infinity());
  CHECK_FALSE(Bls12_381::in_subgroup(of_order_three));

  for (const std::uint64_t prime : {11ull, 10177ull, 859267ull, 52437899ull}) {
    auto rest = order;
    REQUIRE(rest.div_word_in_place(prime) == 0);
    REQUIRE(rest.div_word_in_place(prime) == 0);
    std::uint64_t next = 1;
    std::size_t found = 0;
    for (int round = 0; round < 3; ++round) {
      const auto point = times(next_point_on_curve<Group>(next), rest);
      REQUIRE(point.times(UInt<1>::from_u64(prime)).times(UInt<1>::from_u64(prime)).is_infinity());
      if (point.is_infinity()) continue;
      ++found;
      CHECK_FALSE(Bls12_381::in_subgroup(point.to_affine()));
      CHECK_FALSE(Bls12_381::in_subgroup((point + Bls12_381::generator_g1()).to_affine()));
    }
    CHECK(found > 0);
  }
}

TEMPLATE_TEST_CASE("psi is multiplication by q on G2", "[subgroup]", GROTH16_TEST_CURVES) {
  Random random(42);
  const auto q = random_point<groth16::test::GroupG2<TestType>>(random);
  CHECK(times(q, TestType::Fq::modulus()) == TestType::psi(q));
}
