// Uploads: inputs on their way from clients that share no file system with us, in <state_dir>/spool/uploads.
//
// An upload belongs to its client and is named by the SHA-256 of what is to come. Its space is taken from the spool and
// from the disk before the first chunk is; chunks come in order, each with a SHA-256 of its own, and one that comes
// again changes nothing. When all is there and is what was named, the file waits for a job that names it: an accepted
// job takes it over without a copy. What nobody goes on with for a while is removed.
//
// Nothing of it is in the journal: a file's name is its record ("part.<sha256>.<bytes>.<client>", "whole." once it is
// checked and synced, '-' before a client without a quota) and its length is how much has come. A killed supervisor's
// successor goes on from there; what a power cut spoilt fails the last check. Used by one thread (files.hpp); no clock
// inside.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <zmq.hpp>

#include "common/digest.hpp"
#include "common/error.hpp"
#include "supervisor/spool.hpp"

namespace groth16d::supervisor {

// Unfinished and waiting uploads of one client: a job has 10 inputs, seldom hundreds.
inline constexpr std::size_t kMostUploadsOfClient = 1'024;

// Of what came before a restart, hashed again for one message: a second of the thread that all clients share.
inline constexpr std::uint64_t kMostHashedAgainBytes = 256ull << 20;

// What a client's UPLOAD says.
struct UploadPiece {
  std::string client;
  bool has_quota = true;  // an operator has none
  Digest sha256{};        // of the whole input
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;
  zmq::message_t chunk;  // empty: begin, or ask how much has come
  Digest chunk_sha256{};
};

struct UploadProgress {
  std::uint64_t received_bytes = 0;
  bool is_whole = false;
  std::uint64_t expires_in_ms = 0;  // if nothing more comes
};

// What there is, and what has been since the start.
struct UploadFigures {
  std::uint64_t open = 0, whole = 0;
  std::uint64_t reserved_bytes = 0;
  std::uint64_t received_bytes = 0;  // in all chunks that were new
  std::uint64_t begun = 0, finished = 0, taken = 0, expired = 0, spoilt = 0;

  bool operator==(const UploadFigures&) const = default;
};

class Uploads {
 public:
  // Makes the folder where it is missing, goes on with what it holds and removes what a job has taken over. After the
  // spool's sweep. Error: system.
  static Result<Uploads> recover(const Spool& spool, std::uint64_t expiry_ms, std::uint64_t now_ms);

  void set_expiry_ms(std::uint64_t expiry_ms) { expiry_ms_ = expiry_ms; }

  // Errors: not_found "upload.unknown" (never begun, expired, or a job's by now), conflict "upload.bytes" (begun with
  // another size), "upload.offset" (a gap), "upload.differs" (not what came there before), malformed "upload.chunk"
  // (not its SHA-256), "upload.digest" (all is there and is something else: the upload is gone), busy "quota.uploads",
  // unavailable "spool.write" (gone, too, where what came could not be synced), those of SpoolAccount::check. While
  // what came before a restart is hashed again nothing new is taken: the same message is to come again.
  Result<UploadProgress> take(const UploadPiece& piece, std::uint64_t now_ms);

  // A whole upload of this client as an input. Errors: not_found "upload.unknown", conflict "upload.incomplete".
  Result<SpoolInput> open(const std::string& client, const Digest& sha256) const;

  // The job's input is about to be linked. False: it is gone, or another job's already; its open file may be copied.
  bool claim(const std::string& client, const Digest& sha256, const std::string& job);
  // The job is accepted: what it claimed is its own, and no upload any more.
  void hand_over(const std::string& job, Spool& spool);
  // The job is not.
  void release(const std::string& job);

  void expire(std::uint64_t now_ms);

  UploadFigures figures() const;

 private:
  using Id = std::pair<std::string, Digest>;  // client, SHA-256
  struct Upload {
    std::uint64_t bytes = 0, received_bytes = 0;
    std::string payer;  // the client, or "" without a quota
    bool is_whole = false;
    bool is_spoilt = false;          // to be removed
    std::optional<Sha256> hash;      // of what has come; none after a restart
    std::uint64_t hashed_bytes = 0;  // of what has come, in `hash`
    std::uint64_t touched_ms = 0;
    std::string claimed_by;  // a job, "": none
  };

  Uploads(std::filesystem::path folder, std::shared_ptr<SpoolAccount> account, std::uint64_t expiry_ms)
      : folder_(std::move(folder)), account_(std::move(account)), expiry_ms_(expiry_ms) {}
  void adopt(const std::filesystem::path& file, std::uint64_t now_ms);
  std::string path_of(const Id& id, const Upload& upload) const;
  Result<void> begin(const UploadPiece& piece, const Id& id);
  Result<void> append(const Id& id, Upload& upload, const UploadPiece& piece);
  Result<bool> hash_again(const std::string& path, Upload& upload) const;
  Result<void> finish(const Id& id, Upload& upload);
  void remove(std::map<Id, Upload>::iterator place);

  std::filesystem::path folder_;
  std::shared_ptr<SpoolAccount> account_;
  std::uint64_t expiry_ms_ = 0;
  std::map<Id, Upload> uploads_;
  std::map<std::string, std::vector<Id>> claims_;  // by job
  UploadFigures counted_;                          // only what has been
};

}  // namespace groth16d::supervisor
