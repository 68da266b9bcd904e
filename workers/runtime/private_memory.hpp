// The worker's private memory as the kernel counts it: anonymous pages in RAM, segments and program text left out.
//
// It never allocates: it is read every few milliseconds, also while an allocation fails.
#pragma once

#include <atomic>
#include <cstdint>

#include "common/unique_fd.hpp"

namespace groth16d::worker {

// Any thread may sample; the highest value since begin() is kept.
class PrivateMemory {
 public:
  PrivateMemory();  // without /proc everything reads as 0, which the supervisor takes for not measured

  std::uint64_t resident_bytes() const;  // segments and text included
  void begin();
  void sample();
  std::uint64_t peak_bytes() const { return peak_.load(std::memory_order_relaxed); }

 private:
  struct Pages {
    std::uint64_t resident = 0, shared = 0;  // shared: of files and shared memory
  };
  Pages read() const;

  UniqueFd statm_;
  std::uint64_t page_bytes_;
  std::atomic<std::uint64_t> peak_{0};
};

}  // namespace groth16d::worker
