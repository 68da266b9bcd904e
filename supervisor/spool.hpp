// The spool: our own copies of the inputs of accepted jobs, in <state_dir>/spool/job-<id>/<partition>, beside those
// that are on their way (uploads.hpp).
//
// A client may change or remove its file the moment after SUBMIT, so nothing else ever reads that. Space is reserved
// before bytes are written, and all is synced before the journal is told: only a job in the journal is a job, and any
// other folder is a leftover, swept at start. Writing and syncing are two steps, so that the jobs that came together
// share the disk's flush. Used by one thread (files.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zmq.hpp>

#include "common/digest.hpp"
#include "common/error.hpp"
#include "common/unique_fd.hpp"
#include "supervisor/durability.hpp"
#include "supervisor/spool_account.hpp"

namespace groth16d::supervisor {

// An opened file of several owners, closed when the last of them goes.
class SharedFile {
 public:
  SharedFile() = default;
  SharedFile(UniqueFd file) : file_(std::make_shared<const UniqueFd>(std::move(file))) {}

  int get() const { return file_ ? file_->get() : -1; }
  explicit operator bool() const { return get() >= 0; }

 private:
  std::shared_ptr<const UniqueFd> file_;
};

// One partition's input as it comes: an opened file, or frames of the client's message.
struct SpoolInput {
  std::string name;  // how the client calls it
  SharedFile file;   // none: the frames
  std::vector<zmq::message_t> frames;
  std::uint64_t bytes = 0;
  // Where `file` is an upload that has come whole: its path and SHA-256. It is linked, not copied, where there is a
  // path.
  std::string upload_path = {};
  Digest upload_digest = {};
  std::string uploader = {};  // whose upload it is
};

// What the spool will take for these beyond what uploads hold: a file that several of them name once.
std::uint64_t spooled_bytes(const std::vector<SpoolInput>& inputs);

// One input of a spooled job, for reading; from any thread. Error: not_found.
Result<UniqueFd> open_spooled_input(const std::filesystem::path& spool_folder, const std::string& job,
                                    std::uint32_t partition);

// A job whose inputs are written, and not yet safe from a power cut.
struct SpoolDraft {
  std::string job;
  std::vector<Digest> digests;  // SHA-256 of each input
};

class Spool {
 public:
  // Makes the folder where it is missing and counts what it holds. Error: system.
  static Result<Spool> open(const std::filesystem::path& folder, SpoolLimits limits,
                            Durability durability = Durability::durable);

  const std::filesystem::path& folder() const { return folder_; }
  const std::shared_ptr<SpoolAccount>& account() const { return account_; }
  std::uint64_t used_bytes() const { return account_->used_bytes(); }

  // Copies the inputs of one job of `client`, all or none; a file that several partitions name is copied once. A file
  // that is not as long as it was, or was changed while it was copied, is mismatch "spool.changed"; a full or broken
  // disk is unavailable "spool.write"; those of SpoolAccount::check.
  Result<SpoolDraft> write(const std::string& job, const std::vector<SpoolInput>& inputs,
                           const std::string& client = {});
  // Makes drafts durable, one result each; one that failed is removed.
  std::vector<Result<void>> sync(std::span<const SpoolDraft> drafts);

  // Puts these bytes in the place of one input, durably: the old ones or the new ones are there at any moment. Errors:
  // unavailable "spool.write".
  Result<void> replace(const std::string& job, std::uint32_t partition, std::string_view bytes);

  // A job that is not here is no error. Not synced: what a power cut brings back is swept.
  Result<void> remove(const std::string& job);

  // An upload of `uploader` that was linked as an input is gone by its own name: its bytes are the job's.
  void take_over(const std::string& job, std::uint64_t bytes, const std::string& uploader);

  // Removes every job's folder but those of `keep`: jobs, and the clients whose they are.
  Result<void> sweep(const std::map<std::string, std::string>& keep);

 private:
  struct Holding {
    std::string client;
    std::uint64_t bytes = 0;
  };

  Spool(std::filesystem::path folder, SpoolLimits limits, Durability durability)
      : folder_(std::move(folder)), durability_(durability), account_(std::make_shared<SpoolAccount>(limits)) {}
  std::filesystem::path folder_of(const std::string& job) const;
  void hold(const std::string& job, std::uint64_t bytes, const std::string& client);
  void let_go(const std::string& job);
  void discard(const std::string& job);

  std::filesystem::path folder_;
  Durability durability_;
  std::shared_ptr<SpoolAccount> account_;
  std::map<std::string, Holding> holdings_;  // by job
};

// Where uploads lie.
std::filesystem::path uploads_folder(const std::filesystem::path& spool_folder);

}  // namespace groth16d::supervisor
