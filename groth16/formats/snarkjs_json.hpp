// verification_key.json, proof.json and public.json: read strictly, written byte for byte as snarkjs writes them.
//
// Field elements are decimal strings of canonical values: digits only, no leading zero, below the prime. Points have
// z = "1": G1 ["x", "y", "1"], G2 [["x.c0", "x.c1"], ["y.c0", "y.c1"], ["1", "0"]]; infinity is ["0", "1", "0"] and
// [["0", "0"], ["1", "0"], ["0", "0"]]. Every point that is read is on its curve and in its subgroup.
//
// Keys that the format does not know are ignored, as every reader does; a key that occurs twice is refused, since
// readers differ in which one they take. Texts have no NUL byte and bounded size and depth (json_document.hpp).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/error.hpp"
#include "groth16/algebra/curves.hpp"
#include "groth16/algebra/uint.hpp"
#include "groth16/proof/proof.hpp"
#include "groth16/proof/verifying_key.hpp"

namespace groth16::formats {

using AnyVerifyingKey = std::variant<VerifyingKey<Bn254>, VerifyingKey<Bls12_381>>;

// The curve is the file's. vk_alphabeta_12 is not read. Errors: json.*, vk.missing_key, vk.protocol, vk.curve,
// vk.public_count (IC has not nPublic + 1 points), vk.shape (an array or string of another form), vk.decimal,
// vk.coordinate, vk.z, vk.infinity (alpha, beta, gamma, delta), vk.not_on_curve, vk.not_in_subgroup.
groth16d::Result<AnyVerifyingKey> parse_verification_key_json(const std::string& file, std::string_view text);

// "curve" may be missing (rapidsnark does not write it). Errors: json.*, proof.missing_key, proof.protocol,
// proof.curve (mismatch), and of the points as above with "proof.".
template <class C>
groth16d::Result<Proof<C>> parse_proof_json(const std::string& file, std::string_view text);

// Errors: json.*, public.shape, public.decimal, public.not_canonical (not below the r of the curve).
groth16d::Result<std::vector<UInt<4>>> parse_public_json(const std::string& file, std::string_view text, CurveId curve);

// The texts that snarkjs writes for the same values, without a line end after the last brace.
template <class C>
std::string verification_key_json(const VerifyingKey<C>& key);
template <class C>
std::string proof_json(const Proof<C>& proof);
std::string public_json(std::span<const UInt<4>> values);

#define GROTH16_DECLARE_SNARKJS_JSON(C)                                                                        \
  extern template groth16d::Result<Proof<C>> parse_proof_json(const std::string& file, std::string_view text); \
  extern template std::string verification_key_json(const VerifyingKey<C>& key);                               \
  extern template std::string proof_json(const Proof<C>& proof);
GROTH16_DECLARE_SNARKJS_JSON(Bn254)
GROTH16_DECLARE_SNARKJS_JSON(Bls12_381)
#undef GROTH16_DECLARE_SNARKJS_JSON

}  // namespace groth16::formats
