// The checks before the pairing are the verifier's duty as much as the pairing: each refusal closes a known forgery or
// a double meaning (x and x + r, points outside the group).
#include "groth16/proof/verify.hpp"

#include <array>
#include <string>
#include <utility>

#include "groth16/algebra/pairing.hpp"

namespace groth16 {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

template <class C, class Point, class F>
Result<void> check_point(const Point& point, const F& b, const std::string& name) {
  const auto refuse = [&](const std::string& what, const std::string& text) {
    return failure(ErrorCode::malformed, "proof." + what, "proof: point " + name + " " + text);
  };
  if (point.is_infinity()) return refuse("infinity", "is infinity");
  if (!on_curve(point, b)) return refuse("not_on_curve", "is not on the curve");
  if (!C::in_subgroup(point)) return refuse("not_in_subgroup", "is outside the group of order r");
  return {};
}

template <class C>
Result<void> check_publics(const VerifyingKey<C>& key, std::span<const typename C::Scalar> publics) {
  if (publics.size() + 1 != key.ic.size()) {
    return failure(
        ErrorCode::mismatch, "verify.public_count",
        std::to_string(publics.size()) + " public inputs, the verifying key has " + std::to_string(key.ic.size() - 1));
  }
  for (std::size_t i = 0; i < publics.size(); ++i) {
    if (!C::Fr::is_canonical(publics[i])) {
      return failure(ErrorCode::malformed, "verify.public_not_canonical",
                     "public input " + std::to_string(i) + " is not below r");
    }
  }
  return {};
}

}  // namespace

template <class C>
Result<void> verify(const VerifyingKey<C>& key, std::span<const typename C::Scalar> publics, const Proof<C>& proof) {
  Result<void> checked = check_publics(key, publics);
  if (checked) checked = check_point<C>(proof.a, C::b_g1(), "A");
  if (checked) checked = check_point<C>(proof.b, C::b_g2(), "B");
  if (checked) checked = check_point<C>(proof.c, C::b_g1(), "C");
  if (!checked) return checked;

  auto statement = Jacobian<typename C::Fq>::from_affine(key.ic[0]);
  for (std::size_t i = 0; i < publics.size(); ++i) statement += times(key.ic[i + 1], publics[i]);
  const std::array<std::pair<typename C::G1, typename C::G2>, 4> pairs{{
      {-proof.a, proof.b},
      {key.alpha1, key.beta2},
      {statement.to_affine(), key.gamma2},
      {proof.c, key.delta2},
  }};
  if (!pairing_product_is_one<C>(pairs)) {
    return failure(ErrorCode::unsatisfied, "verify.equation", "the proof does not satisfy the pairing equation");
  }
  return {};
}

#define GROTH16_DEFINE_VERIFY(C) \
  template Result<void> verify(const VerifyingKey<C>&, std::span<const C::Scalar>, const Proof<C>&);
GROTH16_DEFINE_VERIFY(Bn254)
GROTH16_DEFINE_VERIFY(Bls12_381)

}  // namespace groth16
