#include "common/clock.hpp"

#include <time.h>

namespace groth16d {

namespace {

std::uint64_t now_ms(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000 + static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
}

}  // namespace

std::uint64_t monotonic_ms() { return now_ms(CLOCK_MONOTONIC); }

std::uint64_t wall_ms() { return now_ms(CLOCK_REALTIME); }

}  // namespace groth16d
