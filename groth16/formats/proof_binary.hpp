// A proof as compressed binary: A, B, C, each the big-endian x of its point with flags in the top bits of the first
// byte. In G2 x.c1 comes before x.c0. "Larger" compares y with q - y as integers, in Fq2 by c1 first, then c0.
//
//   BLS12-381, 48 + 96 + 48 = 192 bytes, the ZCash form (also bellman's and Filecoin's): 0x80 compressed, 0x40
//   infinity,
//       0x20 y is the larger root
//   BN254, 32 + 64 + 32 = 128 bytes, as gnark writes it: 0b10 y is the smaller root, 0b11 the larger, 0b01 infinity
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "common/error.hpp"
#include "groth16/algebra/curves.hpp"
#include "groth16/formats/byte_reader.hpp"
#include "groth16/proof/proof.hpp"

namespace groth16::formats {

// The bytes of a compressed point: one coordinate.
template <class Point>
inline constexpr std::size_t kCompressedPointBytes = sizeof(typename Point::Field);

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
