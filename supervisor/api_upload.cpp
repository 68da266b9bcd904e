// UPLOAD: a chunk goes to the files' thread, and its answer back to who sent it.
#include <fmt/format.h>

#include "supervisor/api.hpp"
#include "supervisor/client_messages.hpp"

namespace groth16d::supervisor {

Result<std::optional<Event>> Api::upload(ipc::ClientRequest& request, const Caller& caller) {
  const auto body = ipc::request_body<v1::UploadRequest>(request);
  if (!body) return tl::unexpected(body.error());
  if (request.payload.size() > 1 || (request.payload.size() == 1 && request.payload.front().size() == 0))
    return failure(ErrorCode::malformed, "request.payload",
                   fmt::format("UPLOAD has one chunk or none; {} payload frames came", request.payload.size()));
  const std::uint64_t chunk_bytes = request.payload.empty() ? 0 : request.payload.front().size();
  if (auto checked = check_upload(*body, chunk_bytes); !checked) return tl::unexpected(checked.error());
  Pending pending(caller, request.command);
  const Burden burden{chunk_bytes + request.body.size() * kCopiesOfBody, 0};
  if (auto room = make_room(pending, burden); !room) return tl::unexpected(room.error());
  UploadPiece piece;
  piece.client = caller.client;
  piece.has_quota = caller.has_quota();
  piece.sha256 = digest_from(body->sha256());
  piece.bytes = body->bytes();
  piece.offset = body->offset();
  if (chunk_bytes > 0) {
    piece.chunk = std::move(request.payload.front());
    piece.chunk_sha256 = digest_from(body->chunk_sha256());
  }
  files_.put(TakeUpload{remember(std::move(pending)), std::move(piece)});
  return std::nullopt;
}

void Api::uploaded(const UploadTaken& taken) {
  auto node = pending_.extract(taken.token);
  if (node.empty()) return;
  const Pending& pending = node.mapped();
  waiting_.leave(pending.burden);
  if (!taken.progress) return refuse(pending.to, taken.progress.error());
  v1::UploadReply body;
  *body.mutable_status() = ipc::make_status(taken.progress->is_whole ? 200 : 202);
  body.set_received_bytes(taken.progress->received_bytes);
  body.set_expires_in_ms(taken.progress->expires_in_ms);
  send(pending.to, body);
}

}  // namespace groth16d::supervisor
