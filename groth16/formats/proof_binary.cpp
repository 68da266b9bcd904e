// Compressing and decompressing proofs.
#include "groth16/formats/proof_binary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace groth16::formats {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

// The top bits of the first byte. All other combinations under the mask are refused.
template <class C>
struct Flags;
template <>
struct Flags<Bn254> {
  static constexpr std::byte kMask{0xc0}, kSmaller{0x80}, kLarger{0xc0}, kInfinity{0x40};
};
template <>
struct Flags<Bls12_381> {
  static constexpr std::byte kMask{0xe0}, kSmaller{0x80}, kLarger{0xa0}, kInfinity{0xc0};
};

template <class P>
void store(const Fp<P>& value, std::byte* to) {
  value.to_uint().to_be_bytes(std::span<std::byte, Fp<P>::kBytes>(to, Fp<P>::kBytes));
}
template <class F>
void store(const Fp2<F>& value, std::byte* to) {
  store(value.c1, to);
  store(value.c0, to + F::kBytes);
}

// False when a coordinate is not below q.
template <class P>
bool load(const std::byte* from, Fp<P>& out) {
  const auto value = Fp<P>::Integer::from_be_bytes(std::span<const std::byte, Fp<P>::kBytes>(from, Fp<P>::kBytes));
  out = Fp<P>::from_uint(value);
  return Fp<P>::is_canonical(value);
}
template <class F>
bool load(const std::byte* from, Fp2<F>& out) {
  return load(from, out.c1) && load(from + F::kBytes, out.c0);
}

template <class C, class Point>
void compress_point(const Point& point, std::byte* to) {
  if (point.is_infinity()) {
    std::fill_n(to, kCompressedPointBytes<Point>, std::byte{0});
    to[0] = Flags<C>::kInfinity;
    return;
  }
  store(point.x, to);
  to[0] |= point.y.is_larger_half() ? Flags<C>::kLarger : Flags<C>::kSmaller;
}

template <class C>
const typename C::Fq& curve_b(const typename C::G1&) {
  return C::b_g1();
}
template <class C>
const typename C::Fq2& curve_b(const typename C::G2&) {
  return C::b_g2();
}

// Reads the point called name at offset into point.
template <class C, class Point>
Result<void> decompress_point(Bytes proof, std::size_t offset, char name, Point& point) {
  constexpr std::size_t kBytes = kCompressedPointBytes<Point>;
  const auto fail = [&](std::string_view rule, std::string_view text) {
    return failure(ErrorCode::malformed, fmt::format("proof_binary.{}", rule),
                   fmt::format("point {} at offset {} {}", name, offset, text));
  };
  std::array<std::byte, kBytes> bytes;
  std::copy_n(proof.data() + offset, kBytes, bytes.data());
  const std::byte flags = bytes[0] & Flags<C>::kMask;
  bytes[0] &= ~Flags<C>::kMask;

  if (flags == Flags<C>::kInfinity) {
    point = Point::infinity();
    const bool clean = std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
    if (!clean) return fail("infinity", "says infinity and has other bits");
    return {};
  }
  if (flags != Flags<C>::kSmaller && flags != Flags<C>::kLarger) {
    return fail("flags", fmt::format("has the flags {:#04x}, which mean nothing in a compressed point",
                                     static_cast<unsigned>(flags)));
  }
  if (!load(bytes.data(), point.x)) return fail("coordinate", "has a coordinate that is not below the prime q");
  const auto root = (point.x.square() * point.x + curve_b<C>(point)).sqrt();
  if (!root) return fail("not_on_curve", "has an x that no point of the curve has");
  const bool larger = flags == Flags<C>::kLarger;
  point.y = root->is_larger_half() == larger ? *root : -*root;
  if (!C::in_subgroup(point)) return fail("not_in_subgroup", "is not in the subgroup of order r");
  return {};
}

}  // namespace

template <class C>
std::array<std::byte, kCompressedProofBytes<C>> compress(const Proof<C>& proof) {
  constexpr std::size_t kG1 = kCompressedPointBytes<typename C::G1>, kG2 = kCompressedPointBytes<typename C::G2>;
  std::array<std::byte, kCompressedProofBytes<C>> bytes;
  compress_point<C>(proof.a, bytes.data());
  compress_point<C>(proof.b, bytes.data() + kG1);
  compress_point<C>(proof.c, bytes.data() + kG1 + kG2);
  return bytes;
}

template <class C>
Result<Proof<C>> decompress(Bytes bytes) {
  constexpr std::size_t kG1 = kCompressedPointBytes<typename C::G1>, kG2 = kCompressedPointBytes<typename C::G2>;
  if (bytes.size() != kCompressedProofBytes<C>) {
    return failure(ErrorCode::malformed, "proof_binary.length",
                   fmt::format("{} bytes, expected {} for a compressed proof on {}", bytes.size(),
                               kCompressedProofBytes<C>, C::name));
  }
  Proof<C> proof;
  const Result<void> read = decompress_point<C>(bytes, 0, 'A', proof.a)
                                .and_then([&] { return decompress_point<C>(bytes, kG1, 'B', proof.b); })
                                .and_then([&] { return decompress_point<C>(bytes, kG1 + kG2, 'C', proof.c); });
  if (!read) return tl::unexpected(read.error());
  return proof;
}

template std::array<std::byte, 128> compress(const Proof<Bn254>&);
template std::array<std::byte, 192> compress(const Proof<Bls12_381>&);
template Result<Proof<Bn254>> decompress<Bn254>(Bytes);
template Result<Proof<Bls12_381>> decompress<Bls12_381>(Bytes);

}  // namespace groth16::formats
