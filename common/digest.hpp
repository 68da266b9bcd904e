// SHA-256 (FIPS 180-4) of bytes, streams and files, and hexadecimal text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/error.hpp"

namespace groth16d {

using Digest = std::array<std::uint8_t, 32>;

inline std::span<const std::byte> bytes_of(const Digest& digest) { return std::as_bytes(std::span(digest)); }

// As a message or a column carries it: 32 bytes.
inline std::string to_binary(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// Over a stream: update() any number of times, then finish() once.
class Sha256 {
 public:
  Sha256();
  ~Sha256();  // wipes: the last block may be of a witness
  Sha256(const Sha256&) = default;
  Sha256& operator=(const Sha256&) = default;
  void update(std::span<const std::byte> bytes);
  void update(std::string_view text) { update(std::as_bytes(std::span(text.data(), text.size()))); }
  Digest finish();

 private:
  alignas(std::uint64_t) std::array<std::byte, 112> state_;  // a SHA256_CTX
};

Digest sha256(std::span<const std::byte> bytes);
Digest sha256(std::string_view text);

// Of a whole file from offset 0, by pread: the descriptor's own offset is not used.
Result<Digest> sha256_of_file(int fd, std::string_view name);

// Lower-case hexadecimal, two digits a byte.
std::string to_hex(std::span<const std::uint8_t> bytes);
std::string to_hex(std::string_view bytes);

// nullopt unless `hex` is an even number of hexadecimal digits.
std::optional<std::string> from_hex(std::string_view hex);

}  // namespace groth16d
