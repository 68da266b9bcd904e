#include "client/ctl/result_files.hpp"

#include <filesystem>

#include "client/json/message_json.hpp"

namespace groth16d::ctl {

namespace fs = std::filesystem;

Result<void> write_result(const v1::PartitionResult& partition, const ResultPaths& paths) {
  return client::write_proof({partition.proof_json(), partition.public_json(), partition.proof()}, paths);
}

std::string numbered(const std::string& path, std::uint32_t partition, int n_partitions) {
  if (path.empty() || n_partitions == 1) return path;
  const fs::path whole(path);
  return (whole.parent_path() / (whole.stem().string() + "-" + std::to_string(partition) + whole.extension().string()))
      .string();
}

Error reason_of(const v1::JobStatus& job) {
  if (job.has_failure()) {
    v1::Status status;
    status.set_code(400);
    *status.mutable_failure() = job.failure();
    Error error = ipc::error_of(status);
    error.text = job.job() + ": " + error.text;
    return error;
  }
  return {ErrorCode::cancelled, "job." + client::word_of(job.state()), job.job() + ": " + client::word_of(job.state())};
}

}  // namespace groth16d::ctl
