// Time in milliseconds or microseconds: monotonic for intervals and timeouts, wall for what people read.
#pragma once

#include <cstdint>

namespace groth16d {

// CLOCK_MONOTONIC; the same clock in all processes of this boot.
std::uint64_t monotonic_ms();
std::uint64_t monotonic_us();

// Since 1970-01-01 UTC.
std::uint64_t wall_ms();

}  // namespace groth16d
