// What requests hold until the spool has it, bounded over all of them together: a flood is refused before it is kept.
// Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include "common/error.hpp"
#include "ipc/limits.hpp"

namespace groth16d::supervisor {

// Of one request: bytes in memory, and files that are to be open.
struct Burden {
  std::uint64_t bytes = 0;
  std::size_t files = 0;
};

// A body is kept as it was parsed, is in the form that is compared, and goes to the files' thread and to the core.
inline constexpr std::uint64_t kCopiesOfBody = 4;
// Nearly four messages of the largest size.
inline constexpr std::uint64_t kMostWaitingBytes = std::uint64_t{4} * ipc::kMaxMessageBytes;
// Four jobs of the most partitions, each with a file of its own: a quarter of the unit's LimitNOFILE.
inline constexpr std::size_t kMostWaitingFiles = 16'384;

class WaitingRoom {
 public:
  // Error: busy "request.too_many".
  Result<void> enter(const Burden& burden) {
    if (held_.bytes + burden.bytes > kMostWaitingBytes || held_.files + burden.files > kMostWaitingFiles)
      return failure(ErrorCode::busy, "request.too_many",
                     fmt::format("requests with {} bytes and {} files wait for the spool; at most {} and {} may",
                                 held_.bytes, held_.files, kMostWaitingBytes, kMostWaitingFiles));
    held_.bytes += burden.bytes;
    held_.files += burden.files;
    return {};
  }
  void leave(const Burden& burden) {
    held_.bytes -= burden.bytes;
    held_.files -= burden.files;
  }

 private:
  Burden held_;
};

}  // namespace groth16d::supervisor
