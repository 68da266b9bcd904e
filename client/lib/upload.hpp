// Inputs for a daemon that shares no file system with us: sent by UPLOAD in chunks, and then named by a SUBMIT.
//
// An upload is named by its content, so nothing has to be remembered: a client that was interrupted, or whose daemon
// was restarted, calls again and goes on where it was.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "client/lib/client.hpp"
#include "common/digest.hpp"
#include "common/error.hpp"

namespace groth16d::client {

struct UploadFile {
  std::string path;
  Digest sha256{};
  std::uint64_t bytes = 0;
};

// Reads the file once, for its SHA-256. Errors: malformed "upload.empty", those of reading it.
Result<UploadFile> prepare_upload(const std::string& path);

// Called after every chunk with how much the daemon has of the file; false stops.
using UploadProgress = std::function<bool(const UploadFile& file, std::uint64_t received_bytes)>;

// Returns when the daemon has all of it, checked and durable. Errors: the daemon's, cancelled "upload.interrupted",
// those of reading the file; one that has changed meanwhile is the daemon's "upload.digest" or "upload.differs".
Result<void> upload(Client& client, const UploadFile& file, const UploadProgress& on_progress = {});

// SUBMIT, whose request names `files` by their digests (PartitionInput.upload) and has `payload` for the others. Only
// what the daemon says that it has not is sent; a job that it has already costs nothing.
Result<v1::SubmitReply> submit_with_uploads(Client& client, const v1::SubmitRequest& request,
                                            std::span<const UploadFile> files, std::vector<std::string> payload = {},
                                            const UploadProgress& on_progress = {});

}  // namespace groth16d::client
