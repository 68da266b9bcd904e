// The arithmetic of level adx against integers and against a field's products. Where GROTH16D_CPU=portable those are
// plain C++, which is how the tests are run a second time; otherwise they are the products under test.
#include "groth16/algebra/adx_kernel.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "groth16/algebra/adx_field.hpp"
#include "groth16/algebra/cpu_level.hpp"
#include "tests/algebra/random.hpp"

#if defined(GROTH16_HAS_ADX)

using namespace groth16;
using groth16::test::Random;

namespace {

bool has_adx() { return best_cpu_level() >= CpuLevel::adx; }

// The edges, limbs of all ones and of all zeros beside random ones, powers of two and their neighbours, p - 1, random.
template <class F>
std::vector<typename F::Integer> tricky_limbs(Random& random) {
  using Integer = typename F::Integer;
  std::vector<Integer> out;
  for (const F& element : groth16::test::elements<F>(random, 40)) out.push_back(element.limbs());
  for (std::size_t bit = 0; bit < 64 * F::kLimbs; bit += 16) {
    const auto power = Integer::from_u64(1) << bit;
    out.push_back(power);
    out.push_back(power - Integer::from_u64(1));
  }
  for (std::uint64_t set = 1; set < (1u << F::kLimbs); ++set) {
    Integer value = random.below(F::modulus());
    for (std::size_t k = 0; k < F::kLimbs; ++k) {
      if ((set >> k & 1) != 0) value.limb[k] = (set & 1) != 0 ? ~std::uint64_t{0} : 0;
    }
    out.push_back(value);
  }
  out.push_back(F::modulus() - Integer::from_u64(1));
  std::erase_if(out, [](const Integer& value) { return !F::is_canonical(value); });
  return out;
}

template <class F>
typename F::Integer sum_of(typename F::Integer a, const typename F::Integer& b) {
  a.add_in_place(b);
  if (a >= F::modulus()) a.sub_in_place(F::modulus());
  return a;
}
template <class F>
typename F::Integer difference_of(typename F::Integer a, const typename F::Integer& b) {
  if (a < b) a.add_in_place(F::modulus());
  a.sub_in_place(b);
  return a;
}

template <class F>
constexpr auto kModulusOf = AdxKernel<F::kLimbs>::modulus(F::modulus(), F::Constants::negated_inverse());

}  // namespace

TEMPLATE_TEST_CASE("sums, differences and products of level adx are those of integers and of a field", "[adx]",
                   GROTH16_TEST_PRIME_FIELDS) {
  using F = TestType;
  using Kernel = AdxKernel<F::kLimbs>;
  if (!has_adx()) return;
  Random random(43);
  const auto& m = kModulusOf<F>;
  const auto values = tricky_limbs<F>(random);
  for (const auto& a_limbs : values) {
    const F a = F::from_montgomery_limbs(a_limbs);
    for (const auto& b_limbs : values) {
      const F b = F::from_montgomery_limbs(b_limbs);
      REQUIRE(Kernel::product(a_limbs, b_limbs, m) == (a * b).limbs());
      REQUIRE(Kernel::sum(a_limbs, b_limbs, m) == sum_of<F>(a_limbs, b_limbs));
      REQUIRE(Kernel::difference(a_limbs, b_limbs, m) == difference_of<F>(a_limbs, b_limbs));
    }
    REQUIRE(Kernel::difference(a_limbs, F::modulus(), m) == a_limbs);
    REQUIRE(Kernel::negated_if(0, a_limbs, m) == a_limbs);
    REQUIRE(Kernel::negated_if(~std::uint64_t{0}, a_limbs, m) == F::modulus() - a_limbs);
  }
}

