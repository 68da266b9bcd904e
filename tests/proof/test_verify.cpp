// The verifier refuses every change of a good proof and of its statement, each by its name.
#include <catch2/catch.hpp>
#include <optional>

#include "groth16/proof/prove.hpp"
#include "groth16/proof/verify.hpp"
#include "tests/proof/sample_circuit.hpp"

namespace groth16 {
namespace {

// One good proof with everything that verifying it takes.
template <class C>
struct Good {
  VerifyingKey<C> key;
  std::vector<typename C::Scalar> publics;
  Proof<C> proof;

  static const Good& get() {
    static const Good good = [] {
      const auto sample = test::mixed_circuit<C>(20, 3, 1).build();
      const auto system = sample.system();
      const auto key_bytes = test::sample_key(sample);
      const auto proving_key = ProvingKey<C>::open(key_bytes.bytes()).value();
      const auto bytes = test::packed(sample, system).value();
      const auto witness = PackedWitness<C>::open(bytes.bytes(), system).value();
      return Good{verifying_key(proving_key),
                  {witness.public_inputs().begin(), witness.public_inputs().end()},
                  prove(proving_key, witness, Compute(2)).value()};
    }();
    return good;
  }

  std::string verdict(const Proof<C>& changed) const { return verdict(changed, publics); }
  std::string verdict(const Proof<C>& changed, const std::vector<typename C::Scalar>& inputs) const {
    const auto result = verify<C>(key, inputs, changed);
    return result ? "valid" : result.error().name;
  }
};

// A point on the curve and, as the cofactor is large, outside the subgroup; nothing where there is no cofactor.
template <class C, class F>
std::optional<Affine<F>> point_outside(const F& b) {
  for (std::uint64_t x = 1; x < 1000; ++x) {
    const F candidate = F::from_u64(x);
    const auto y = (candidate.square() * candidate + b).sqrt();
    if (!y) continue;
    const Affine<F> point{candidate, *y};
    if (!C::in_subgroup(point)) return point;
  }
  return std::nullopt;
}

TEMPLATE_TEST_CASE("a good proof is valid", "", Bn254, Bls12_381) {
  const auto& good = Good<TestType>::get();
  CHECK(good.verdict(good.proof) == "valid");
}

TEMPLATE_TEST_CASE("a change of any coordinate is refused", "", Bn254, Bls12_381) {
  const auto& good = Good<TestType>::get();
  const auto one = TestType::Fq::one();
  const auto refused = [&](auto&& change) {
    Proof<TestType> changed = good.proof;
    change(changed);
    CHECK(good.verdict(changed) == "proof.not_on_curve");
  };
  refused([&](auto& p) { p.a.x += one; });
  refused([&](auto& p) { p.a.y += one; });
  refused([&](auto& p) { p.b.x.c0 += one; });
  refused([&](auto& p) { p.b.x.c1 += one; });
  refused([&](auto& p) { p.b.y.c0 += one; });
  refused([&](auto& p) { p.b.y.c1 += one; });
  refused([&](auto& p) { p.c.x += one; });
  refused([&](auto& p) { p.c.y += one; });
}

TEMPLATE_TEST_CASE("another point of the group in any place fails the equation", "", Bn254, Bls12_381) {
  const auto& good = Good<TestType>::get();
  const auto refused = [&](auto&& change) {
    Proof<TestType> changed = good.proof;
    change(changed);
    CHECK(good.verdict(changed) == "verify.equation");
  };
  refused([](auto& p) { p.a = -p.a; });
  refused([](auto& p) { p.b = -p.b; });
  refused([](auto& p) { p.c = -p.c; });
  refused([](auto& p) { std::swap(p.a, p.c); });
  refused([](auto& p) { p.c = TestType::generator_g1(); });
  refused([](auto& p) { p.b = TestType::generator_g2(); });
}

TEMPLATE_TEST_CASE("a change of any public input is refused, x + r too, and a wrong number of them", "", Bn254,
                   Bls12_381) {
  const auto& good = Good<TestType>::get();
  for (std::size_t i = 0; i < good.publics.size(); ++i) {
    auto changed = good.publics;
    changed[i] = (TestType::Fr::from_uint(changed[i]) + TestType::Fr::one()).to_uint();
    CHECK(good.verdict(good.proof, changed) == "verify.equation");
    changed = good.publics;
    REQUIRE(changed[i].add_in_place(TestType::Fr::modulus()) == 0);
    CHECK(good.verdict(good.proof, changed) == "verify.public_not_canonical");
  }
  auto fewer = good.publics, more = good.publics;
  fewer.pop_back();
  more.push_back(TestType::Scalar::zero());
  CHECK(good.verdict(good.proof, fewer) == "verify.public_count");
  CHECK(good.verdict(good.proof, more) == "verify.public_count");
}

TEMPLATE_TEST_CASE("infinity in any place is refused", "", Bn254, Bls12_381) {
  const auto& good = Good<TestType>::get();
  Proof<TestType> a = good.proof, b = good.proof, c = good.proof;
  a.a = TestType::G1::infinity();
  b.b = TestType::G2::infinity();
  c.c = TestType::G1::infinity();
  CHECK(good.verdict(a) == "proof.infinity");
  CHECK(good.verdict(b) == "proof.infinity");
  CHECK(good.verdict(c) == "proof.infinity");
}

TEMPLATE_TEST_CASE("points outside the subgroup are refused", "", Bn254, Bls12_381) {
  const auto& good = Good<TestType>::get();
  const auto outside_g1 = point_outside<TestType>(TestType::b_g1());
  CHECK(outside_g1.has_value() == TestType::g1_has_cofactor);
  if (outside_g1) {
    Proof<TestType> changed = good.proof;
    changed.a = *outside_g1;
    CHECK(good.verdict(changed) == "proof.not_in_subgroup");
    changed = good.proof;
    changed.c = *outside_g1;
    CHECK(good.verdict(changed) == "proof.not_in_subgroup");
  }
  const auto outside_g2 = point_outside<TestType>(TestType::b_g2());
  REQUIRE(outside_g2);
  Proof<TestType> changed = good.proof;
  changed.b = *outside_g2;
  CHECK(good.verdict(changed) == "proof.not_in_subgroup");
}

TEMPLATE_TEST_CASE("a proof's bytes are the proof, and any other bytes are refused", "", Bn254, Bls12_381) {
  const auto& good = Good<TestType>::get();
  const auto bytes = to_bytes(good.proof);
  CHECK(bytes.size() == 8 * TestType::Fq::kBytes);
  const auto back = proof_from_bytes<TestType>(bytes);
  REQUIRE(back);
  CHECK(*back == good.proof);
  for (std::size_t i = 0; i < bytes.size(); i += 7) {
    auto changed = bytes;
    changed[i] ^= std::byte{1};
    REQUIRE_FALSE(proof_from_bytes<TestType>(changed));
  }
  CHECK_FALSE(proof_from_bytes<TestType>(std::span(bytes).first(bytes.size() - 1)));
}

}  // namespace
}  // namespace groth16
