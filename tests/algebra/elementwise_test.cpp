// Vectors of scalars, element by element: lanes give what single elements give, at every length and edge.
#include <catch2/catch.hpp>

#include <vector>

#include "groth16/algebra/elementwise.hpp"
#include "tests/algebra/points.hpp"

using groth16::Compute;
using groth16::CpuLevel;
using groth16::UInt;
using groth16::test::elements;
using groth16::test::pair_adder_levels;
using groth16::test::Random;

namespace {

// Every pair of edges, and random ones.
template <class Fr>
void fill(Random& random, std::vector<Fr>& a, std::vector<Fr>& b, std::vector<Fr>& c) {
  const auto values = elements<Fr>(random, 7);
  for (const Fr& x : values) {
    for (const Fr& y : values) {
      a.push_back(x);
      b.push_back(y);
      c.push_back(values[a.size() % values.size()]);
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("products, products less a third, and plain numbers are those of single elements", "[elementwise]",
                   groth16::Bn254::Fr, groth16::Bls12_381::Fr) {
  using Fr = TestType;
  Random random(59);
  std::vector<Fr> a, b, c;
  fill(random, a, b, c);
  for (const CpuLevel level : pair_adder_levels()) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{8}, std::size_t{13}, a.size()}) {
      const std::span<const Fr> x = std::span(a).first(count), y = std::span(b).first(count),
                                z = std::span(c).first(count);
      std::vector<Fr> product(count), less(count);
      std::vector<UInt<4>> plain(count);
      groth16::multiply_each<Fr>(x, y, product, Compute(2), level);
      groth16::multiply_each_less<Fr>(x, y, z, less, Compute(2), level);
      groth16::to_uint_each<Fr>(x, plain, Compute(2), level);
      for (std::size_t i = 0; i < count; ++i) {
        CHECK(product[i] == x[i] * y[i]);
        CHECK(less[i] == x[i] * y[i] - z[i]);
        CHECK(plain[i] == x[i].to_uint());
      }
    }
  }
}

TEMPLATE_TEST_CASE("a result may take the place of an operand", "[elementwise]", groth16::Bn254::Fr,
                   groth16::Bls12_381::Fr) {
  using Fr = TestType;
  Random random(61);
  std::vector<Fr> a, b, c;
  fill(random, a, b, c);
  for (const CpuLevel level : pair_adder_levels()) {
    std::vector<Fr> in_place = a;
    groth16::multiply_each_less<Fr>(in_place, b, c, in_place, Compute(1), level);
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(in_place[i] == a[i] * b[i] - c[i]);
  }
}
