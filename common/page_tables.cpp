#include "common/page_tables.hpp"

#include <cstdint>

#include <sys/mman.h>

namespace groth16d {

namespace {

constexpr std::uintptr_t kPageBytes = 4096;

#if defined(MADV_POPULATE_READ)
constexpr int kForReading = MADV_POPULATE_READ, kForWriting = MADV_POPULATE_WRITE;
#else
constexpr int kForReading = 22, kForWriting = 23;  // Linux 5.14; older C libraries do not name them
#endif

// Pages that the range touches.
void advise(std::span<const std::byte> mapped, int advice) {
  if (mapped.empty()) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped.data()) & ~(kPageBytes - 1);
  const auto end = reinterpret_cast<std::uintptr_t>(mapped.data()) + mapped.size();
  static_cast<void>(::madvise(reinterpret_cast<void*>(begin), end - begin, advice));
}

}  // namespace

void map_in_for_reading(std::span<const std::byte> mapped) { advise(mapped, kForReading); }
void map_in_for_writing(std::span<std::byte> mapped) { advise(mapped, kForWriting); }

void map_out(std::span<const std::byte> mapped) {
  const auto begin = (reinterpret_cast<std::uintptr_t>(mapped.data()) + kPageBytes - 1) & ~(kPageBytes - 1);
  const auto end = (reinterpret_cast<std::uintptr_t>(mapped.data()) + mapped.size()) & ~(kPageBytes - 1);
  if (begin < end) static_cast<void>(::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED));
}

}  // namespace groth16d
