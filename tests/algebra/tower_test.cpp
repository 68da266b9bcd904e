// Extension fields: the axioms, the defining relations, Frobenius against its definition, roots.
#include <catch2/catch.hpp>

#include "tests/algebra/random.hpp"

using groth16::test::Random;

namespace {

template <class C>
typename C::Fq12 random_fq12(Random& random) {
  const auto part = [&] { return random.element<typename C::Fq2>(); };
  return {{part(), part(), part()}, {part(), part(), part()}};
}

// Into the cyclotomic subgroup: the easy part of the final exponentiation.
template <class Fq12>
Fq12 cyclotomic(const Fq12& value) {
  const Fq12 t = value.conjugate() * value.inverse();
  return t.frobenius(2) * t;
}

}  // namespace

TEMPLATE_TEST_CASE("tower multiplication is a field multiplication", "[tower]", GROTH16_TEST_CURVES) {
  using Fq12 = typename TestType::Fq12;
  Random random(21);
  for (int round = 0; round < 5; ++round) {
    const Fq12 a = random_fq12<TestType>(random), b = random_fq12<TestType>(random), c = random_fq12<TestType>(random);
    CHECK(a * b == b * a);
    CHECK((a * b) * c == a * (b * c));
    CHECK(a * (b + c) == a * b + a * c);
    CHECK(a.square() == a * a);
    CHECK(a.c0.square() == a.c0 * a.c0);
    CHECK(a.c0.c0.square() == a.c0.c0 * a.c0.c0);
    CHECK((a * a.inverse()).is_one());
    CHECK(a.c0 * a.c0.inverse() == TestType::Fq6::one());
    CHECK((a.c0.c0 * a.c0.c0.inverse()).is_one());
  }
}

TEMPLATE_TEST_CASE("the generators of the tower satisfy their equations", "[tower]", GROTH16_TEST_CURVES) {
  using Fq2 = typename TestType::Fq2;
  using Fq6 = typename TestType::Fq6;
  using Fq12 = typename TestType::Fq12;
  const Fq2 u{TestType::Fq::zero(), TestType::Fq::one()};
  CHECK(u.square() == -Fq2::one());
  const Fq6 v = Fq6::one().mul_by_v();
  CHECK(v == Fq6{Fq2::zero(), Fq2::one(), Fq2::zero()});
  const Fq12 w{Fq6::zero(), Fq6::one()};
  CHECK(w.square() == Fq12{v, Fq6::zero()});
  const auto xi = TestType::id == groth16::CurveId::bn254 ? Fq2::from_u64(9) + u : Fq2::one() + u;
  CHECK(v * v * v == Fq6{xi, Fq2::zero(), Fq2::zero()});
}

TEMPLATE_TEST_CASE("Frobenius is the power of the modulus", "[tower]", GROTH16_TEST_CURVES) {
  Random random(22);
  const auto a = random_fq12<TestType>(random);
  CHECK(a.frobenius() == a.pow(TestType::Fq::modulus()));
  CHECK(a.frobenius(6) == a.conjugate());
  CHECK(a.frobenius(12) == a);
  CHECK(a.c0.c0.conjugate() == a.c0.c0.pow(TestType::Fq::modulus()));
}

TEMPLATE_TEST_CASE("cyclotomic squares are squares", "[tower]", GROTH16_TEST_CURVES) {
  Random random(23);
  for (int round = 0; round < 3; ++round) {
    const auto a = cyclotomic(random_fq12<TestType>(random));
    CHECK(a.cyclotomic_square() == a * a);
    CHECK((a * a.conjugate()).is_one());
  }
}

TEMPLATE_TEST_CASE("a sparse product equals the full product", "[tower]", GROTH16_TEST_CURVES) {
  using Fq2 = typename TestType::Fq2;
  Random random(24);
  const auto a = random_fq12<TestType>(random), b = random_fq12<TestType>(random);
  const typename TestType::Fq12 sparse{{b.c0.c0, b.c0.c1, Fq2::zero()}, {b.c1.c0, b.c1.c1, Fq2::zero()}};
  CHECK(a.mul_by_pairs({b.c0.c0, b.c0.c1}, {b.c1.c0, b.c1.c1}) == a * sparse);
}

TEMPLATE_TEST_CASE("square roots in the quadratic extension are exact", "[tower]", GROTH16_TEST_CURVES) {
  using Fq2 = typename TestType::Fq2;
  using Fq = typename TestType::Fq;
  Random random(25);
  std::vector<Fq2> values{Fq2::zero(), Fq2::one(), -Fq2::one(), Fq2{Fq::zero(), Fq::one()}};
  for (int round = 0; round < 12; ++round) {
    values.push_back(random.element<Fq2>());
    values.push_back({random.element<Fq>(), Fq::zero()});
    values.push_back({Fq::zero(), random.element<Fq>()});
  }
  std::size_t squares = 0;
  for (const Fq2& a : values) {
    const auto root = a.square().sqrt();
    REQUIRE(root.has_value());
    CHECK((*root == a || *root == -a));
    // A square of Fq2 has a norm that is a square of Fq, and no other element has.
    const bool is_square = a.norm().sqrt().has_value();
    CHECK(a.sqrt().has_value() == is_square);
    squares += is_square ? 1 : 0;
    if (!a.is_zero()) CHECK(a.is_larger_half() != (-a).is_larger_half());
  }
  CHECK(squares < values.size());
}
