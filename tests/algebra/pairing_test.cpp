// The pairing: bilinear, not degenerate, of order r, one at infinity; products as a verifier uses them.
#include <catch2/catch.hpp>

#include <utility>
#include <vector>

#include "groth16/algebra/pairing.hpp"
#include "tests/algebra/random.hpp"

using groth16::UInt;
using groth16::test::Random;

namespace {

template <class C>
using Pairs = std::vector<std::pair<typename C::G1, typename C::G2>>;

template <class C>
typename C::G1 g1(const typename C::Scalar& k) {
  return times(C::generator_g1(), k).to_affine();
}
template <class C>
typename C::G2 g2(const typename C::Scalar& k) {
  return times(C::generator_g2(), k).to_affine();
}

// value^e by plain squaring, e = (q^4 - q^2 + 1) / r: the hard part as it is defined.
template <class C>
auto hard_part_exponent() {
  constexpr std::size_t kLimbs = C::Fq::kLimbs;
  const auto q = C::Fq::modulus();
  const auto q2 = mul_wide(q, q);
  auto rest = mul_wide(q2, q2) - q2.template resized<4 * kLimbs>() + UInt<4 * kLimbs>::from_u64(1);
  const auto r = C::Fr::modulus().template resized<4 * kLimbs>();
  UInt<4 * kLimbs> quotient{};
  for (std::size_t shift = rest.bit_length() - r.bit_length() + 1; shift-- > 0;) {
    if (rest >= (r << shift)) {
      rest.sub_in_place(r << shift);
      quotient.limb[shift / 64] |= std::uint64_t{1} << (shift % 64);
    }
  }
  REQUIRE(rest.is_zero());
  return quotient;
}

}  // namespace

TEMPLATE_TEST_CASE("the pairing is bilinear", "[pairing]", GROTH16_TEST_CURVES) {
  using C = TestType;
  Random random(71);
  const auto a = random.below(C::Fr::modulus()), b = random.below(C::Fr::modulus());
  const auto base = groth16::pairing<C>(C::generator_g1(), C::generator_g2());
  const auto ab = (C::Fr::from_uint(a) * C::Fr::from_uint(b)).to_uint();
  CHECK(groth16::pairing<C>(g1<C>(a), g2<C>(b)) == base.pow(ab));
  CHECK(groth16::pairing<C>(g1<C>(ab), C::generator_g2()) == base.pow(ab));
  CHECK(groth16::pairing<C>(C::generator_g1(), g2<C>(ab)) == base.pow(ab));
  const auto sum = (C::Fr::from_uint(a) + C::Fr::from_uint(b)).to_uint();
  CHECK(groth16::pairing<C>(g1<C>(sum), C::generator_g2()) ==
        groth16::pairing<C>(g1<C>(a), C::generator_g2()) * groth16::pairing<C>(g1<C>(b), C::generator_g2()));
}

TEMPLATE_TEST_CASE("the pairing is not degenerate and its values have order r", "[pairing]", GROTH16_TEST_CURVES) {
  using C = TestType;
  const auto base = groth16::pairing<C>(C::generator_g1(), C::generator_g2());
  CHECK_FALSE(base.is_one());
  CHECK(base.pow(C::Fr::modulus()).is_one());
  CHECK(groth16::pairing<C>(-C::generator_g1(), C::generator_g2()) == base.conjugate());
  CHECK(groth16::pairing<C>(C::generator_g1(), -C::generator_g2()) == base.conjugate());
}

TEMPLATE_TEST_CASE("a pairing with infinity is one", "[pairing]", GROTH16_TEST_CURVES) {
  using C = TestType;
  CHECK(groth16::pairing<C>(C::G1::infinity(), C::generator_g2()).is_one());
  CHECK(groth16::pairing<C>(C::generator_g1(), C::G2::infinity()).is_one());
  CHECK(groth16::pairing<C>(C::G1::infinity(), C::G2::infinity()).is_one());
  CHECK(groth16::pairing_product_is_one<C>(Pairs<C>{}));
}

TEMPLATE_TEST_CASE("a product of pairings is one exactly when the exponents cancel", "[pairing]", GROTH16_TEST_CURVES) {
  using C = TestType;
  using Fr = typename C::Fr;
  Random random(72);
  const Fr a = random.element<Fr>(), b = random.element<Fr>(), c = random.element<Fr>();
  const Fr d = -(a * b + c);  // a b + c * 1 + 1 * d = 0
  const Fr one = Fr::one();
  const auto pairs = [&](const Fr& last) {
    return Pairs<C>{{g1<C>(a.to_uint()), g2<C>(b.to_uint())},
                    {g1<C>(c.to_uint()), C::generator_g2()},
                    {C::G1::infinity(), g2<C>(b.to_uint())},
                    {C::generator_g1(), g2<C>(last.to_uint())}};
  };
  CHECK(groth16::pairing_product_is_one<C>(pairs(d)));
  CHECK_FALSE(groth16::pairing_product_is_one<C>(pairs(d + one)));
  CHECK_FALSE(groth16::pairing_product_is_one<C>(pairs(d - one)));
  CHECK_FALSE(groth16::pairing_product_is_one<C>(Pairs<C>{{C::generator_g1(), C::generator_g2()}}));
}

TEMPLATE_TEST_CASE("one Miller loop over many pairs is the product of loops over each", "[pairing]",
                   GROTH16_TEST_CURVES) {
  using C = TestType;
  Random random(73);
  Pairs<C> pairs;
  for (int i = 0; i < 3; ++i) {
    pairs.emplace_back(g1<C>(random.below(C::Fr::modulus())), g2<C>(random.below(C::Fr::modulus())));
  }
  auto product = C::Fq12::one();
  for (const auto& [p, q] : pairs) product = product * groth16::pairing<C>(p, q);
  CHECK(groth16::final_exponentiation<C>(groth16::miller_loop<C>(pairs)) == product);
}

// BN254 computes 2x(6x^2 + 3x + 1) times the defined exponent, BLS12-381 three times; both factors are prime to r, and
// both are what other libraries compute.
TEMPLATE_TEST_CASE("the final exponentiation is the defined power times a known factor", "[pairing]",
                   GROTH16_TEST_CURVES) {
  using C = TestType;
  Random random(74);
  const auto part = [&] { return random.element<typename C::Fq2>(); };
  const typename C::Fq12 value{{part(), part(), part()}, {part(), part(), part()}};
  const auto easy = value.conjugate() * value.inverse();
  const auto defined = (easy.frobenius(2) * easy).pow(hard_part_exponent<C>());
  using Fr = typename C::Fr;
  const Fr x = Fr::from_u64(C::parameter);
  const Fr factor = C::id == groth16::CurveId::bn254
                        ? x.doubled() * (Fr::from_u64(6) * x.square() + Fr::from_u64(3) * x + Fr::one())
                        : Fr::from_u64(3);
  CHECK(groth16::final_exponentiation<C>(value) == defined.pow(factor.to_uint()));
}
