// Multiples of the generators made on the card are the host's, and a key made with them is the host's key.
#include <algorithm>
#include <catch2/catch.hpp>
#include <span>
#include <vector>

#include "cuda/card_multiples.hpp"
#include "groth16/proof/keygen.hpp"
#include "tests/algebra/random.hpp"
#include "tests/proof/sample_circuit.hpp"

using namespace groth16;
using namespace groth16::test;

namespace {

template <class Fr>
std::vector<Fr> scalars_of_all_kinds(std::size_t count, Random& random) {
  const Fr edges[] = {Fr::zero(), Fr::one(), -Fr::one(), Fr::from_u64(0xffff), Fr::from_u64(0x10000)};
  std::vector<Fr> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(i % 8 < std::size(edges) ? edges[i % 8] : Fr::from_uint(random.below(Fr::modulus())));
  return out;
}

}  // namespace

TEMPLATE_TEST_CASE("multiples of both generators are the host's", "[multiples]", Bn254, Bls12_381) {
  using C = TestType;
  using Fr = typename C::Fr;
  Random random(1);
  const Compute compute(8);
  const auto card = device::CardMultiples<C>::make();
  REQUIRE(card);
  const HostMultiples<C> host;
  for (const std::size_t count : {std::size_t{1}, std::size_t{17}, std::size_t{4097}, (std::size_t{1} << 21) + 3}) {
    CAPTURE(count);
    const auto scalars = scalars_of_all_kinds<Fr>(count, random);
    std::vector<typename C::G1> g1(count), expected_g1(count);
    REQUIRE((*card)->in_g1(scalars, g1, compute));
    REQUIRE(host.in_g1(scalars, expected_g1, compute));
    CHECK(g1 == expected_g1);
    if (count > 5000) continue;  // G2 on the host takes its time
    std::vector<typename C::G2> g2(count), expected_g2(count);
    REQUIRE((*card)->in_g2(scalars, g2, compute));
    REQUIRE(host.in_g2(scalars, expected_g2, compute));
    CHECK(g2 == expected_g2);
  }
}

TEMPLATE_TEST_CASE("a key of the card's multiples is the host's key, byte by byte", "[multiples]", Bn254, Bls12_381) {
  using C = TestType;
  const auto sample = mixed_circuit<C>(700, 3, 5).build();
  const auto system = sample.system();
  const auto card = device::CardMultiples<C>::make();
  REQUIRE(card);
  const auto toxic = ToxicWaste<C>::from_seed(1);
  FlatBytes key(generated_key_bytes(system, HBasis::odd_coset_lagrange));
  REQUIRE(generate_key(system, toxic, HBasis::odd_coset_lagrange, DomainRoot::five, key.bytes(), **card, Compute(2)));
  const FlatBytes expected = sample_key(sample);
  CHECK(std::ranges::equal(key.bytes(), expected.bytes()));
}
