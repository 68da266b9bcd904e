// sums: the prove stage, four sums in G1 from which a proof is assembled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/error.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/proof/packed_witness.hpp"
#include "groth16/proof/proving_key.hpp"

namespace groth16 {

template <class C>
struct ProveSums {
  typename C::G1 h;   // sum of [h scalar] h_j
  typename C::G1 l;   // sum over private wires of [w_s] l_s
  typename C::G1 a;   // sum over all wires of [w_s] a_s
  typename C::G1 b1;  // sum over all wires of [w_s] b1_s

  friend bool operator==(const ProveSums& p, const ProveSums& q) {
    return p.h == q.h && p.l == q.l && p.a == q.a && p.b1 == q.b1;
  }
};

// a and b hold the rows of A w and B w as evaluate() writes them, and are overwritten. Errors: key.system_sizes,
// sums.spans (internal), cancelled.
template <class C>
groth16d::Result<ProveSums<C>> prove_sums(const ProvingKey<C>& key, const PackedWitness<C>& witness,
                                          std::span<typename C::Fr> a, std::span<typename C::Fr> b,
                                          const Compute& compute);

// The two halves of prove_sums, which need nothing of each other: the sum over H, and l, a and b1, where h stays
// infinity. Errors: those of prove_sums.
template <class C>
groth16d::Result<typename C::G1> h_sum(const ProvingKey<C>& key, std::span<typename C::Fr> a,
                                       std::span<typename C::Fr> b, const Compute& compute);
template <class C>
groth16d::Result<ProveSums<C>> witness_sums(const ProvingKey<C>& key, const PackedWitness<C>& witness,
                                            const Compute& compute);

// Canonical bytes between processes (point_bytes.hpp): h, l, a, b1. Reading checks the length, the coordinates' range
// and the curve equation. Error (malformed): sums.bytes.
template <class C>
std::vector<std::byte> to_bytes(const ProveSums<C>& sums);
template <class C>
groth16d::Result<ProveSums<C>> sums_from_bytes(std::span<const std::byte> bytes);

// Private memory that the prove stage takes at most, segments not included: evaluation, transforms, sums. n_full is
// ConstraintSystem::n_full() (sizes.n_private() where it is not known yet).
template <class C>
std::uint64_t prove_private_bytes(const SystemSizes& sizes, std::uint64_t n_full, unsigned threads);

#define GROTH16_DECLARE_SUMS(C)                                                                                  \
  extern template groth16d::Result<ProveSums<C>> prove_sums(const ProvingKey<C>&, const PackedWitness<C>&,       \
                                                            std::span<C::Fr>, std::span<C::Fr>, const Compute&); \
  extern template groth16d::Result<C::G1> h_sum(const ProvingKey<C>&, std::span<C::Fr>, std::span<C::Fr>,        \
                                                const Compute&);                                                 \
  extern template groth16d::Result<ProveSums<C>> witness_sums(const ProvingKey<C>&, const PackedWitness<C>&,     \
                                                              const Compute&);                                   \
  extern template std::vector<std::byte> to_bytes(const ProveSums<C>&);                                          \
  extern template groth16d::Result<ProveSums<C>> sums_from_bytes<C>(std::span<const std::byte>);                 \
  extern template std::uint64_t prove_private_bytes<C>(const SystemSizes&, std::uint64_t, unsigned);
GROTH16_DECLARE_SUMS(Bn254)
GROTH16_DECLARE_SUMS(Bls12_381)
#undef GROTH16_DECLARE_SUMS

}  // namespace groth16
