// A body in frames: MAXMSGSIZE bounds one frame, so a larger body travels as the concatenation of several.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace groth16d::ipc {

// Pieces of at most kMaxFrameBytes, views into `body`; at least one. Error: too_large "protocol.too_many_bytes" where
// they would not fit into one message.
Result<std::vector<std::string_view>> cut_body(std::string_view body);

std::string join_frames(std::span<const std::string_view> frames);

}  // namespace groth16d::ipc
