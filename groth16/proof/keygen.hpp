// keygen: a proving key from toxic values that the program knows. For tests and development only: who knows tau, alpha,
// beta or delta forges proofs, so such a key carries kKeyDevelopment, and it must never guard anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/error.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/proof/constraint_system.hpp"
#include "groth16/proof/generator_multiples.hpp"
#include "groth16/proof/proving_key.hpp"

namespace groth16 {

template <class C>
struct ToxicWaste {
  using Fr = typename C::Fr;
  Fr tau, alpha, beta, delta;
  Fr gamma = Fr::one();  // always one in iden3's keys

  // From the kernel's random numbers. Error (system): random.unavailable.
  static groth16d::Result<ToxicWaste> draw();
  // The same values for the same seed, for reproducible keys.
  static ToxicWaste from_seed(std::uint64_t seed);
};

// The bytes of the key that generate_key writes.
template <class C>
std::uint64_t generated_key_bytes(const ConstraintSystem<C>& system, HBasis basis);

// Private memory that generate_key takes at most.
template <class C>
std::uint64_t generate_key_private_bytes(const SystemSizes& sizes);

// Writes a key for the system, which has C, into out (generated_key_bytes long, aligned to 8). source: the digest of
// what the key is said to come from; nullptr: of its sections. Errors: keygen.no_c (malformed), keygen.toxic
// (malformed: a value is 0 or tau lies in the domain), key.sizes, key.length, cancelled, those of multiples.
template <class C>
groth16d::Result<void> generate_key(const ConstraintSystem<C>& system, const ToxicWaste<C>& toxic, HBasis basis,
                                    DomainRoot root, std::span<std::byte> out, const GeneratorMultiples<C>& multiples,
                                    const Compute& compute, const Digest* source = nullptr);

// The same on the host alone.
template <class C>
groth16d::Result<void> generate_key(const ConstraintSystem<C>& system, const ToxicWaste<C>& toxic, HBasis basis,
                                    DomainRoot root, std::span<std::byte> out, const Compute& compute) {
  return generate_key(system, toxic, basis, root, out, HostMultiples<C>(), compute);
}

// The values at tau of the Lagrange basis of the coset {shift root^i}, i = 0 .. out.size()-1, root of order out.size():
// ((tau/shift)^n - 1) / n * x_i / (tau - x_i) with x_i = shift root^i. tau is not in the coset.
template <class Fr>
void lagrange_at(const Fr& tau, const Fr& shift, const Fr& root, std::span<Fr> out, const Compute& compute);

#define GROTH16_DECLARE_KEYGEN(C)                                                                                     \
  extern template struct ToxicWaste<C>;                                                                               \
  extern template std::uint64_t generated_key_bytes(const ConstraintSystem<C>&, HBasis);                              \
  extern template std::uint64_t generate_key_private_bytes<C>(const SystemSizes&);                                    \
  extern template groth16d::Result<void> generate_key(const ConstraintSystem<C>&, const ToxicWaste<C>&, HBasis,       \
                                                      DomainRoot, std::span<std::byte>, const GeneratorMultiples<C>&, \
                                                      const Compute&, const Digest*);                                 \
  extern template void lagrange_at(const C::Fr&, const C::Fr&, const C::Fr&, std::span<C::Fr>, const Compute&);
GROTH16_DECLARE_KEYGEN(Bn254)
GROTH16_DECLARE_KEYGEN(Bls12_381)
#undef GROTH16_DECLARE_KEYGEN

}  // namespace groth16
