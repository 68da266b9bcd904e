#include "client/prove/proof_files.hpp"

#include <unistd.h>

#include <filesystem>
#include <future>
#include <utility>
#include <vector>

#include "common/posix.hpp"

namespace groth16d::client {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kResultMode = 0644;  // proofs are public

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// Also where it does not exist yet.
bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  const fs::path first = fs::weakly_canonical(a, error), second = fs::weakly_canonical(b, error);
  return !error && first == second;
}

}  // namespace

Result<void> check_writable(const ResultPaths& paths, std::vector<std::string> inputs) {
  for (const std::string& path : {paths.proof, paths.public_inputs, paths.binary}) {
    if (path.empty()) continue;
    if (is_stream(path)) {
      if (::access(path.c_str(), W_OK) == 0) continue;
      return failure(ErrorCode::denied, "output.stream", path + ": cannot be written");
    }
    for (const std::string& other : inputs)
      if (!other.empty() && is_same_file(path, other))
        return failure(ErrorCode::malformed, "output.taken",
                       path + ": is " + other + " too; each file needs its own name");
    inputs.push_back(path);
    if (::access(folder_of(path).c_str(), W_OK | X_OK) != 0) {
      return failure(ErrorCode::denied, "output.folder", path + ": its folder does not exist or cannot be written");
    }
    if (fs::is_directory(path)) return failure(ErrorCode::denied, "output.folder", path + ": is a folder");
  }
  return {};
}

Result<void> write_proof(const ProofTexts& texts, const ResultPaths& paths) {
  const std::vector<std::pair<std::string, const std::string*>> files = {
      {paths.proof, &texts.proof_json},
      {paths.public_inputs, &texts.public_json},
      {paths.binary, &texts.compressed},
  };
  // Side by side: each waits for the disk twice, 4 ms each time.
  std::vector<std::pair<std::string, std::future<Result<void>>>> writing;
  for (const auto& [path, content] : files) {
    if (path.empty()) continue;
    writing.emplace_back(path, std::async(std::launch::async, [&path = path, content = content] {
                           return write_file_atomically(path, *content, kResultMode);
                         }));
  }
  Result<void> all;
  std::vector<std::string> written;
  for (auto& [path, done] : writing) {
    if (Result<void> one = done.get(); one)
      written.push_back(path);
    else if (all)
      all = std::move(one);
  }
  if (all) return all;
  for (const std::string& path : written)
    if (!is_stream(path)) ::unlink(path.c_str());
  return all;
}

}  // namespace groth16d::client
