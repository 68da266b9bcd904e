// Eight elements at a time against one: products, differences and reductions on random and edge values, whose limbs may
// be above p.
#include <catch2/catch.hpp>

#include <array>
#include <vector>

#include "groth16/algebra/cpu_level.hpp"
#include "groth16/algebra/lane_memory.hpp"
#include "groth16/algebra/lanes.hpp"
#include "groth16/algebra/pair_adder.hpp"
#include "tests/algebra/random.hpp"

using groth16::CpuLevel;
using groth16::test::elements;
using groth16::test::Random;

#if defined(GROTH16_HAS_IFMA)

namespace {

template <class F>
using Eight = std::array<F, 8>;

// In lanes: a b, a - b, and a b - a - b through reduced().
template <class F>
struct Results {
  Eight<F> product, difference, reduced;
};

template <class F>
GROTH16_IFMA void load(const Eight<F>& values, typename groth16::Lanes<typename F::Params>::Element& out) {
  constexpr std::size_t kWords = F::kLimbs;
  alignas(64) std::uint64_t rows[kWords][8];
  for (std::size_t i = 0; i < 8 * kWords; ++i)
    rows[i % kWords][i / kWords] = values[i / kWords].limbs().limb[i % kWords];
  __m512i words[kWords];
  for (std::size_t i = 0; i < kWords; ++i) words[i] = _mm512_load_si512(rows[i]);
  out = groth16::Lanes<typename F::Params>::from_words(words);
}

template <class F>
GROTH16_IFMA void store(const typename groth16::Lanes<typename F::Params>::Element& value, Eight<F>& out) {
  constexpr std::size_t kWords = F::kLimbs;
  __m512i words[kWords];
  groth16::Lanes<typename F::Params>::to_words(value, words);
  alignas(64) std::uint64_t rows[kWords][8];
  for (std::size_t i = 0; i < kWords; ++i) _mm512_store_si512(rows[i], words[i]);
  for (std::size_t lane = 0; lane < 8; ++lane) {
    typename F::Integer limbs;
    for (std::size_t i = 0; i < kWords; ++i) limbs.limb[i] = rows[i][lane];
    out[lane] = F::from_montgomery_limbs(limbs);
  }
}

template <class F>
GROTH16_IFMA_CALLED void compute(const Eight<F>& a, const Eight<F>& b, Results<F>& out) {
  using Lanes = groth16::Lanes<typename F::Params>;
  typename Lanes::Element left, right;
  load<F>(a, left);
  load<F>(b, right);
  const auto product = Lanes::product(left, right);
  store<F>(Lanes::carried(product), out.product);
  store<F>(Lanes::template reduced<1>(Lanes::less(left, right)), out.difference);
  store<F>(Lanes::template reduced<2>(Lanes::less(Lanes::less(product, left), right)), out.reduced);
}

// The same element with p added to its limbs.
template <class F>
F raised(const F& value) {
  return F::from_montgomery_limbs(value.limbs() + F::modulus());
}

// Elements whose limbs lie at the borders of the ranges: near 0, p and 2p.
template <class F>
std::vector<F> edges(Random& random) {
  std::vector<F> out = elements<F>(random, 20);
  for (std::uint64_t i = 0; i < 4; ++i) {
    out.push_back(F::from_montgomery_limbs(F::Integer::from_u64(i)));
    out.push_back(F::from_montgomery_limbs(F::modulus() - F::Integer::from_u64(i + 1)));
  }
  const std::size_t canonical = out.size();
  for (std::size_t i = 0; i < canonical; ++i) out.push_back(raised(out[i]));
  return out;
}

}  // namespace

TEMPLATE_TEST_CASE("lanes compute what one element after the other does", "[lanes]", GROTH16_TEST_PRIME_FIELDS) {
  using F = TestType;
  using Lanes = groth16::Lanes<typename F::Params>;
  if (groth16::best_cpu_level() < CpuLevel::ifma) return;
  Random random(72);
  const F excess = F::from_u64(2).pow(std::uint64_t{Lanes::kRadixBits - 64 * F::kLimbs});
  const auto all = edges<F>(random);
  const auto limit = F::modulus() + F::modulus() + (F::modulus() >> 9);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); j += 8) {
      Eight<F> a, b;
      for (std::size_t lane = 0; lane < 8; ++lane) {
        a[lane] = all[i];
        b[lane] = all[(j + lane) % all.size()];
      }
      Results<F> results;
      compute<F>(a, b, results);
      for (std::size_t lane = 0; lane < 8; ++lane) {
        const F x = canonical_coordinate(a[lane]), y = canonical_coordinate(b[lane]);
        const F product = canonical_coordinate(results.product[lane]);
        CHECK(product * excess == x * y);
        CHECK(canonical_coordinate(results.difference[lane]) == x - y);
        CHECK(canonical_coordinate(results.reduced[lane]) == product - x - y);
        CHECK(results.product[lane].limbs() < F::modulus() + F::modulus());
        CHECK(results.difference[lane].limbs() < limit);
        CHECK(results.reduced[lane].limbs() < limit);
      }
    }
  }
}

namespace {

template <std::size_t Words>
GROTH16_IFMA_CALLED void copy_through_lanes(const std::uint64_t* in, std::uint64_t* columns, std::uint64_t* out) {
  const std::uint64_t* from[8];
  std::uint64_t* to[8];
  for (std::size_t row = 0; row < 8; ++row) {
    from[row] = in + row * Words;
    to[row] = out + row * Words;
  }
  __m512i words[Words];
  groth16::load_rows<Words>(from, words);
  for (std::size_t i = 0; i < Words; ++i) _mm512_storeu_si512(columns + 8 * i, words[i]);
  groth16::store_rows<Words>(words, to);
}

template <std::size_t Words>
void check_rows() {
  std::vector<std::uint64_t> in(8 * Words), columns(8 * Words), out(8 * Words);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = i;
  copy_through_lanes<Words>(in.data(), columns.data(), out.data());
  CHECK(out == in);
  for (std::size_t i = 0; i < in.size(); ++i) CHECK(columns[i] == i % 8 * Words + i / 8);
}

}  // namespace

TEST_CASE("rows of memory become words of lanes and rows again", "[lanes]") {
  if (groth16::best_cpu_level() < CpuLevel::ifma) return;
  check_rows<4>();
  check_rows<8>();
  check_rows<12>();
  check_rows<24>();
}

#endif
