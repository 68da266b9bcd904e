// The part of a writable segment that its contents take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <fmt/format.h>

#include "common/error.hpp"

namespace groth16d::worker {

// Error (internal): segment.too_small.
inline Result<std::span<std::byte>> part_of(std::span<std::byte> segment, std::uint64_t size, const char* what) {
  if (segment.size() >= size) return segment.first(size);
  return failure(ErrorCode::internal, "segment.too_small",
                 fmt::format("the {} takes {} bytes, its segment has {}", what, size, segment.size()));
}

}  // namespace groth16d::worker
