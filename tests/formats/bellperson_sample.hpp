// A small circuit's key (bellperson_circuit.hpp) in bellperson's files, for the tests that damage them.
#pragma once

#include <span>

#include "groth16/algebra/bls12_381.hpp"
#include "tests/formats/sample.hpp"

namespace groth16::formats::test {

struct BellpersonSample {
  FileBytes system;              // flat
  FileBytes params, vk;          // as from a ceremony
  FileBytes development_params;  // marked
  std::vector<UInt<4>> values;   // of all wires, satisfying
};

// Made on first use.
const BellpersonSample& bellperson_sample();

}  // namespace groth16::formats::test
