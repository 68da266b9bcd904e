// The fuzzed functions: each takes any bytes at all, must return, and aborts when a promise of its format is broken.
#pragma once

#include <cstddef>
#include <span>

namespace groth16::fuzz {

using Input = std::span<const std::byte>;

void r1cs(Input input);
void wtns(Input input);
void zkey(Input input);
void ptau(Input input);
void verification_key_json(Input input);
void proof_json(Input input);
void public_json(Input input);
void proof_binary(Input input);
void cached_circuit(Input input);
void bellperson_vk(Input input);
void bellperson_params(Input input);
void c1_json(Input input);
void c1_bincode(Input input);

}  // namespace groth16::fuzz
