// The card's arithmetic is the host's.
#include <catch2/catch.hpp>
#include <span>
#include <vector>

#include "tests/algebra/random.hpp"
#include "tests/gpu/device_field.hpp"

using namespace groth16;
using namespace groth16::test;

TEMPLATE_TEST_CASE("field operations on the card agree with the host's", "[field]", Bn254::Fq, Bn254::Fr, Bn254::Fq2,
                   Bls12_381::Fq, Bls12_381::Fr, Bls12_381::Fq2) {
  using F = TestType;
  Random random(51);
  const std::vector<F> values = elements<F>(random, 100);
  std::vector<F> a, b;
  for (const F& x : values) {
    for (const F& y : values) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  const auto results = compute_on_device<F>(a, b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const F &x = a[i], &y = b[i];
    INFO("pair " << i);
    REQUIRE(results[i].sum == x + y);
    REQUIRE(results[i].difference == x - y);
    REQUIRE(results[i].product == x * y);
    REQUIRE(results[i].square == x * x);
    REQUIRE(results[i].inverse * x == (x.is_zero() ? F::zero() : F::one()));
    REQUIRE(results[i].merged_difference == x * y - y * (x + y));
  }
}
