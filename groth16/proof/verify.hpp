// verify: whether a proof shows that some witness with these public inputs satisfies the circuit:
//   e(A, B) = e(alpha, beta) e(sum over s of [x_s] ic_s, gamma) e(C, delta), x_0 = 1  (Groth 2016, section 3.2).
//
// A Groth16 proof is malleable: other valid proofs of the same statement can be made from one, so a proof is no unique
// name of anything.
#pragma once

#include <span>

#include "common/error.hpp"
#include "groth16/proof/proof.hpp"
#include "groth16/proof/verifying_key.hpp"

namespace groth16 {

// The key's points are good (check_points). publics are x_1 .. x_n, plain integers. Errors:
//   mismatch   verify.public_count
//   malformed  verify.public_not_canonical (x >= r), proof.infinity (a, b or c), proof.not_on_curve,
//   proof.not_in_subgroup unsatisfied verify.equation
template <class C>
groth16d::Result<void> verify(const VerifyingKey<C>& key, std::span<const typename C::Scalar> publics,
                              const Proof<C>& proof);

#define GROTH16_DECLARE_VERIFY(C) \
  extern template groth16d::Result<void> verify(const VerifyingKey<C>&, std::span<const C::Scalar>, const Proof<C>&);
GROTH16_DECLARE_VERIFY(Bn254)
GROTH16_DECLARE_VERIFY(Bls12_381)
#undef GROTH16_DECLARE_VERIFY

}  // namespace groth16
