#include "common/digest.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <vector>

#include "common/openssl.hpp"
#include "common/posix.hpp"

namespace groth16d {

namespace {

constexpr std::size_t kReadPiece_bytes = std::size_t{1} << 20;

EVP_MD_CTX* context_of(void* context) { return static_cast<EVP_MD_CTX*>(context); }

int nibble(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

}  // namespace

void StreamHash::ContextFree::operator()(void* context) const { EVP_MD_CTX_free(context_of(context)); }

StreamHash::StreamHash(Algorithm algorithm) : context_(EVP_MD_CTX_new()) {
  const EVP_MD* method = algorithm == Algorithm::sha256 ? EVP_sha256() : EVP_blake2s256();
  require_openssl(context_ != nullptr && EVP_DigestInit_ex(context_of(context_.get()), method, nullptr) == 1);
}

void StreamHash::update(std::span<const std::byte> bytes) {
  require_openssl(EVP_DigestUpdate(context_of(context_.get()), bytes.data(), bytes.size()) == 1);
}

Digest StreamHash::finish() {
  Digest digest{};
  require_openssl(EVP_DigestFinal_ex(context_of(context_.get()), digest.data(), nullptr) == 1);
  return digest;
}

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
