// Printing Solidity calldata.
#include "groth16/formats/calldata.hpp"

#include <fmt/format.h>

namespace groth16::formats {

namespace {

std::string quoted(const UInt<4>& value) { return fmt::format("\"0x{}\"", value.to_hex()); }

std::string pair(const Bn254::Fq& first, const Bn254::Fq& second) {
  return fmt::format("[{}, {}]", quoted(first.to_uint()), quoted(second.to_uint()));
}

}  // namespace

std::string solidity_calldata(const Proof<Bn254>& proof, std::span<const UInt<4>> publics) {
  std::string inputs;
  for (const UInt<4>& value : publics) {
    if (!inputs.empty()) inputs += ',';
    inputs += quoted(value);
  }
  return fmt::format("{},[{},{}],{},[{}]", pair(proof.a.x, proof.a.y), pair(proof.b.x.c1, proof.b.x.c0),
                     pair(proof.b.y.c1, proof.b.y.c0), pair(proof.c.x, proof.c.y), inputs);
}

}  // namespace groth16::formats
