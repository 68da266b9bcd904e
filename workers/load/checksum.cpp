#include "workers/load/checksum.hpp"

#include <algorithm>

#include <xxhash.h>

namespace groth16d::worker {

Checksum checksum_of(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = ::XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

std::span<const std::byte> PayloadChecksum::piece_of(std::span<const std::byte> payload, std::size_t piece) {
  const std::size_t begin = piece * kPieceBytes;
  return payload.subspan(begin, std::min<std::size_t>(kPieceBytes, payload.size() - begin));
}

Checksum PayloadChecksum::finish() const { return checksum_of(std::as_bytes(std::span(pieces_))); }

Checksum checksum_of_payload(std::span<const std::byte> payload, const groth16::Compute& compute) {
  PayloadChecksum checksum(payload.size());
  compute.parallel_for(checksum.pieces(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t piece = begin; piece < end; ++piece)
      checksum.put(piece, PayloadChecksum::piece_of(payload, piece));
  });
  return checksum.finish();
}

}  // namespace groth16d::worker
