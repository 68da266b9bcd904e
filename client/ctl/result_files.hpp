// A job's results as files: proof.json and public.json exactly as the daemon made them.
#pragma once

#include <string>

#include "client/lib/client.hpp"
#include "client/prove/proof_files.hpp"
#include "common/error.hpp"

namespace groth16d::ctl {

using client::check_writable;
using client::ResultPaths;

// As client::write_proof.
Result<void> write_result(const v1::PartitionResult& partition, const ResultPaths& paths);

// "F" for the only partition of a job, "F" with "-<partition>" before its extension where there are several.
std::string numbered(const std::string& path, std::uint32_t partition, int n_partitions);

// The Error of a job that ended without proofs: its reason, or that it was cancelled.
Error reason_of(const v1::JobStatus& job);

}  // namespace groth16d::ctl
