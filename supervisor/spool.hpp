// The spool: our own copies of the inputs of accepted jobs, in <state_dir>/spool/job-<id>/<partition>.
//
// A client may change or remove its file the moment after SUBMIT, so nothing else ever reads that. Space is reserved
// before bytes are written, and all is synced before the journal is told: only a job in the journal is a job, and any
// other folder is a leftover, swept at start. Writing and syncing are two steps, so that the jobs that came together
// share the disk's flush. Used by one thread (files.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <zmq.hpp>

#include "common/digest.hpp"
#include "common/error.hpp"
#include "common/unique_fd.hpp"
#include "supervisor/durability.hpp"

namespace groth16d::supervisor {

// One partition's input as it comes: an opened file, or frames of the client's message.
struct SpoolInput {
  std::string name;  // how the client calls it
  UniqueFd file;     // none: the frames
  std::vector<zmq::message_t> frames;
  std::uint64_t bytes = 0;
};

// What the spool will take for these: a file that several of them name once.
std::uint64_t spooled_bytes(const std::vector<SpoolInput>& inputs);

// One input of a spooled job, for reading; from any thread. Error: not_found.
Result<UniqueFd> open_spooled_input(const std::filesystem::path& spool_folder, const std::string& job,
                                    std::uint32_t partition);

// A job whose inputs are written, and not yet safe from a power cut.
struct SpoolDraft {
  std::string job;
  std::vector<Digest> digests;  // SHA-256 of each input
  std::uint64_t bytes = 0;
};

class Spool {
 public:
  // Makes the folder where it is missing and counts what it holds. Error: system.
  static Result<Spool> open(const std::filesystem::path& folder, std::uint64_t max_bytes,
                            Durability durability = Durability::durable);

  const std::filesystem::path& folder() const { return folder_; }
  std::uint64_t used_bytes() const { return used_bytes_; }
  // Below what is used nothing is removed, and nothing more accepted.
  void set_max_bytes(std::uint64_t max_bytes) { max_bytes_ = max_bytes; }

  // Would these bytes fit? Errors: too_large "spool.too_large" (never), busy "spool.full" (later).
  Result<void> check_space(std::uint64_t bytes) const;

  // Copies the inputs of one job, all or none; a file that several partitions name is copied once. A file that is not
  // as long as it was, or was changed while it was copied, is mismatch "spool.changed"; a full or broken disk is
  // unavailable "spool.write".
  Result<SpoolDraft> write(const std::string& job, const std::vector<SpoolInput>& inputs);
  // Makes drafts durable, one result each; one that failed is removed.
  std::vector<Result<void>> sync(std::span<const SpoolDraft> drafts);

  // Puts these bytes in the place of one input, durably: the old ones or the new ones are there at any moment. Errors:
  // unavailable "spool.write".
  Result<void> replace(const std::string& job, std::uint32_t partition, std::string_view bytes);

  // A job that is not here is no error. Not synced: what a power cut brings back is swept.
  Result<void> remove(const std::string& job);

  // Removes every folder but those of `keep`.
  Result<void> sweep(const std::set<std::string>& keep);

 private:
  Spool(std::filesystem::path folder, std::uint64_t max_bytes, Durability durability)
      : folder_(std::move(folder)), max_bytes_(max_bytes), durability_(durability) {}
  std::filesystem::path folder_of(const std::string& job) const;
  Result<void> remove_folder(const std::filesystem::path& folder);
  void discard(const std::string& job, std::uint64_t counted_bytes);

  std::filesystem::path folder_;
  std::uint64_t max_bytes_ = 0;
  Durability durability_;
  std::uint64_t used_bytes_ = 0;
};

}  // namespace groth16d::supervisor
