// What is published of the synthetic sectors, made with ticket, seed, actor and sector of one request.
#pragma once

#include <string>

#include "groth16/circuits/synthetic_sector.hpp"

namespace groth16::circuits::test {

// name: of an interactive proof. Ticket byte i is 7 i + 1, the last 0x11; seed 01 02 ... 1f 2a.
inline SyntheticRequest published_request(const std::string& name) {
  SyntheticRequest request;
  request.proof = registered_proof_of_name(name).value();
  for (std::size_t i = 0; i < 31; ++i) {
    request.ticket[i] = static_cast<std::uint8_t>(7 * i + 1);
    request.seed[i] = static_cast<std::uint8_t>(i + 1);
  }
  request.ticket[31] = 0x11;
  request.seed[31] = 0x2a;
  return request;
}

}  // namespace groth16::circuits::test
