// A proof as compressed binary: A, B, C, each as compressed_point.hpp says: 192 bytes on BLS12-381 (also bellman's and
// Filecoin's), 128 bytes on BN254 (gnark's).
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "common/error.hpp"
#include "groth16/algebra/curves.hpp"
#include "groth16/formats/byte_reader.hpp"
#include "groth16/formats/compressed_point.hpp"
#include "groth16/proof/proof.hpp"

namespace groth16::formats {

template <class C>
inline constexpr std::size_t kCompressedProofBytes =
    2 * kCompressedPointBytes<typename C::G1> + kCompressedPointBytes<typename C::G2>;

template <class C>
std::array<std::byte, kCompressedProofBytes<C>> compress(const Proof<C>& proof);

// Every point is on its curve and in its subgroup; infinity is read (and refused by verify). Errors:
// proof_binary.length, proof_binary.flags, proof_binary.infinity (other bits are set), proof_binary.coordinate,
// proof_binary.not_on_curve, proof_binary.not_in_subgroup.
template <class C>
groth16d::Result<Proof<C>> decompress(Bytes bytes);

extern template std::array<std::byte, 128> compress(const Proof<Bn254>&);
extern template std::array<std::byte, 192> compress(const Proof<Bls12_381>&);
extern template groth16d::Result<Proof<Bn254>> decompress<Bn254>(Bytes);
extern template groth16d::Result<Proof<Bls12_381>> decompress<Bls12_381>(Bytes);

}  // namespace groth16::formats
