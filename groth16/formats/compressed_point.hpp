// Compressed points: the big-endian x of a point with flags in the top bits of its first byte. In G2 x.c1 comes before
// x.c0. "Larger" compares y with q - y as integers, in Fq2 by c1 first, then c0.
//
//   BLS12-381, 48 or 96 bytes, the ZCash form: 0x80 compressed, 0x40 infinity, 0x20 y is the larger root
//   BN254, 32 or 64 bytes, as gnark writes it: 0b10 y is the smaller root, 0b11 the larger, 0b01 infinity
#pragma once

#include <cstddef>
#include <string_view>

#include <tl/expected.hpp>

#include "groth16/algebra/curves.hpp"
#include "groth16/formats/byte_reader.hpp"

namespace groth16::formats {

// The bytes of a compressed point: one coordinate.
template <class Point>
inline constexpr std::size_t kCompressedPointBytes = sizeof(typename Point::Field);

// What is wrong with a point's bytes: a rule for programs, a text that continues "the point ...".
struct PointFault {
  std::string_view rule;  // flags, infinity, coordinate, not_on_curve, not_in_subgroup
  std::string_view text;
};

// to has kCompressedPointBytes<Point> bytes.
template <class C, class Point>
void compress_point(const Point& point, std::byte* to);

// A point on its curve and in its subgroup, or infinity, of kCompressedPointBytes<Point> bytes.
template <class C, class Point>
tl::expected<Point, PointFault> decompress_point(const std::byte* from);

// Big-endian coordinates; in Fq2 c1 comes before c0. load is false when a coordinate is not below q.
template <class P>
void store_big_endian(const Fp<P>& value, std::byte* to) {
  value.to_uint().to_be_bytes(std::span<std::byte, Fp<P>::kBytes>(to, Fp<P>::kBytes));
}
template <class F>
void store_big_endian(const Fp2<F>& value, std::byte* to) {
  store_big_endian(value.c1, to);
  store_big_endian(value.c0, to + F::kBytes);
}
template <class P>
bool load_big_endian(const std::byte* from, Fp<P>& out) {
  const auto value = Fp<P>::Integer::from_be_bytes(std::span<const std::byte, Fp<P>::kBytes>(from, Fp<P>::kBytes));
  out = Fp<P>::from_uint(value);
  return Fp<P>::is_canonical(value);
}
template <class F>
bool load_big_endian(const std::byte* from, Fp2<F>& out) {
  return load_big_endian(from, out.c1) && load_big_endian(from + F::kBytes, out.c0);
}

template <class C>
const typename C::Fq& curve_b(const typename C::G1&) {
  return C::b_g1();
}
template <class C>
const typename C::Fq2& curve_b(const typename C::G2&) {
  return C::b_g2();
}

#define GROTH16_DECLARE_COMPRESSED_POINT(C, Point)                         \
  extern template void compress_point<C, Point>(const Point&, std::byte*); \
  extern template tl::expected<Point, PointFault> decompress_point<C, Point>(const std::byte*);
GROTH16_DECLARE_COMPRESSED_POINT(Bn254, Bn254::G1)
GROTH16_DECLARE_COMPRESSED_POINT(Bn254, Bn254::G2)
GROTH16_DECLARE_COMPRESSED_POINT(Bls12_381, Bls12_381::G1)
GROTH16_DECLARE_COMPRESSED_POINT(Bls12_381, Bls12_381::G2)
#undef GROTH16_DECLARE_COMPRESSED_POINT

}  // namespace groth16::formats
