// Solidity calldata: the arguments of the verifier contract that snarkjs generates, as `snarkjs zkey export
// soliditycalldata` and `snarkjs generatecall` print them. BN254 only: it is the curve of Ethereum's precompiles.
//
//   ["0xA.x", "0xA.y"],[["0xB.x.c1", "0xB.x.c0"],["0xB.y.c1", "0xB.y.c0"]],["0xC.x", "0xC.y"],["0xpublic",...]
//
// Each number has 64 hexadecimal digits. G2 coordinates are swapped (c1 before c0), as EIP-197 wants them.
#pragma once

#include <span>
#include <string>

#include "groth16/algebra/bn254.hpp"
#include "groth16/proof/proof.hpp"

namespace groth16::formats {

// Without a line end. The proof has no point at infinity (verify refuses such proofs).
std::string solidity_calldata(const Proof<Bn254>& proof, std::span<const UInt<4>> publics);

}  // namespace groth16::formats
