// Checksum: tells a payload that a disk or a memory has changed from the one that was written. XXH3 of 128 bits: it
// guards against accidents, not against an author, and runs at the speed of memory (6.7 GB/s on one core, where SHA-256
// makes 0.75).
//
// That of a payload is the XXH3 of the row of those of its pieces, so that all threads may read and check at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "groth16/algebra/compute.hpp"

namespace groth16d::worker {

struct Checksum {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Checksum&) const = default;
};

// Of a few pages, in one go.
Checksum checksum_of(std::span<const std::byte> bytes);

// A payload's, piece by piece in any order and from any thread, each piece once.
class PayloadChecksum {
 public:
  static constexpr std::uint64_t kPieceBytes = std::uint64_t{4} << 20;  // 0.6 ms of hashing; a disk's queue full

  explicit PayloadChecksum(std::uint64_t payload_bytes)
      : pieces_(static_cast<std::size_t>((payload_bytes + kPieceBytes - 1) / kPieceBytes)) {}

  std::size_t pieces() const { return pieces_.size(); }

  // The bytes of one piece: kPieceBytes of them, and what is left for the last.
  static std::span<const std::byte> piece_of(std::span<const std::byte> payload, std::size_t piece);

  void put(std::size_t piece, std::span<const std::byte> bytes) { pieces_[piece] = checksum_of(bytes); }

  Checksum finish() const;

 private:
  std::vector<Checksum> pieces_;
};

// Of a payload that is all there. Means nothing once compute is cancelled.
Checksum checksum_of_payload(std::span<const std::byte> payload, const groth16::Compute& compute);

}  // namespace groth16d::worker
