// C1: the output of the first commit phase, read from each of its three forms:
//   JSON      SealCommitPhase1Output of rust-filecoin-proofs-api; digests are arrays of 32 numbers, keys in any order
//   wrapper   {"SectorNum", "Phase1Out": base64 of that JSON, "SectorSize"}, as lotus-bench writes it
//   bincode   SealCommitPhase1Output of rust-fil-proofs, as supra_seal keeps it; it does not say which proof it is for
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "groth16/circuits/porep_statement.hpp"

namespace groth16::circuits {

struct C1 {
  PorepStatement statement;
  Bytes32 ticket{};
  std::optional<std::uint64_t> sector_number;  // only a wrapper says it
  std::vector<PartitionInput> partitions;
};

// A file of JSON, with or without the wrapper. Every array has the length that the sector asks for, every digest is 32
// bytes that name a number below r, and the statement is checked. Errors (malformed): c1.syntax, .number, .count,
// .not_canonical, .duplicate_key, .missing_key, .variant (another size class or shape of path), .index, .trailing,
// .depth, .base64, .sector_size (wrapper and contents differ), .roots, .node; those of registered_proof_of_name and
// check_statement.
groth16d::Result<C1> read_c1_json(std::string_view file, std::span<const std::byte> bytes);

// A file of bincode for this proof. Errors (malformed): c1.truncated, .trailing, .count, .variant, .not_canonical,
// .index, .roots, .node; those of check_statement.
groth16d::Result<C1> read_c1_bincode(std::string_view file, std::span<const std::byte> bytes,
                                     const RegisteredProof& proof);

// A file of bincode for this size of sector. It is for that registered proof whose statement asks for the nodes that
// the vanilla proofs are of; where that is none, the statement names one of as many partitions. Errors: as above, and
// c1.count where no registered proof of the sector has so many partitions.
groth16d::Result<C1> read_c1_bincode(std::string_view file, std::span<const std::byte> bytes,
                                     const SectorShape& sector);

}  // namespace groth16::circuits
