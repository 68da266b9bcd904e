// witness_msm: the sum of [w_s] P_s over a range of wires, straight from the packed witness: the points of the boolean
// wires that hold 1 are summed by their bits, the few others are gathered and go to the general MSM in blocks, so that
// private memory does not grow with the circuit.
#pragma once

#include <cstdint>
#include <span>

#include "groth16/algebra/compute.hpp"
#include "groth16/algebra/curve.hpp"
#include "groth16/proof/packed_witness.hpp"

namespace groth16 {

// At most this many full-size values are gathered at once. 2^20 points of G2 are 192 MiB on BLS12-381, and larger
// blocks save less than one part in twenty of the additions.
inline constexpr std::uint64_t kGatherBlock = std::uint64_t{1} << 20;

// points[i] belongs to wire first_wire + i and goes up to the last wire; wire_bits is the witness's own, computed once
// for all sums over it. Unspecified when compute was cancelled.
template <class C, class F>
Jacobian<F> witness_msm(std::span<const Affine<F>> points, std::uint64_t first_wire, const PackedWitness<C>& witness,
                        std::span<const std::uint64_t> wire_bits, const Compute& compute);

// Private memory that an MSM over n scalars takes at most with points of point_bytes, when they are gathered in blocks:
// points, scalars, indices, buckets.
std::uint64_t gathered_msm_bytes(std::uint64_t n, std::uint64_t point_bytes, unsigned threads);

#define GROTH16_DECLARE_WITNESS_MSM(C, F)                                                                     \
  extern template Jacobian<F> witness_msm(std::span<const Affine<F>>, std::uint64_t, const PackedWitness<C>&, \
                                          std::span<const std::uint64_t>, const Compute&);
GROTH16_DECLARE_WITNESS_MSM(Bn254, Bn254::Fq)
GROTH16_DECLARE_WITNESS_MSM(Bn254, Bn254::Fq2)
GROTH16_DECLARE_WITNESS_MSM(Bls12_381, Bls12_381::Fq)
GROTH16_DECLARE_WITNESS_MSM(Bls12_381, Bls12_381::Fq2)
#undef GROTH16_DECLARE_WITNESS_MSM

}  // namespace groth16
