// A proof that one process makes alone, for one witness of a key that nobody keeps: no daemon is started for it, and
// nothing is converted for later. Everything that a daemon checks is checked: every coefficient and point of the key,
// every value of the witness, and the proof itself before it is written.
#pragma once

#include <string>
#include <vector>

#include "client/prove/proof_files.hpp"
#include "common/digest.hpp"
#include "common/error.hpp"

namespace groth16d::client {

struct OwnProof {
  std::string key;      // path of a .zkey
  std::string witness;  // path of a .wtns
  bool allow_insecure_key = false;
  bool wants_digest = false;  // of the key file: a second reading of it
};

struct OwnResult {
  std::string curve;
  Digest key_digest;  // zeros where it is not wanted
  Digest vk_digest;
  ProofTexts texts;
  std::vector<std::string> warnings;  // about the key
};

// On all cores. Errors: those of reading both files, and of proving; unsatisfied "proof.unverified". Ends the process
// with the word why when a file is shortened meanwhile.
Result<OwnResult> make_own_proof(const OwnProof& wanted);

}  // namespace groth16d::client
