// BLAKE2 (RFC 7693): BLAKE2s-256 of streams, BLAKE2b-512 and keyed 32-byte BLAKE2b of bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/digest.hpp"

namespace groth16d {

struct Blake2s256 : StreamHash {
  Blake2s256() : StreamHash(Algorithm::blake2s_256) {}
};

std::array<std::uint8_t, 64> blake2b_512(std::span<const std::byte> bytes);

// The keyed mode with a digest of 32 bytes. key: 1 to 64 bytes.
Digest keyed_blake2b_256(std::string_view key, std::span<const std::byte> bytes);

}  // namespace groth16d
