// The trapdoor's sums are those of the real prove stage, for both curves, bases and roots.
#include <catch2/catch.hpp>

#include "groth16/proof/evaluate.hpp"
#include "tests/faults/trapdoor.hpp"
#include "tests/proof/sample_circuit.hpp"

using namespace groth16d;
using groth16::Bls12_381;
using groth16::Bn254;
using groth16::Compute;
using groth16::DomainRoot;
using groth16::HBasis;
using groth16::ToxicWaste;

namespace {

constexpr std::uint64_t kSeed = 1;  // of sample_key's toxic values

template <class C>
struct Scene {
  groth16::test::Sample<C> sample = groth16::test::mixed_circuit<C>(300, 3, 99).build();
  groth16::ConstraintSystem<C> system = sample.system();
  groth16::test::FlatBytes witness_bytes = groth16::test::packed<C>(sample, system).value();
  groth16::PackedWitness<C> witness = groth16::PackedWitness<C>::open(witness_bytes.bytes(), system).value();
  std::vector<typename C::Fr> a = std::vector<typename C::Fr>(system.domain_size()), b = a;

  Scene() { groth16::evaluate<C>(system, witness, a, b, Compute(1)); }
};

template <class C>
void check_sums(HBasis basis, DomainRoot root) {
  Scene<C> scene;
  const auto key_bytes = groth16::test::sample_key(scene.sample, basis, root);
  const auto key = groth16::ProvingKey<C>::open(key_bytes.bytes()).value();
  faults::Trapdoor<C> trapdoor(ToxicWaste<C>::from_seed(kSeed));

  const auto first = trapdoor.sums(key, scene.witness, scene.a, scene.b, Compute(2));
  const auto again = trapdoor.sums(key, scene.witness, scene.a, scene.b, Compute(1));
  const auto real = groth16::prove_sums<C>(key, scene.witness, scene.a, scene.b, Compute(2));

  REQUIRE((first && again && real));
  CHECK(*first == *real);
  CHECK(*again == *real);
}

}  // namespace

TEST_CASE("the trapdoor's sums equal those of the prove stage") {
  check_sums<Bn254>(HBasis::odd_coset_lagrange, DomainRoot::five);
  check_sums<Bn254>(HBasis::monomial, DomainRoot::five);
  check_sums<Bls12_381>(HBasis::odd_coset_lagrange, DomainRoot::five);
  check_sums<Bls12_381>(HBasis::monomial, DomainRoot::seven);
}

TEST_CASE("a key of other toxic values is refused") {
  Scene<Bn254> scene;
  const auto key_bytes = groth16::test::sample_key(scene.sample);
  const auto key = groth16::ProvingKey<Bn254>::open(key_bytes.bytes()).value();
  faults::Trapdoor<Bn254> trapdoor(ToxicWaste<Bn254>::from_seed(kSeed + 1));

  const auto sums = trapdoor.sums(key, scene.witness, scene.a, scene.b, Compute(1));

  REQUIRE_FALSE(sums.has_value());
  CHECK(sums.error().name == "trapdoor.key");
}
