// Proofs as bytes.
#include "groth16/proof/proof.hpp"

#include <string>

#include "groth16/proof/point_bytes.hpp"

namespace groth16 {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

template <class C>
std::vector<std::byte> to_bytes(const Proof<C>& proof) {
  std::vector<std::byte> out;
  append_bytes(out, proof.a);
  append_bytes(out, proof.b);
  append_bytes(out, proof.c);
  return out;
}

template <class C>
Result<Proof<C>> proof_from_bytes(std::span<const std::byte> bytes) {
  Proof<C> proof;
  const std::size_t n_bytes = bytes.size();
  const bool readable =
      take_bytes(bytes, proof.a) && take_bytes(bytes, proof.b) && take_bytes(bytes, proof.c) && bytes.empty();
  if (!readable || !on_curve(proof.a, C::b_g1()) || !on_curve(proof.b, C::b_g2()) || !on_curve(proof.c, C::b_g1())) {
    return failure(ErrorCode::malformed, "proof.bytes",
                   "proof: " + std::to_string(n_bytes) + " bytes are not three points of " + std::string(C::name));
  }
  return proof;
}

template std::vector<std::byte> to_bytes(const Proof<Bn254>&);
template std::vector<std::byte> to_bytes(const Proof<Bls12_381>&);
template Result<Proof<Bn254>> proof_from_bytes<Bn254>(std::span<const std::byte>);
template Result<Proof<Bls12_381>> proof_from_bytes<Bls12_381>(std::span<const std::byte>);

}  // namespace groth16
