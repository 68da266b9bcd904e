// Writing bellperson's .vk and .params, byte for byte in the layout that its readers take (bellperson_vk.hpp,
// bellperson_params.hpp).
#pragma once

#include "common/error.hpp"
#include "groth16/formats/bellperson_vk.hpp"
#include "groth16/formats/byte_sink.hpp"
#include "groth16/proof/proving_key.hpp"

namespace groth16::formats {

BellpersonVk bellperson_vk(const ProvingKey<Bls12_381>& key);

// Errors: those of the sink.
groth16d::Result<void> write_bellperson_vk(ByteSink& sink, const BellpersonVk& vk);

// The key has the H basis monomial and the root seven, and is for a circuit whose variables all occur; points at
// infinity in A and B are left out. A key for development says so by its gamma: it was made with development_gamma.
// Errors (malformed): bellperson_params.basis, .infinity (in ic, h or l), .unmarked; those of the sink.
groth16d::Result<void> write_bellperson_params(ByteSink& sink, const ProvingKey<Bls12_381>& key);

}  // namespace groth16::formats
