#include "ipc/body_frames.hpp"

#include <fmt/format.h>

#include "ipc/limits.hpp"

namespace groth16d::ipc {

namespace {

// Frames that a message needs besides its body's: routing id, delimiter, protocol, command, request id.
constexpr std::size_t kLargestBody_bytes = kMaxMessageBytes - 1024;

}  // namespace

Result<std::vector<std::string_view>> cut_body(std::string_view body) {
  if (body.size() > kLargestBody_bytes) {
    return failure(ErrorCode::too_large, "protocol.too_many_bytes",
                   fmt::format("a body of {} bytes, expected at most {}", body.size(), kLargestBody_bytes));
  }
  std::vector<std::string_view> pieces;
  do {
    pieces.push_back(body.substr(0, kMaxFrameBytes));
    body.remove_prefix(pieces.back().size());
  } while (!body.empty());
  return pieces;
}

std::string join_frames(std::span<const std::string_view> frames) {
  std::string body;
  std::size_t bytes = 0;
  for (const std::string_view frame : frames) bytes += frame.size();
  body.reserve(bytes);
  for (const std::string_view frame : frames) body += frame;
  return body;
}

}  // namespace groth16d::ipc
