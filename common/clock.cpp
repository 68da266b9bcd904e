#include "common/clock.hpp"

#include <time.h>

namespace groth16d {

namespace {

std::uint64_t now_us(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}

}  // namespace

std::uint64_t monotonic_ms() { return monotonic_us() / 1000; }

std::uint64_t monotonic_us() { return now_us(CLOCK_MONOTONIC); }

std::uint64_t wall_ms() { return now_us(CLOCK_REALTIME) / 1000; }

}  // namespace groth16d
