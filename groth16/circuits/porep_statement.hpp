// PorepStatement: what a replication proof claims, and the public inputs that follow from it alone. The verifier's
// view: no vanilla proof is needed.
#pragma once

#include <cstdint>
#include <vector>

#include "common/error.hpp"
#include "groth16/circuits/registered_proof.hpp"
#include "groth16/circuits/stacked_circuit.hpp"

namespace groth16::circuits {

// prover_id: the payload of the miner's address, see prover_id_of_actor. The ticket is the chain's randomness at
// sealing.
Bytes32 replica_id(const Bytes32& prover_id, std::uint64_t sector_id, const Bytes32& ticket, const Bytes32& comm_d,
                   const Bytes32& porep_id);

// The number of an ID address as an unsigned LEB128, filled up with zeros.
Bytes32 prover_id_of_actor(std::uint64_t actor);

struct PorepStatement {
  RegisteredProof proof;
  Bytes32 replica_id{}, comm_d{}, comm_r{}, seed{};
};

// What upstream refuses before it verifies. Errors (malformed): statement.zero (comm_d, comm_r or seed has no bit set),
// statement.not_canonical (replica_id, comm_d or comm_r is not below r).
groth16d::Result<void> check_statement(const PorepStatement& statement);

// The challenged nodes of one partition, in their order; repetitions are kept. Each is at least 1.
std::vector<std::uint64_t> challenges(const PorepStatement& statement, std::uint32_t partition);

// x_1 ... x_n of one partition, in the circuit's order. The statement has been checked.
std::vector<Scalar> public_inputs(const PorepStatement& statement, std::uint32_t partition);

}  // namespace groth16::circuits
