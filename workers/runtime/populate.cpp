#include "workers/runtime/populate.hpp"

#include <algorithm>
#include <cstdint>

#include <sys/mman.h>

namespace groth16d::worker {

namespace {

constexpr std::uintptr_t kPageBytes = 4096;
constexpr std::size_t kPieceBytes = std::size_t{16} << 20;  // between two beats

#if defined(MADV_POPULATE_READ)
constexpr int kForReading = MADV_POPULATE_READ, kForWriting = MADV_POPULATE_WRITE;
#else
constexpr int kForReading = 22, kForWriting = 23;  // Linux 5.14; older C libraries do not name them
#endif

void populate(const std::byte* data, std::size_t size, int advice, const groth16::Compute& compute) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data) & ~(kPageBytes - 1);
  const std::size_t bytes = reinterpret_cast<std::uintptr_t>(data) + size - begin;
  compute.parallel_for((bytes + kPieceBytes - 1) / kPieceBytes, [&](std::size_t first, std::size_t last) {
    for (std::size_t piece = first; piece < last && !compute.cancelled(); ++piece) {
      const std::size_t at = piece * kPieceBytes;
      static_cast<void>(::madvise(reinterpret_cast<void*>(begin + at), std::min(kPieceBytes, bytes - at), advice));
    }
  });
}

}  // namespace

void populate_for_reading(std::span<const std::byte> mapped, const groth16::Compute& compute) {
  populate(mapped.data(), mapped.size(), kForReading, compute);
}

void populate_for_writing(std::span<std::byte> mapped, const groth16::Compute& compute) {
  populate(mapped.data(), mapped.size(), kForWriting, compute);
}

}  // namespace groth16d::worker
