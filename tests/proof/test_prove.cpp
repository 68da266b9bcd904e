// A proof that is made verifies, for every kind of key and every awkward size, and a false one never does.
#include <catch2/catch.hpp>

#include "groth16/proof/prove.hpp"
#include "groth16/proof/verify.hpp"
#include "tests/proof/sample_circuit.hpp"

namespace groth16 {
namespace {

using test::Circuit;
using test::FlatBytes;
using test::packed;
using test::Sample;

// Proves a sample with a key of the kind that is asked for. prove() verifies; the check is made again from outside.
template <class C>
groth16d::Result<Proof<C>> prove_sample(const Sample<C>& sample, HBasis basis = HBasis::odd_coset_lagrange,
                                        DomainRoot root = DomainRoot::five) {
  const auto system = sample.system();
  const FlatBytes key_bytes = test::sample_key(sample, basis, root);
  const auto key = ProvingKey<C>::open(key_bytes.bytes()).value();
  const auto bytes = packed(sample, system);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto witness = PackedWitness<C>::open(bytes->bytes(), system).value();
  const auto proof = prove(key, witness, Compute(2));
  if (!proof) return proof;
  CHECK(check_points(verifying_key(key)));
  CHECK(verify(verifying_key(key), witness.public_inputs(), *proof));
  return proof;
}

TEMPLATE_TEST_CASE("sizes just below, at and above a power of two prove and verify", "", Bn254, Bls12_381) {
  const std::uint64_t n_constraints = GENERATE(28, 29, 30);  // and three public rows
  CHECK(prove_sample(test::mixed_circuit<TestType>(n_constraints, 2, 1).build()));
}

TEMPLATE_TEST_CASE("both H bases and every domain root prove and verify", "", Bn254, Bls12_381) {
  const auto sample = test::mixed_circuit<TestType>(100, 3, 2).build();
  for (const HBasis basis : {HBasis::odd_coset_lagrange, HBasis::monomial}) {
    for (const DomainRoot root : {DomainRoot::five, DomainRoot::seven}) {
      if (TestType::has_root(root)) CHECK(prove_sample(sample, basis, root));
    }
  }
}

TEMPLATE_TEST_CASE("a thousand constraints prove and verify", "", Bn254, Bls12_381) {
  CHECK(prove_sample(test::mixed_circuit<TestType>(1000, 5, 3).build()));
}

TEMPLATE_TEST_CASE("one constraint and no public input prove and verify", "", Bn254, Bls12_381) {
  using Fr = typename TestType::Fr;
  const HBasis basis = GENERATE(HBasis::odd_coset_lagrange, HBasis::monomial);
  Circuit<TestType> circuit;
  const auto x = circuit.add_wire(Fr::from_u64(3)), y = circuit.add_wire(Fr::from_u64(5));
  circuit.product({{x, Fr::one()}}, {{y, Fr::one()}});
  CHECK(prove_sample(circuit.build(), basis));

  CHECK(prove_sample(test::mixed_circuit<TestType>(40, 0, 9).build(), basis));
}

TEMPLATE_TEST_CASE("a zkey's kind of system, without C, proves and verifies", "", Bn254, Bls12_381) {
  using Fr = typename TestType::Fr;
  Circuit<TestType> circuit;
  const auto in = circuit.add_public(Fr::from_u64(6));
  circuit.bit(true, Fr::one(), false);
  const auto x = circuit.product({{in, Fr::one()}}, {{in, Fr::from_u64(2)}});
  circuit.product({{x, Fr::one()}}, {{x, Fr::one()}, {0, -Fr::one()}});  // looks like a bit and is an exception
  const auto with_c = circuit.build();
  const auto without_c = circuit.build(false);
  const auto system = without_c.system();
  REQUIRE(system.is_boolean(x));
  const FlatBytes key_bytes = test::sample_key(with_c);
  const auto key = ProvingKey<TestType>::open(key_bytes.bytes()).value();
  const auto bytes = packed(without_c, system).value();
  const auto witness = PackedWitness<TestType>::open(bytes.bytes(), system).value();
  CHECK(witness.exceptions().size() == 1);
  CHECK(prove(key, witness, Compute(2)));
}

TEMPLATE_TEST_CASE("an unsatisfied witness gives no proof, and the error names the row", "", Bn254, Bls12_381) {
  auto circuit = test::mixed_circuit<TestType>(50, 2, 4);
  const auto x = circuit.add_wire(TestType::Fr::from_u64(2));
  const auto y = circuit.product({{x, TestType::Fr::one()}}, {{x, TestType::Fr::one()}});
  circuit.set_value(y, TestType::Fr::from_u64(5));
  const auto refused = prove_sample(circuit.build());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == groth16d::ErrorCode::unsatisfied);
  CHECK(refused.error().name == "verify.equation");
  CHECK(refused.error().text.find("constraint 50") != std::string::npos);
}

TEMPLATE_TEST_CASE("a bit that is no bit gives no proof", "", Bn254, Bls12_381) {
  auto circuit = test::mixed_circuit<TestType>(20, 2, 4);
  const auto x = circuit.bit(true, TestType::Fr::one(), false);
  circuit.set_value(x, TestType::Fr::from_u64(2));
  const auto refused = prove_sample(circuit.build());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().text.find("constraint 20") != std::string::npos);
}

TEMPLATE_TEST_CASE("two proofs of one witness differ in every point", "", Bn254, Bls12_381) {
  const auto sample = test::mixed_circuit<TestType>(10, 1, 4).build();
  const auto first = prove_sample(sample), second = prove_sample(sample);
  REQUIRE(first);
  REQUIRE(second);
  CHECK_FALSE(first->a == second->a);
  CHECK_FALSE(first->b == second->b);
  CHECK_FALSE(first->c == second->c);
}

TEST_CASE("a key and a witness of different circuits are refused with both sizes") {
  const auto one = test::mixed_circuit<Bn254>(10, 1, 4).build(), other = test::mixed_circuit<Bn254>(20, 1, 4).build();
  const FlatBytes key_bytes = test::sample_key(one);
  const auto key = ProvingKey<Bn254>::open(key_bytes.bytes()).value();
  const auto system = other.system();
  const auto bytes = packed(other, system).value();
  const auto refused = prove(key, PackedWitness<Bn254>::open(bytes.bytes(), system).value(), Compute(1));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().name == "key.system_sizes");
  CHECK(refused.error().text.find(std::to_string(one.values.size())) != std::string::npos);
  CHECK(refused.error().text.find(std::to_string(other.values.size())) != std::string::npos);
}

}  // namespace
}  // namespace groth16
