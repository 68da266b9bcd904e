// Prime fields: the axioms on random and edge elements, the borders between integers and elements, roots.
#include <catch2/catch.hpp>

#include <cstring>
#include <span>
#include <vector>

#include "tests/algebra/random.hpp"

using groth16::test::elements;
using groth16::test::Random;

TEMPLATE_TEST_CASE("field operations obey the axioms", "[field]", GROTH16_TEST_PRIME_FIELDS) {
  using F = TestType;
  Random random(11);
  const auto all = elements<F>(random, 12);
  for (const F& a : all) {
    CHECK(a + F::zero() == a);
    CHECK(a * F::one() == a);
    CHECK((a * F::zero()).is_zero());
    CHECK((a - a).is_zero());
    CHECK((a + (-a)).is_zero());
    CHECK(a.square() == a * a);
    CHECK(a.doubled() == a * F::from_u64(2));
    CHECK(a.inverse() * a == (a.is_zero() ? F::zero() : F::one()));
    for (const F& b : all) {
      CHECK(a + b == b + a);
      CHECK(a * b == b * a);
      CHECK((a - b) + b == a);
      for (const F& c : all) {
        CHECK((a * b) * c == a * (b * c));
        CHECK(a * (b + c) == a * b + a * c);
      }
    }
  }
}

// An independent way to multiply: the full product, reduced bit by bit.
template <class F>
static typename F::Integer slow_product(const typename F::Integer& a, const typename F::Integer& b) {
  constexpr std::size_t kLimbs = F::kLimbs;
  groth16::UInt<2 * kLimbs> rest = mul_wide(a, b);
  const auto p = F::modulus().template resized<2 * kLimbs>();
  for (std::size_t shift = 64 * kLimbs + 1; shift-- > 0;) {
    const auto multiple = p << shift;
    if ((multiple >> shift) == p && rest >= multiple) rest.sub_in_place(multiple);
  }
  return rest.template resized<kLimbs>();
}

TEMPLATE_TEST_CASE("products equal schoolbook products reduced bit by bit", "[field]", GROTH16_TEST_PRIME_FIELDS) {
  using F = TestType;
  Random random(12);
  for (const F& a : elements<F>(random, 10)) {
    for (const F& b : elements<F>(random, 10)) {
      CHECK((a * b).to_uint() == slow_product<F>(a.to_uint(), b.to_uint()));
    }
  }
}

TEMPLATE_TEST_CASE("integers and elements convert both ways", "[field]", GROTH16_TEST_PRIME_FIELDS) {
  using F = TestType;
  using Integer = typename F::Integer;
  const Integer p = F::modulus(), one = Integer::from_u64(1);
  CHECK(F::from_uint(Integer::zero()).is_zero());
  CHECK(F::from_uint(one) == F::one());
  CHECK(F::from_uint(p - one) == -F::one());
  CHECK(F::is_canonical(p - one));
  CHECK_FALSE(F::is_canonical(p));
  CHECK(F::from_uint(p).is_zero());
  CHECK(F::from_uint(p + one) == F::one());
  Integer largest;
  for (auto& limb : largest.limb) limb = ~std::uint64_t{0};
  CHECK(F::from_uint(largest) + F::one() == F::from_u64(2).pow(std::uint64_t{64 * F::kLimbs}));
  Random random(13);
  for (int round = 0; round < 50; ++round) {
    const Integer value = random.below(p);
    CHECK(F::from_uint(value).to_uint() == value);
    CHECK(F::from_montgomery_limbs(F::from_uint(value).limbs()) == F::from_uint(value));
  }
}

TEMPLATE_TEST_CASE("an element lies in memory as its Montgomery limbs", "[field]", GROTH16_TEST_PRIME_FIELDS) {
  using F = TestType;
  STATIC_REQUIRE(std::is_trivially_copyable_v<F>);
  STATIC_REQUIRE(std::is_standard_layout_v<F>);
  STATIC_REQUIRE(sizeof(F) == 8 * F::kLimbs);
  STATIC_REQUIRE(alignof(F) == 8);
  // 2^(64 N) - p times a small number has Montgomery form of one: R mod p.
  typename F::Integer limbs;
  const F one = F::one();
  std::memcpy(&limbs, &one, sizeof one);
  CHECK(F::from_uint(limbs) == F::from_u64(2).pow(std::uint64_t{64 * F::kLimbs}));
}

TEMPLATE_TEST_CASE("a value stored times R squared meets a raw integer in one product", "[field]",
                   GROTH16_TEST_PRIME_FIELDS) {
  using F = TestType;
  Random random(14);
  for (int round = 0; round < 20; ++round) {
    const F value = random.element<F>();
    const auto raw = random.below(F::modulus());
    const F stored = F::from_uint(value.limbs());  // Montgomery form of the Montgomery form
    CHECK(stored.mul_raw(raw) == value * F::from_uint(raw));
  }
}

TEMPLATE_TEST_CASE("powers follow the exponent", "[field]", GROTH16_TEST_PRIME_FIELDS) {
  using F = TestType;
  Random random(15);
  const F a = random.element<F>();
  CHECK(a.pow(std::uint64_t{0}) == F::one());
  CHECK(a.pow(std::uint64_t{1}) == a);
  CHECK(a.pow(std::uint64_t{13}) == a.pow(std::uint64_t{6}) * a.pow(std::uint64_t{7}));
  CHECK(a.pow(F::modulus()) == a);
  CHECK(a.pow(F::modulus() - F::Integer::from_u64(1)) == F::one());
}

TEMPLATE_TEST_CASE("squares have roots and non-squares have none", "[field]", GROTH16_TEST_PRIME_FIELDS) {
  using F = TestType;
  Random random(16);
  std::size_t squares = 0;
  const auto half = (F::modulus() - F::Integer::from_u64(1)) >> 1;
  for (const F& a : elements<F>(random, 40)) {
    const auto root = a.square().sqrt();
    REQUIRE(root.has_value());
    CHECK((*root == a || *root == -a));
    const bool is_square = a.is_zero() || a.pow(half) == F::one();
    CHECK(a.sqrt().has_value() == is_square);
    squares += is_square ? 1 : 0;
    if (!a.is_zero()) CHECK(a.is_larger_half() != (-a).is_larger_half());
  }
  CHECK(squares > 5);
  CHECK(squares < 40);
}

TEMPLATE_TEST_CASE("a batch inversion equals single inversions", "[field]", GROTH16_TEST_PRIME_FIELDS) {
  using F = TestType;
  Random random(17);
  for (const std::size_t count : {0u, 1u, 2u, 255u, 256u, 257u, 300u}) {
    std::vector<F> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = i % 7 == 3 ? F::zero() : random.element<F>();
    std::vector<F> inverses = values;
    batch_inverse(std::span<F>(inverses));
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(values[i] * inverses[i] == (values[i].is_zero() ? F::zero() : F::one()));
      if (values[i].is_zero()) CHECK(inverses[i].is_zero());
    }
  }
}
