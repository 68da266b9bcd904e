#include "workers/runtime/populate.hpp"

#include <algorithm>

#include "common/page_tables.hpp"

namespace groth16d::worker {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{16} << 20;  // between two beats

template <class Byte, class MapIn>
void populate(std::span<Byte> mapped, const groth16::Compute& compute, MapIn map_in) {
  compute.parallel_for((mapped.size() + kPieceBytes - 1) / kPieceBytes, [&](std::size_t first, std::size_t last) {
    for (std::size_t piece = first; piece < last && !compute.cancelled(); ++piece) {
      const std::span<Byte> rest = mapped.subspan(piece * kPieceBytes);
      map_in(rest.first(std::min(kPieceBytes, rest.size())));
    }
  });
}

}  // namespace

void populate_for_reading(std::span<const std::byte> mapped, const groth16::Compute& compute) {
  populate(mapped, compute, map_in_for_reading);
}

void populate_for_writing(std::span<std::byte> mapped, const groth16::Compute& compute) {
  populate(mapped, compute, map_in_for_writing);
}

}  // namespace groth16d::worker
