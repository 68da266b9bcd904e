// A small circuit with everything its files need, made by this project's own key generator and writers; the files that
// the tests damage. Its rows: sample_circuit.hpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "groth16/algebra/curves.hpp"
#include "groth16/proof/proof.hpp"
#include "groth16/proof/verifying_key.hpp"

namespace groth16::formats::test {

using FileBytes = std::vector<std::byte>;

template <class C>
struct Sample {
  FileBytes r1cs, wtns, zkey, development_zkey;
  VerifyingKey<C> vk;
  Proof<C> proof;
  std::vector<UInt<4>> values;   // of all wires
  std::vector<UInt<4>> publics;  // wire 1
};

// Made on first use. The zkey carries no warning: it is written as a key from a ceremony would be.
template <class C>
const Sample<C>& sample();

extern template const Sample<Bn254>& sample<Bn254>();
extern template const Sample<Bls12_381>& sample<Bls12_381>();

// Reads a whole file of the test's own; fails the test when it cannot.
FileBytes read_file(const std::string& path);
std::string read_text(const std::string& path);

// The folder GROTH16D_TEST_DATA, or an empty text after a warning that says the test is skipped.
std::string test_data();

std::vector<std::byte> bytes_of_hex(std::string_view hex);
std::string hex_of_bytes(std::span<const std::byte> bytes);

}  // namespace groth16::formats::test
