// Where proofs go: proof.json and public.json exactly as the daemon made them, each file whole or absent.
#pragma once

#include <string>
#include <vector>

#include "client/lib/client.hpp"
#include "common/error.hpp"

namespace groth16d::ctl {

// Paths of one partition's files; "" for a file that is not wanted.
struct ResultPaths {
  std::string proof;          // JSON as snarkjs writes it
  std::string public_inputs;  // JSON as snarkjs writes it
  std::string binary;         // compressed: 192 bytes on BLS12-381, 128 on BN254
};

// Before any work is done for them: whether each folder exists and may be written, and no file is one of `inputs` or
// another of `paths`. Errors: denied "output.folder", "output.stream"; malformed "output.taken".
Result<void> check_writable(const ResultPaths& paths, std::vector<std::string> inputs = {});

// All files or none: what was written before a failure is removed again. Errors of write_file_atomically.
Result<void> write_result(const v1::PartitionResult& partition, const ResultPaths& paths);

// "F" for the only partition of a job, "F" with "-<partition>" before its extension where there are several.
std::string numbered(const std::string& path, std::uint32_t partition, int n_partitions);

// The Error of a job that ended without proofs: its reason, or that it was cancelled.
Error reason_of(const v1::JobStatus& job);

}  // namespace groth16d::ctl
