// ASSEMBLE: from the sums and the B2 point to a proof that has been verified, or to the reason why there is none.
//
// r and s are fresh for every call and never leave it. The proof is checked against the public inputs of the statement:
// nothing that does not verify gets out.
#pragma once

#include <string>
#include <string_view>

#include "groth16/algebra/compute.hpp"
#include "workers/partition.hpp"
#include "workers/runtime/role.hpp"

namespace groth16d::worker {

struct AssemblyInput {
  PartitionBytes partition;
  std::string_view sums;       // of PROVE
  std::string_view b2;         // of B2
  std::string_view statement;  // of intake; empty: the client declared none
};

struct AssembledProof {
  std::string proof;        // compressed: 192 bytes on BLS12-381 (ZCash's form), 128 on BN254 (gnark's)
  std::string proof_json;   // as snarkjs writes it
  std::string public_json;  // as snarkjs writes it
};

// Failures and who is blamed:
//   input         mismatch witness.statement: the witness proves something else than was declared
//   input         unsatisfied witness.unsatisfied: the row that does not hold, where the system has C
//   verification  unsatisfied proof.unverified: the check failed and there is no C to look at
//   verification  internal proof.wrong_sums: the witness satisfies all rows, so a sum (or the key) is wrong; also a sum
//                 that is not a point
//   slot          everything else
Outcome<AssembledProof> assemble_stage(const AssemblyInput& input, const groth16::Compute& compute);

}  // namespace groth16d::worker
