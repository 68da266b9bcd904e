// BLAKE2 (RFC 7693): BLAKE2s-256 of streams, BLAKE2b-512 and keyed 32-byte BLAKE2b of bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "common/digest.hpp"

namespace groth16d {

// Over a stream: update() any number of times, then finish() once.
class Blake2s256 {
 public:
  Blake2s256();
  void update(std::span<const std::byte> bytes);
  void update(std::string_view text) { update(std::as_bytes(std::span(text.data(), text.size()))); }
  Digest finish();

 private:
  struct ContextFree {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, ContextFree> context_;  // an EVP_MD_CTX
};

std::array<std::uint8_t, 64> blake2b_512(std::span<const std::byte> bytes);

// The keyed mode with a digest of 32 bytes. key: 1 to 64 bytes.
Digest keyed_blake2b_256(std::string_view key, std::span<const std::byte> bytes);

}  // namespace groth16d
