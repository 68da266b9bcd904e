// The parallel loop: every item once, nothing after a cancel, no exception lost.
#include <catch2/catch.hpp>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "groth16/algebra/compute.hpp"

using groth16::Compute;
using groth16::Pulse;

TEST_CASE("a parallel loop visits every item exactly once", "[compute]") {
  for (const unsigned threads : {0u, 1u, 2u, 7u}) {
    for (const std::size_t count : {0u, 1u, 2u, 6u, 7u, 8u, 1000u}) {
      for (const std::size_t grain : {0u, 1u, 3u, 5000u}) {
        std::vector<int> visits(count, 0);
        Compute(threads).parallel_for(
            count,
            [&](std::size_t begin, std::size_t end) {
              CHECK(begin < end);
              for (std::size_t i = begin; i < end; ++i) ++visits[i];
            },
            grain);
        CHECK(visits == std::vector<int>(count, 1));
      }
    }
  }
}

TEST_CASE("an exception in a parallel loop reaches the caller and no other thread", "[compute]") {
  for (const unsigned threads : {1u, 4u}) {
    const auto loop = [&] {
      Compute(threads).parallel_for(100, [](std::size_t begin, std::size_t) {
        if (begin >= 10) throw std::runtime_error("stop");
      });
    };
    CHECK_THROWS_AS(loop(), std::runtime_error);
  }
}

TEST_CASE("a cancelled loop hands out no further range", "[compute]") {
  Pulse pulse;
  const Compute compute(2, &pulse);
  std::atomic<int> ranges{0};
  compute.parallel_for(1000, [&](std::size_t, std::size_t) {
    ++ranges;
    pulse.cancel = true;
  });
  CHECK(compute.cancelled());
  CHECK(ranges.load() >= 1);
  CHECK(ranges.load() <= 2);
}

TEST_CASE("a parallel loop beats once a range, and needs no pulse", "[compute]") {
  Pulse pulse;
  std::atomic<std::uint64_t> ranges{0};
  Compute(3, &pulse).parallel_for(500, [&](std::size_t, std::size_t) { ++ranges; });
  CHECK(pulse.beats.load() == ranges.load());
  const Compute alone(2);
  alone.beat();
  CHECK_FALSE(alone.cancelled());
}

TEST_CASE("parallel loops nest", "[compute]") {
  const Compute compute(3);
  std::atomic<int> sum{0};
  compute.parallel_for(5, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      compute.parallel_for(5, [&](std::size_t b, std::size_t e) { sum += static_cast<int>(e - b); });
    }
  });
  CHECK(sum.load() == 25);
}
