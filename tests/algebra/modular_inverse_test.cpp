// Inverses by division steps, against all products of a small modulus and at the edges of large ones. (The axioms in
// field_test.cpp hold them against products, too.)
#include <catch2/catch.hpp>

#include "groth16/algebra/modular_inverse.hpp"
#include "tests/algebra/random.hpp"

using groth16::DivisionSteps;
using groth16::UInt;
using groth16::test::Random;

TEST_CASE("every number below a small prime is inverted", "[field]") {
  constexpr std::uint64_t kPrime = 65537;
  const auto p = UInt<1>::from_u64(kPrime);
  CHECK(DivisionSteps<1>::inverse(UInt<1>::zero(), p).is_zero());
  std::size_t wrong = 0;
  for (std::uint64_t x = 1; x < kPrime; ++x) {
    const std::uint64_t inverse = DivisionSteps<1>::inverse(UInt<1>::from_u64(x), p).limb[0];
    if (inverse >= kPrime || inverse * x % kPrime != 1) ++wrong;
  }
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("an inverse by division steps is Fermat's power", "[field]", GROTH16_TEST_PRIME_FIELDS) {
  using F = TestType;
  Random random(18);
  const auto exponent = F::modulus() - F::Integer::from_u64(2);
  for (const F& a : groth16::test::elements<F>(random, 200)) CHECK(a.inverse() == a.pow(exponent));
  for (std::size_t bit = 0; bit + 1 < F::modulus().bit_length(); ++bit) {
    const F power = F::from_montgomery_limbs(F::Integer::from_u64(1) << bit);
    CHECK(power.inverse() == power.pow(exponent));
  }
}
