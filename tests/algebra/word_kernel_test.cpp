// The device's arithmetic, step by step on the host: WordKernel with an emulated carry flag agrees with LimbKernel.
#include "groth16/algebra/word_kernel.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "groth16/algebra/word_carry.hpp"
#include "tests/algebra/random.hpp"

using namespace groth16;
using groth16::test::Random;

namespace {

template <class F>
using Words = WordKernel<typename F::Params, EmulatedCarry>;

// Elements whose words are likely to carry: the edges, powers of two and their neighbours, long runs of ones, random.
template <class F>
std::vector<F> tricky_elements(Random& random) {
  std::vector<F> out = groth16::test::elements<F>(random, 40);
  for (std::size_t bit = 0; bit + 2 < 64 * F::kLimbs; bit += 16) {
    const auto power = F::Integer::from_u64(1) << bit;
    if (!F::is_canonical(power)) break;
    out.push_back(F::from_montgomery_limbs(power));
    if (!power.is_zero()) out.push_back(F::from_montgomery_limbs(power - F::Integer::from_u64(1)));
  }
  out.push_back(F::from_montgomery_limbs(F::modulus() - F::Integer::from_u64(1)));
  return out;
}

}  // namespace

TEMPLATE_TEST_CASE("word arithmetic agrees with limb arithmetic", "", GROTH16_TEST_PRIME_FIELDS) {
  using F = TestType;
  using Kernel = Words<F>;
  Random random(41);
  const auto values = tricky_elements<F>(random);
  for (const F& a : values) {
    for (const F& b : values) {
      const auto x = Kernel::split(a.limbs()), y = Kernel::split(b.limbs());
      REQUIRE(Kernel::join(Kernel::add(x, y)) == (a + b).limbs());
      REQUIRE(Kernel::join(Kernel::sub(x, y)) == (a - b).limbs());
      REQUIRE(Kernel::join(Kernel::mul(x, y)) == (a * b).limbs());
    }
    REQUIRE(Kernel::join(Kernel::sqr(Kernel::split(a.limbs()))) == a.square().limbs());
    REQUIRE(Kernel::join(Kernel::complement(Kernel::split(a.limbs()))) == F::modulus() - a.limbs());
  }
}

TEMPLATE_TEST_CASE("a product takes a factor of any size", "", GROTH16_TEST_PRIME_FIELDS) {
  using F = TestType;
  using Kernel = Words<F>;
  Random random(42);
  auto largest = F::Integer::zero();
  largest.sub_in_place(F::Integer::from_u64(1));
  for (const F& a : tricky_elements<F>(random)) {
    REQUIRE(Kernel::join(Kernel::mul(Kernel::split(a.limbs()), Kernel::split(largest))) == a.mul_raw(largest).limbs());
  }
}

TEMPLATE_TEST_CASE("one reduction serves several products", "", Bn254::Fq, Bls12_381::Fq) {
  using F = TestType;
  using Kernel = Words<F>;
  static_assert(Kernel::kMaxProducts >= 4);
  Random random(43);
  const auto values = tricky_elements<F>(random);
  const auto pick = [&] { return values[random.u64() % values.size()]; };
  for (int i = 0; i < 2000; ++i) {
    const F a = pick(), b = pick(), c = pick(), d = pick();
    using Factors2 = typename Kernel::Words[2];
    using Factors4 = typename Kernel::Words[4];
    const auto word = [](const F& value) { return Kernel::split(value.limbs()); };
    const Factors2 x2 = {word(a), word(c)}, y2 = {word(b), Kernel::complement(word(d))};
    REQUIRE(Kernel::join(Kernel::sum_of_products(x2, y2)) == (a * b - c * d).limbs());
    const Factors4 x4 = {word(a), word(b), word(c), word(d)},
                   y4 = {word(d), word(c), Kernel::complement(word(b)), word(a)};
    REQUIRE(Kernel::join(Kernel::sum_of_products(x4, y4)) == (a * d + b * c - c * b + d * a).limbs());
  }
  const auto p = Kernel::split(F::modulus());  // the largest factor that is allowed, in every place
  const typename Kernel::Words all[4] = {p, p, p, p};
  REQUIRE(Kernel::join(Kernel::sum_of_products(all, all)).is_zero());
}
