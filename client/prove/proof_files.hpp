// Where one proof goes: proof.json and public.json as snarkjs writes them, and the compressed proof, each file whole or
// absent.
#pragma once

#include <string>
#include <vector>

#include "common/error.hpp"

namespace groth16d::client {

// Paths of one proof's files; "" for a file that is not wanted.
struct ResultPaths {
  std::string proof;
  std::string public_inputs;
  std::string binary;  // compressed: 192 bytes on BLS12-381, 128 on BN254
};

// What stands in them.
struct ProofTexts {
  std::string proof_json;
  std::string public_json;
  std::string compressed;
};

// Before any work is done for them: whether each folder exists and may be written, and no file is one of `inputs` or
// another of `paths`. Errors: denied "output.folder", "output.stream"; malformed "output.taken".
Result<void> check_writable(const ResultPaths& paths, std::vector<std::string> inputs = {});

// All files or none: what was written before a failure is removed again. Errors of write_file_atomically.
Result<void> write_proof(const ProofTexts& texts, const ResultPaths& paths);

}  // namespace groth16d::client
