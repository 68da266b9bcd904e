// A key lies where its header says, on pages, and says what it is.
#include <catch2/catch.hpp>

#include "groth16/proof/flat_array.hpp"
#include "groth16/proof/verify.hpp"
#include "tests/proof/sample_circuit.hpp"

namespace groth16 {
namespace {

using test::FlatBytes;

TEMPLATE_TEST_CASE("a generated key opens with its sizes, kind and digests", "", Bn254, Bls12_381) {
  const auto sample = test::mixed_circuit<TestType>(40, 2, 1).build();
  const HBasis basis = GENERATE(HBasis::odd_coset_lagrange, HBasis::monomial);
  const FlatBytes bytes = test::sample_key(sample, basis);
  const auto key = ProvingKey<TestType>::open(bytes.bytes());
  REQUIRE(key);
  const auto system = sample.system();
  CHECK(key->sizes() == system.sizes());
  CHECK(key->basis() == basis);
  CHECK(key->warnings() == kKeyDevelopment);
  CHECK(key->vk_digest() == digest(verifying_key(*key)));
  CHECK(key->ic().size() == 3);
  CHECK(key->a().size() == system.n_vars());
  CHECK(key->b1().size() == system.n_vars());
  CHECK(key->b2().size() == system.n_vars());
  CHECK(key->l().size() == system.n_vars() - 3);
  CHECK(key->h().size() == system.domain_size() - (basis == HBasis::monomial ? 1 : 0));
  CHECK(key->gamma2() == TestType::generator_g2());
  CHECK(check_points(verifying_key(*key)));
  const auto header = load_flat<KeyHeader>(bytes.bytes());
  for (const std::uint64_t offset : header.offset) CHECK(offset % KeyHeader::kPageBytes == 0);
}

TEST_CASE("the same seed makes the same key, another seed another") {
  const auto sample = test::mixed_circuit<Bn254>(10, 2, 1).build();
  const auto system = sample.system();
  const auto make = [&](std::uint64_t seed) {
    FlatBytes key(generated_key_bytes(system, HBasis::monomial));
    REQUIRE(generate_key(system, ToxicWaste<Bn254>::from_seed(seed), HBasis::monomial, DomainRoot::five, key.bytes(),
                         Compute(1)));
    return ProvingKey<Bn254>::open(key.bytes()).value().key_digest();
  };
  CHECK(make(1) == make(1));
  CHECK(make(1) != make(2));
}

TEST_CASE("a wire in no row has points at infinity") {
  test::Circuit<Bn254> circuit = test::mixed_circuit<Bn254>(5, 1, 2);
  const auto unused = circuit.add_wire(Bn254::Fr::from_u64(4));
  const auto sample = circuit.build();
  const FlatBytes bytes = test::sample_key(sample);
  const auto key = ProvingKey<Bn254>::open(bytes.bytes()).value();
  CHECK(key.a()[unused].is_infinity());
  CHECK(key.b1()[unused].is_infinity());
  CHECK(key.b2()[unused].is_infinity());
  CHECK(key.l()[unused - 2].is_infinity());
}

TEST_CASE("toxic values that break a key are refused") {
  const auto sample = test::mixed_circuit<Bn254>(10, 2, 1).build();
  const auto system = sample.system();
  const auto name_for = [&](auto&& change) {
    auto toxic = ToxicWaste<Bn254>::from_seed(1);
    change(toxic);
    FlatBytes key(generated_key_bytes(system, HBasis::odd_coset_lagrange));
    const auto result =
        generate_key(system, toxic, HBasis::odd_coset_lagrange, DomainRoot::five, key.bytes(), Compute(1));
    return result ? std::string("made") : result.error().name;
  };
  CHECK(name_for([](auto&) {}) == "made");
  CHECK(name_for([](auto& t) { t.delta = Bn254::Fr::zero(); }) == "keygen.toxic");
  CHECK(name_for([](auto& t) { t.tau = Bn254::Fr::one(); }) == "keygen.toxic");
  CHECK(name_for([](auto& t) { t.tau = Bn254::root_of_unity(DomainRoot::five, 5); }) == "keygen.toxic");
}

TEST_CASE("no key is made without C, for a root that the curve lacks, or in too few bytes") {
  const auto circuit = test::mixed_circuit<Bn254>(10, 2, 1);
  const auto with_c = circuit.build(), without_c = circuit.build(false);
  const auto name_for = [](const auto& sample, DomainRoot root, std::uint64_t missing) {
    const auto system = sample.system();
    FlatBytes key(generated_key_bytes(system, HBasis::monomial) - missing);
    const auto result =
        generate_key(system, ToxicWaste<Bn254>::from_seed(1), HBasis::monomial, root, key.bytes(), Compute(1));
    return result ? std::string("made") : result.error().name;
  };
  CHECK(name_for(without_c, DomainRoot::five, 0) == "keygen.no_c");
  CHECK(name_for(with_c, DomainRoot::seven, 0) == "key.sizes");
  CHECK(name_for(with_c, DomainRoot::five, 1) == "key.length");
}

TEMPLATE_TEST_CASE("a key without a contribution says that it can be forged", "", Bn254, Bls12_381) {
  const auto sample = test::mixed_circuit<TestType>(10, 2, 1).build();
  const auto system = sample.system();
  auto toxic = ToxicWaste<TestType>::from_seed(1);
  toxic.delta = TestType::Fr::one();
  FlatBytes bytes(generated_key_bytes(system, HBasis::odd_coset_lagrange));
  REQUIRE(generate_key(system, toxic, HBasis::odd_coset_lagrange, DomainRoot::five, bytes.bytes(), Compute(2)));
  const auto key = ProvingKey<TestType>::open(bytes.bytes()).value();
  CHECK(key.warnings() == (kKeyDevelopment | kKeyForgeable));
  CHECK(is_forgeable(verifying_key(key)));
}

TEMPLATE_TEST_CASE("the points of a verifying key are checked", "", Bn254, Bls12_381) {
  const auto sample = test::mixed_circuit<TestType>(10, 2, 1).build();
  const FlatBytes bytes = test::sample_key(sample);
  const auto good = verifying_key(ProvingKey<TestType>::open(bytes.bytes()).value());
  REQUIRE(check_points(good));
  const auto refused = [&](auto&& change, const std::string& name) {
    auto key = good;
    change(key);
    const auto checked = check_points(key);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().name == name);
  };
  refused([](auto& k) { k.alpha1 = TestType::G1::infinity(); }, "vk.point_alpha1");
  refused([](auto& k) { k.beta2.x.c0 += TestType::Fq::one(); }, "vk.point_beta2");
  refused([](auto& k) { k.gamma2 = TestType::G2::infinity(); }, "vk.point_gamma2");
  refused([](auto& k) { k.delta2.y.c1 += TestType::Fq::one(); }, "vk.point_delta2");
  refused([](auto& k) { k.ic[1].y += TestType::Fq::one(); }, "vk.point_ic");
  refused([](auto& k) { k.ic.clear(); }, "vk.ic_count");
}

TEST_CASE("a malformed key is refused by the name of its fault") {
  const auto sample = test::mixed_circuit<Bls12_381>(10, 2, 1).build();
  const FlatBytes good = test::sample_key(sample);
  const auto refused = [&](auto&& change, const std::string& name) {
    FlatBytes bytes = good;
    auto header = load_flat<KeyHeader>(bytes.bytes());
    change(header);
    store_flat(bytes.bytes(), header);
    const auto opened = ProvingKey<Bls12_381>::open(bytes.bytes());
    REQUIRE_FALSE(opened);
    CHECK(opened.error().name == name);
  };
  refused([](KeyHeader& h) { h.magic[5] = 0; }, "key.magic");
  refused([](KeyHeader& h) { h.layout_version = 0; }, "key.version");
  refused([](KeyHeader& h) { h.curve = 1; }, "key.curve");
  refused([](KeyHeader& h) { h.h_basis = 7; }, "key.sizes");
  refused([](KeyHeader& h) { h.root = 6; }, "key.sizes");
  refused([](KeyHeader& h) { h.n_public = h.n_vars; }, "key.sizes");
  refused([](KeyHeader& h) { h.domain_log2 = 32; }, "key.sizes");
  refused([](KeyHeader& h) { h.n_vars += 100000; }, "key.sections");
  refused([](KeyHeader& h) { h.offset[3] += 4096; }, "key.sections");
  refused([](KeyHeader& h) { h.count[7] -= 1; }, "key.sections");
  refused([](KeyHeader& h) { h.total_bytes += 4096; }, "key.sections");
  for (const std::size_t missing :
       {std::size_t{1}, std::size_t{4096}, good.bytes().size() - 100, good.bytes().size()}) {
    FlatBytes cut(good.bytes().size() - missing);
    std::copy_n(good.bytes().begin(), cut.bytes().size(), cut.bytes().begin());
    const auto opened = ProvingKey<Bls12_381>::open(cut.bytes());
    REQUIRE_FALSE(opened);
    CHECK(opened.error().name == "key.length");
  }
}

TEST_CASE("Lagrange values at a point interpolate a polynomial on a coset") {
  using Fr = Bn254::Fr;
  std::mt19937_64 random(3);
  const Fr tau = test::random_element<Bn254>(random), shift = Fr::from_u64(3);
  const Fr root = Bn254::root_of_unity(DomainRoot::five, 6);
  std::vector<Fr> lagrange(64);
  lagrange_at(tau, shift, root, std::span<Fr>(lagrange), Compute(2));
  Fr sum = Fr::zero(), x = shift;
  for (const Fr& value : lagrange) {
    sum += value * (x.pow(63) + x.pow(5) + Fr::from_u64(9));
    x *= root;
  }
  CHECK(sum == tau.pow(63) + tau.pow(5) + Fr::from_u64(9));
}

}  // namespace
}  // namespace groth16
