#include "common/blake2.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <memory>

#include "common/openssl.hpp"

namespace groth16d {

namespace {

struct MacFree {
  void operator()(EVP_MAC* mac) const { EVP_MAC_free(mac); }
  void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};

EVP_MD_CTX* context_in(void* context) { return static_cast<EVP_MD_CTX*>(context); }

}  // namespace

void Blake2s256::ContextFree::operator()(void* context) const { EVP_MD_CTX_free(context_in(context)); }

Blake2s256::Blake2s256() : context_(EVP_MD_CTX_new()) {
  require_openssl(context_ != nullptr && EVP_DigestInit_ex(context_in(context_.get()), EVP_blake2s256(), nullptr) == 1);
}

void Blake2s256::update(std::span<const std::byte> bytes) {
  require_openssl(EVP_DigestUpdate(context_in(context_.get()), bytes.data(), bytes.size()) == 1);
}

Digest Blake2s256::finish() {
  Digest digest{};
  require_openssl(EVP_DigestFinal_ex(context_in(context_.get()), digest.data(), nullptr) == 1);
  return digest;
}

std::array<std::uint8_t, 64> blake2b_512(std::span<const std::byte> bytes) {
  static EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "BLAKE2B-512", nullptr);  // dear, and kept for ever
  std::array<std::uint8_t, 64> digest{};
  require_openssl(EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, algorithm, nullptr) == 1);
  return digest;
}

Digest keyed_blake2b_256(std::string_view key, std::span<const std::byte> bytes) {
  Digest digest{};
  std::size_t size = digest.size();
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size), OSSL_PARAM_construct_end()};
  const std::unique_ptr<EVP_MAC, MacFree> mac(EVP_MAC_fetch(nullptr, "BLAKE2BMAC", nullptr));
  const std::unique_ptr<EVP_MAC_CTX, MacFree> context(EVP_MAC_CTX_new(mac.get()));
  require_openssl(
      context != nullptr &&
      EVP_MAC_init(context.get(), reinterpret_cast<const unsigned char*>(key.data()), key.size(), parameters) == 1 &&
      EVP_MAC_update(context.get(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()) == 1 &&
      EVP_MAC_final(context.get(), digest.data(), &size, digest.size()) == 1 && size == digest.size());
  return digest;
}

}  // namespace groth16d
