// Proof: the three points of Groth16 (2016, "On the size of pairing-based non-interactive arguments", section 3.2).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/error.hpp"
#include "groth16/algebra/bls12_381.hpp"
#include "groth16/algebra/bn254.hpp"

namespace groth16 {

template <class C>
struct Proof {
  typename C::G1 a;
  typename C::G2 b;
  typename C::G1 c;

  friend bool operator==(const Proof& p, const Proof& q) { return p.a == q.a && p.b == q.b && p.c == q.c; }
};

// Canonical bytes between processes (point_bytes.hpp): a, b, c; 256 bytes on BN254, 384 on BLS12-381. Reading checks
// the length, the coordinates' range and the curve equations, not the subgroups: that is verify's. Error (malformed):
// proof.bytes.
template <class C>
std::vector<std::byte> to_bytes(const Proof<C>& proof);
template <class C>
groth16d::Result<Proof<C>> proof_from_bytes(std::span<const std::byte> bytes);

extern template std::vector<std::byte> to_bytes(const Proof<Bn254>&);
extern template std::vector<std::byte> to_bytes(const Proof<Bls12_381>&);
extern template groth16d::Result<Proof<Bn254>> proof_from_bytes<Bn254>(std::span<const std::byte>);
extern template groth16d::Result<Proof<Bls12_381>> proof_from_bytes<Bls12_381>(std::span<const std::byte>);

}  // namespace groth16
