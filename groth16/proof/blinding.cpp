// Random scalars straight from the kernel.
#include "groth16/proof/blinding.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace groth16 {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

// getrandom(2) gives up to 256 bytes whole once the kernel's generator is seeded; before that it waits.
bool fill_random(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = getrandom(bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

// The bits above r's highest are cleared first, so a draw is taken with a probability above one half.
template <class C>
Result<typename C::Scalar> draw_scalar() {
  using Scalar = typename C::Scalar;
  const std::size_t n_bits = C::Fr::modulus().bit_length();
  const std::uint64_t top_mask = n_bits % 64 == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << (n_bits % 64)) - 1;
  Scalar scalar;
  do {
    if (!fill_random(std::as_writable_bytes(std::span(scalar.limb)))) {
      return failure(ErrorCode::system, "random.unavailable", std::string("getrandom: ") + std::strerror(errno));
    }
    scalar.limb[Scalar::kLimbs - 1] &= top_mask;
  } while (!C::Fr::is_canonical(scalar));
  return scalar;
}

template <class C>
Result<Blinding<C>> Blinding<C>::draw() {
  Blinding blinding;
  auto r = draw_scalar<C>();
  if (!r) return tl::unexpected(r.error());
  blinding.r_ = *r;
  explicit_bzero(&*r, sizeof(Scalar));
  auto s = draw_scalar<C>();
  if (!s) return tl::unexpected(s.error());
  blinding.s_ = *s;
  explicit_bzero(&*s, sizeof(Scalar));
  return blinding;
}

template <class C>
Blinding<C>::Blinding(Blinding&& other) noexcept : r_(other.r_), s_(other.s_) {
  other.wipe();
}

template <class C>
Blinding<C>::~Blinding() {
  wipe();
}

template <class C>
void Blinding<C>::wipe() {
  explicit_bzero(&r_, sizeof(Scalar));
  explicit_bzero(&s_, sizeof(Scalar));
}

template Result<Bn254::Scalar> draw_scalar<Bn254>();
template Result<Bls12_381::Scalar> draw_scalar<Bls12_381>();
template class Blinding<Bn254>;
template class Blinding<Bls12_381>;

}  // namespace groth16
