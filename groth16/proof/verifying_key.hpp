// VerifyingKey: what a verifier needs, and the digest that names it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/digest.hpp"
#include "common/error.hpp"
#include "groth16/algebra/bls12_381.hpp"
#include "groth16/algebra/bn254.hpp"

namespace groth16 {

using groth16d::Digest;

template <class C>
struct VerifyingKey {
  typename C::G1 alpha1;
  typename C::G2 beta2, gamma2, delta2;
  std::vector<typename C::G1> ic;  // n_public + 1 points, that of the constant one first

  std::uint64_t n_public() const { return ic.size() - 1; }
};

// u32 curve, u64 n_public (little-endian), alpha1, beta2, gamma2, delta2, ic as point_bytes.hpp writes points. The
// digest of a verifying key is the SHA-256 of these bytes, whatever file it came from.
template <class C>
std::vector<std::byte> canonical_bytes(const VerifyingKey<C>& key);
template <class C>
Digest digest(const VerifyingKey<C>& key);

// Every point on its curve and in its subgroup, the four fixed points not at infinity, at least one ic point. Errors
// (malformed): vk.point_alpha1, vk.point_beta2, vk.point_gamma2, vk.point_delta2, vk.point_ic, vk.ic_count.
template <class C>
groth16d::Result<void> check_points(const VerifyingKey<C>& key);

// Whether anyone can forge proofs for this key: delta2 is gamma2 or the generator of G2, as after a setup without a
// contribution. (False says nothing about who knows the setup's secrets.)
template <class C>
bool is_forgeable(const VerifyingKey<C>& key);

#define GROTH16_DECLARE_VERIFYING_KEY(C)                                          \
  extern template std::vector<std::byte> canonical_bytes(const VerifyingKey<C>&); \
  extern template Digest digest(const VerifyingKey<C>&);                          \
  extern template groth16d::Result<void> check_points(const VerifyingKey<C>&);    \
  extern template bool is_forgeable(const VerifyingKey<C>&);
GROTH16_DECLARE_VERIFYING_KEY(Bn254)
GROTH16_DECLARE_VERIFYING_KEY(Bls12_381)
#undef GROTH16_DECLARE_VERIFYING_KEY

}  // namespace groth16