TEMPLATE_TEST_CASE("a product of level adx is a b with a multiple of p that the power of two divides", "[adx]",
                   GROTH16_TEST_PRIME_FIELDS) {
  using F = TestType;
  using Integer = typename F::Integer;
  constexpr std::size_t kLimbs = F::kLimbs;
  if (!has_adx()) return;
  Random random(71);
  const auto all = groth16::test::elements<F>(random, 30);
  const Integer p = F::modulus();
  for (const F& a : all) {
    for (const F& b : all) {
      const Integer t = AdxKernel<kLimbs>::product(a.limbs(), b.limbs(), kModulusOf<F>);
      REQUIRE(t < p);
      // (t + p) 2^(64 N) - a b is not negative, and a multiple of p.
      auto with_p = (t + p).template resized<2 * kLimbs>() << (64 * kLimbs);
      with_p.sub_in_place(mul_wide(a.limbs(), b.limbs()));
      Integer factor{}, low = with_p.template resized<kLimbs>();
      for (std::size_t bit = 0; bit < 64 * kLimbs; ++bit) {
        if (!low.bit(bit)) continue;
        factor = factor + (Integer::from_u64(1) << bit);
        low = low - (p << bit);
      }
      // The factor modulo 2^(64 N) is known now; with_p / p is that, or 2^(64 N) more.
      auto multiple = mul_wide(factor, p);
      if (!(multiple == with_p)) multiple.add_in_place(p.template resized<2 * kLimbs>() << (64 * kLimbs));
      REQUIRE(multiple == with_p);
    }
  }
}

TEMPLATE_TEST_CASE("a product of level adx takes a factor of any size", "[adx]", GROTH16_TEST_PRIME_FIELDS) {
  using F = TestType;
  if (!has_adx()) return;
  Random random(44);
  auto largest = F::Integer::zero();
  largest.sub_in_place(F::Integer::from_u64(1));
  for (const auto& limbs : tricky_limbs<F>(random)) {
    const auto product = AdxKernel<F::kLimbs>::product(limbs, largest, kModulusOf<F>);
    REQUIRE(product == F::from_montgomery_limbs(limbs).mul_raw(largest).limbs());
  }
}

TEMPLATE_TEST_CASE("two products with one reduction are their sum, p among the factors", "[adx]", Bn254::Fq,
                   Bls12_381::Fq) {
  using F = TestType;
  using Kernel = AdxKernel<F::kLimbs>;
  if (!has_adx()) return;
  Random random(45);
  const auto& m = kModulusOf<F>;
  auto values = tricky_limbs<F>(random);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      const auto &a0 = values[i], &b0 = values[j];
      const auto &a1 = values[values.size() - 1 - i], &b1 = values[random.u64() % values.size()];
      const F expected = F::from_montgomery_limbs(a0) * F::from_montgomery_limbs(b0) +
                         F::from_montgomery_limbs(a1) * F::from_montgomery_limbs(b1);
      REQUIRE(Kernel::sum_of_products(a0, b0, a1, b1, m) == expected.limbs());
    }
    const auto& p = F::modulus();
    const F expected = F::from_montgomery_limbs(values[i]) * F::from_montgomery_limbs(values[0]);
    REQUIRE(Kernel::sum_of_products(p, p, p, p, m).is_zero());
    REQUIRE(Kernel::sum_of_products(values[i], values[0], p, p, m) == expected.limbs());
  }
}

TEMPLATE_TEST_CASE("coordinates of level adx are the field's", "[adx]", Bn254::Fq, Bn254::Fq2, Bls12_381::Fq,
                   Bls12_381::Fq2) {
  using F = TestType;
  using Field = AdxField<F>;
  if (!has_adx()) return;
  Random random(46);
  std::vector<F> values{F::zero(), F::one(), -F::one()};
  if constexpr (!std::is_same_v<F, typename F::Prime>) {
    values.push_back({F::Prime::zero(), F::Prime::one()});
    values.push_back({-F::Prime::one(), -F::Prime::one()});
  }
  while (values.size() < 60) values.push_back(random.element<F>());
  for (const F& a : values) {
    for (const F& b : values) {
      REQUIRE(Field::product(a, b) == a * b);
      REQUIRE(Field::difference(a, b) == a - b);
      REQUIRE(Field::difference(a, Field::negated_if(true, b)) == a + b);
      REQUIRE(Field::difference(a, Field::negated_if(false, b)) == a - b);
    }
    REQUIRE(Field::square(a) == a * a);
  }
}

#endif
