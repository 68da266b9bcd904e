// The GPU's prove stage computes the sums that the CPU's does: both bases, both roots, circuits of all kinds of wires,
// sizes around powers of two, witnesses with and without exceptions.
#include "cuda/prove_stage.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "cuda/device.hpp"
#include "groth16/proof/b2.hpp"
#include "groth16/proof/evaluate.hpp"
#include "tests/algebra/random.hpp"
#include "tests/proof/sample_circuit.hpp"

using namespace groth16;
using namespace groth16::test;

namespace {

template <class C>
ProveSums<C> sums_on_host(const ProvingKey<C>& key, const PackedWitness<C>& witness) {
  const auto& system = witness.system();
  std::vector<typename C::Fr> a(system.domain_size()), b(system.domain_size());
  evaluate<C>(system, witness, a, b, Compute(2));
  return prove_sums<C>(key, witness, a, b, Compute(2)).value();
}

template <class C>
void compare(const Sample<C>& sample, HBasis basis, DomainRoot root, const device::GpuStageOptions& options) {
  const ConstraintSystem<C> system = sample.system();
  const FlatBytes key_bytes = sample_key(sample, basis, root);
  const auto key = ProvingKey<C>::open(key_bytes.bytes()).value();
  const FlatBytes witness_bytes = packed(sample, system).value();
  const auto witness = PackedWitness<C>::open(witness_bytes.bytes(), system).value();
  auto stage = device::GpuProveStage<C>::load(key, system, options, Compute(2));
  if (!stage) FAIL(stage.error().text);
  const bool has_b2 = options.b2 != device::B2Points::none;
  CHECK((*stage)->has_b2_points() == has_b2);
  for (const bool with_b2 : {has_b2, false, has_b2}) {
    const auto got = (*stage)->prove(key, witness, with_b2, Compute(2));
    if (!got) FAIL(got.error().text);
    const ProveSums<C> expected = sums_on_host(key, witness);
    CHECK(got->sums.h == expected.h);
    CHECK(got->sums.l == expected.l);
    CHECK(got->sums.a == expected.a);
    CHECK(got->sums.b1 == expected.b1);
    CHECK(got->b2.has_value() == with_b2);
    if (got->b2) CHECK(*got->b2 == b_g2_msm(key, witness, Compute(2)).value());
  }
}

}  // namespace

TEMPLATE_TEST_CASE("the prove stage's sums on the card are the host's", "[stage]", GROTH16_TEST_CURVES) {
  using C = TestType;
  const std::uint64_t n_constraints = GENERATE(1u, 5u, 13u, 60u, 61u, 300u, 2500u, 5000u);
  const HBasis basis = GENERATE(HBasis::odd_coset_lagrange, HBasis::monomial);
  const DomainRoot root =
      C::has_root(DomainRoot::seven) && n_constraints % 2 == 0 ? DomainRoot::seven : DomainRoot::five;
  CAPTURE(n_constraints, static_cast<int>(basis), static_cast<int>(root));
  const Circuit<C> circuit = mixed_circuit<C>(n_constraints, n_constraints % 4, n_constraints);
  device::GpuStageOptions options;
  options.b2 = n_constraints % 3 == 0 ? device::B2Points::none : device::B2Points::if_they_fit;
  options.most_tables = static_cast<unsigned>(1 + n_constraints % 5);
  compare(circuit.build(), basis, root, options);
}

TEMPLATE_TEST_CASE("sizes around every power of two are right", "[stage][many]", GROTH16_TEST_CURVES) {
  using C = TestType;
  for (unsigned log2 = 1; log2 <= 12; ++log2) {
    for (const std::uint64_t n_constraints :
         {(std::uint64_t{1} << log2) - 1, std::uint64_t{1} << log2, (std::uint64_t{1} << log2) + 1}) {
      CAPTURE(n_constraints);
      compare(mixed_circuit<C>(n_constraints, 2, n_constraints).build(), HBasis::odd_coset_lagrange, DomainRoot::five,
              {device::B2Points::required});
    }
  }
}

TEMPLATE_TEST_CASE("five hundred small circuits of each curve are right", "[stage][many]", GROTH16_TEST_CURVES) {
  using C = TestType;
  std::mt19937_64 random(11);
  for (int number = 0; number < 500; ++number) {
    const std::uint64_t n_constraints = 1 + random() % 40;
    const HBasis basis = random() % 2 == 0 ? HBasis::monomial : HBasis::odd_coset_lagrange;
    device::GpuStageOptions options;
    options.b2 = random() % 3 == 0 ? device::B2Points::none : device::B2Points::required;
    options.most_tables = static_cast<unsigned>(1 + random() % 8);
    CAPTURE(number, n_constraints, static_cast<int>(basis), options.most_tables);
    compare(mixed_circuit<C>(n_constraints, random() % 4, random()).build(), basis, DomainRoot::five, options);
  }
}

TEMPLATE_TEST_CASE("boolean wires that are no bits count with their values", "[stage]", GROTH16_TEST_CURVES) {
  using C = TestType;
  std::mt19937_64 random(7);
  Circuit<C> circuit = mixed_circuit<C>(400, 2, 7);
  const Sample<C> before = circuit.build();
  const ConstraintSystem<C> system = before.system();
  REQUIRE(system.n_boolean() > 10);
  int n_changed = 0;
  for (std::uint32_t wire = 0; wire < system.n_vars() && n_changed < 5; ++wire) {
    if (!system.is_boolean(wire) || random() % 4 != 0) continue;
    circuit.set_value(wire, random_element<C>(random));
    ++n_changed;
  }
  compare(circuit.build(), HBasis::monomial, DomainRoot::five, {device::B2Points::required});
}

TEMPLATE_TEST_CASE("rows of hundreds of terms are right", "[stage]", GROTH16_TEST_CURVES) {
  using C = TestType;
  using Fr = typename C::Fr;
  std::mt19937_64 random(8);
  Circuit<C> circuit = mixed_circuit<C>(200, 2, 8);
  typename Circuit<C>::Terms terms;
  for (std::uint32_t i = 0; i < 150; ++i) terms.emplace_back(i, i % 3 == 0 ? Fr::one() : random_element<C>(random));
  circuit.product(terms, {{1, Fr::one()}});
  circuit.product({{2, -Fr::one()}}, terms);
  compare(circuit.build(), HBasis::odd_coset_lagrange, DomainRoot::five, {});
}

TEST_CASE("a stage that cannot fit names the bytes", "[stage]") {
  using C = Bls12_381;
  const Sample<C> sample = mixed_circuit<C>(20, 1, 9).build();
  const ConstraintSystem<C> system = sample.system();
  const FlatBytes key_bytes = sample_key(sample);
  const auto key = ProvingKey<C>::open(key_bytes.bytes()).value();
  device::GpuStageOptions options;
  options.spare_bytes = std::uint64_t{1} << 50;
  const auto stage = device::GpuProveStage<C>::load(key, system, options, Compute(1));
  REQUIRE_FALSE(stage);
  CHECK(stage.error().name == "gpu.plan");
  CHECK_FALSE(device::is_sticky(stage.error()));
}
