// b2: b_g2_msm, the one sum in G2. It needs the witness only, so it runs while the prove stage does.
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

// The sum over all wires of [w_s] b2_s. Errors: key.system_sizes, cancelled.
template <class C>
groth16d::Result<typename C::G2> b_g2_msm(const ProvingKey<C>& key, const PackedWitness<C>& witness,
                                          const Compute& compute);

// Canonical bytes between processes (point_bytes.hpp). Reading checks the length, the coordinates' range and the curve
// equation. Error (malformed): b2.bytes.
template <class C>
std::vector<std::byte> b2_to_bytes(const typename C::G2& point);
template <class C>
groth16d::Result<typename C::G2> b2_from_bytes(std::span<const std::byte> bytes);

// Private memory that it takes at most, segments not included.
template <class C>
std::uint64_t b2_private_bytes(const SystemSizes& sizes, std::uint64_t n_full, unsigned threads);

#define GROTH16_DECLARE_B2(C)                                                                                      \
  extern template groth16d::Result<C::G2> b_g2_msm(const ProvingKey<C>&, const PackedWitness<C>&, const Compute&); \
  extern template std::vector<std::byte> b2_to_bytes<C>(const C::G2&);                                             \
  extern template groth16d::Result<C::G2> b2_from_bytes<C>(std::span<const std::byte>);                            \
  extern template std::uint64_t b2_private_bytes<C>(const SystemSizes&, std::uint64_t, unsigned);
GROTH16_DECLARE_B2(Bn254)
GROTH16_DECLARE_B2(Bls12_381)
#undef GROTH16_DECLARE_B2

}  // namespace groth16
