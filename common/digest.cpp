#include "common/digest.hpp"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <vector>

#include "common/openssl.hpp"
#include "common/posix.hpp"

namespace groth16d {

namespace {

constexpr std::size_t kReadPiece_bytes = std::size_t{1} << 20;

using State = std::array<std::byte, sizeof(SHA256_CTX)>;

SHA256_CTX* context_of(State& state) { return reinterpret_cast<SHA256_CTX*>(state.data()); }

int nibble(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

}  // namespace

// The functions that OpenSSL calls low-level, and deprecates for it, need none of its providers, whose loading takes
// 2 MiB and a millisecond of every process.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
Sha256::Sha256() { require_openssl(SHA256_Init(context_of(state_)) == 1); }

Sha256::~Sha256() { OPENSSL_cleanse(state_.data(), state_.size()); }

void Sha256::update(std::span<const std::byte> bytes) {
  require_openssl(SHA256_Update(context_of(state_), bytes.data(), bytes.size()) == 1);
}

Digest Sha256::finish() {
  Digest digest{};
  require_openssl(SHA256_Final(digest.data(), context_of(state_)) == 1);
  return digest;
}
#pragma GCC diagnostic pop

Digest sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

Digest sha256(std::string_view text) { return sha256(std::as_bytes(std::span(text.data(), text.size()))); }

Result<Digest> sha256_of_file(int fd, std::string_view name) {
  Result<std::uint64_t> size = file_size_bytes(fd, name);
  if (!size) return tl::unexpected<Error>(size.error());
  Sha256 hash;
  std::vector<std::byte> piece(kReadPiece_bytes);
  for (std::uint64_t offset = 0; offset < *size; offset += kReadPiece_bytes) {
    const std::size_t length = static_cast<std::size_t>(std::min<std::uint64_t>(kReadPiece_bytes, *size - offset));
    const std::span<std::byte> part = std::span(piece).first(length);
    if (auto read = read_exact_at(fd, part, offset, name); !read) return tl::unexpected<Error>(read.error());
    hash.update(part);
  }
  return hash.finish();
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::string to_hex(std::string_view bytes) {
  return to_hex(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
}

std::optional<std::string> from_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = nibble(hex[i]);
    const int low = nibble(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

}  // namespace groth16d
