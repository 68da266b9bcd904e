#include "client/prove/proof_files.hpp"

#include <signal.h>
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

struct Output {
  std::string path;
  const std::string* content;
  Result<void> write() const { return write_file_atomically(path, *content, kResultMode); }
};

// SIGINT, SIGTERM and SIGHUP wait while one lives, also in threads that are made meanwhile. Not for streams: those may
// block.
class InterruptionsHeld {
 public:
  InterruptionsHeld() {
    sigset_t held;
    ::sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&held, signal);
    ::pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~InterruptionsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  InterruptionsHeld(const InterruptionsHeld&) = delete;
  InterruptionsHeld& operator=(const InterruptionsHeld&) = delete;

 private:
  sigset_t before_{};
};

// Side by side: each waits for the disk twice, 4 ms each time. The first failure in their order.
Result<void> write_files(const std::vector<Output>& files) {
  const InterruptionsHeld held;
  std::vector<std::future<Result<void>>> writing;
  for (const Output& file : files) writing.push_back(std::async(std::launch::async, [&file] { return file.write(); }));
  Result<void> all;
  std::vector<std::string> written;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (Result<void> one = writing[i].get(); one)
      written.push_back(files[i].path);
    else if (all)
      all = std::move(one);
  }
  if (all) return all;
  for (const std::string& path : written) ::unlink(path.c_str());
  return all;
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
  std::vector<Output> files, streams;
  for (const Output& output : {Output{paths.proof, &texts.proof_json}, Output{paths.public_inputs, &texts.public_json},
                               Output{paths.binary, &texts.compressed}}) {
    if (output.path.empty()) continue;
    if (is_stream(output.path))
      streams.push_back(output);
    else
      files.push_back({link_target(output.path), output.content});
  }
  // What a stream has taken cannot be taken back: it is last, and two of them in their order.
  Result<void> done = write_files(files);
  for (const Output& stream : streams) {
    if (done) done = stream.write();
    if (done) continue;
    for (const Output& file : files) ::unlink(file.path.c_str());
    return done;
  }
  return done;
}

}  // namespace groth16d::client
