// bellperson's verifying key of BLS12-381, as Filecoin's .vk files hold it and as the start of its .params files:
//
//   alpha_g1, beta_g1, beta_g2, gamma_g2, delta_g1, delta_g2, u32 count, count times ic_g1         all big-endian
//
// Points are x then y (G2: c1 before c0), with 0x40 in the first byte for infinity; or, in keys that travel with
// proofs, compressed (compressed_point.hpp).
#pragma once

#include <string_view>

#include "common/error.hpp"
#include "groth16/algebra/bls12_381.hpp"
#include "groth16/formats/byte_reader.hpp"
#include "groth16/proof/proving_key.hpp"

namespace groth16::formats {

enum class PointForm { uncompressed, compressed };

// beta and delta in G1 are of use to a prover only.
struct BellpersonVk {
  VerifyingKey<Bls12_381> key;
  Bls12_381::G1 beta1, delta1;
};

// The gamma of keys that this program makes from values that it knows. The files have no place for a word, so this
// value, which no ceremony hits, says it: whoever knows it learns only that the key is for development.
const Bls12_381::Fr& development_gamma();

// kKeyForgeable: no contribution was made to delta. kKeyDevelopment: gamma is development_gamma.
std::uint32_t warnings_of(const BellpersonVk& vk);

// The bytes of the key that a file begins with, which may go on behind it. Errors (malformed): bellperson_vk.length,
// .ic_count.
groth16d::Result<std::uint64_t> bellperson_vk_bytes(std::string_view file, Bytes bytes, PointForm form);

// The whole file, to its last byte. Every point is on its curve, in its subgroup and not infinity; beta and delta are
// the same in both groups. Errors (malformed): bellperson_vk.length, .ic_count, .flags, .infinity, .coordinate,
// .not_on_curve, .not_in_subgroup, .pairing (they are not).
groth16d::Result<BellpersonVk> read_bellperson_vk(std::string_view file, Bytes bytes, PointForm form);

}  // namespace groth16::formats
