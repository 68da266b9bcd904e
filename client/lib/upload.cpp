#include "client/lib/upload.hpp"

#include <algorithm>
#include <string_view>

#include <fcntl.h>

#include "common/posix.hpp"
#include "ipc/limits.hpp"

namespace groth16d::client {
namespace {

// An upload that expires, or that another job of ours takes, while it is under way is begun again; not for ever.
constexpr int kTries = 3;

std::string raw(const Digest& digest) { return {reinterpret_cast<const char*>(digest.data()), digest.size()}; }

v1::UploadRequest request_of(const UploadFile& file) {
  v1::UploadRequest request;
  request.set_sha256(raw(file.sha256));
  request.set_bytes(file.bytes);
  return request;
}

bool is_missing(const Error& error) { return error.name == "upload.unknown" || error.name == "upload.incomplete"; }

// From where the daemon is to the end.
Result<void> send_rest(Client& client, const UploadFile& file, int descriptor, const UploadProgress& on_progress) {
  constexpr std::uint32_t kWhole = 200;
  auto reply = client.upload(request_of(file));
  while (reply && reply->status().code() != kWhole) {
    const std::uint64_t offset = std::min<std::uint64_t>(reply->received_bytes(), file.bytes);
    if (on_progress && !on_progress(file, offset))
      return failure(ErrorCode::cancelled, "upload.interrupted", file.path + ": its upload was interrupted");
    std::string chunk(static_cast<std::size_t>(std::min<std::uint64_t>(ipc::kMaxFrameBytes, file.bytes - offset)),
                      '\0');
    if (auto read = read_exact_at(descriptor, std::as_writable_bytes(std::span(chunk)), offset, file.path); !read)
      return read;
    v1::UploadRequest request = request_of(file);
    request.set_offset(offset);
    if (!chunk.empty()) request.set_chunk_sha256(raw(sha256(chunk)));
    reply = client.upload(request, std::move(chunk));
  }
  if (!reply) return tl::unexpected<Error>(reply.error());
  if (on_progress) static_cast<void>(on_progress(file, file.bytes));
  return {};
}

}  // namespace

Result<UploadFile> prepare_upload(const std::string& path) {
  const auto file = open_file(path, O_RDONLY);
  if (!file) return tl::unexpected<Error>(file.error());
  const auto bytes = file_size_bytes(file->get(), path);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  if (*bytes == 0) return failure(ErrorCode::malformed, "upload.empty", path + ": is empty");
  return sha256_of_file(file->get(), path).map([&](const Digest& digest) { return UploadFile{path, digest, *bytes}; });
}

Result<void> upload(Client& client, const UploadFile& file, const UploadProgress& on_progress) {
  const auto descriptor = open_file(file.path, O_RDONLY);
  if (!descriptor) return tl::unexpected<Error>(descriptor.error());
  Result<void> sent;
  for (int n = 0; n < kTries; ++n) {
    sent = send_rest(client, file, descriptor->get(), on_progress);
    if (sent || (sent.error().name != "upload.unknown" && sent.error().name != "upload.offset")) break;
  }
  return sent;
}

Result<v1::SubmitReply> submit_with_uploads(Client& client, const v1::SubmitRequest& request,
                                            std::span<const UploadFile> files, std::vector<std::string> payload,
                                            const UploadProgress& on_progress) {
  auto reply = client.submit(request, payload);
  for (int n = 0; n < kTries && !reply && is_missing(reply.error()) && !files.empty(); ++n) {
    for (const UploadFile& file : files)
      if (auto sent = upload(client, file, on_progress); !sent) return tl::unexpected<Error>(sent.error());
    reply = client.submit(request, payload);
  }
  return reply;
}

}  // namespace groth16d::client
