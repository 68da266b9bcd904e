// How iden3's files encode field elements and points, and how a file's primes name its curve.
//
//   scalars of .r1cs and .wtns   plain little-endian, canonical
//   coordinates ("LEM")          Montgomery form, little-endian, below q; x then y; in Fq2 c0 then c1
//   infinity                     all bytes zero, which is also how Affine holds it
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "groth16/algebra/curve.hpp"
#include "groth16/algebra/curves.hpp"
#include "groth16/algebra/tower.hpp"
#include "groth16/formats/binfile.hpp"

namespace groth16::formats {

static_assert(std::endian::native == std::endian::little, "limbs are copied from little-endian files as they are");

// Every supported curve has scalars of 32 bytes.
inline constexpr std::uint32_t kScalarBytes = 32;

// The integer at an address, not compared with anything. The caller has checked that the bytes are there.
template <class F>
typename F::Integer load_integer(const std::byte* at) {
  typename F::Integer value;
  std::memcpy(value.limb, at, F::kBytes);
  return value;
}

// Loads a coordinate; false when a coordinate (or half of one) is not below q.
template <class P>
bool load_coordinate(const std::byte* at, Fp<P>& out) {
  const auto limbs = load_integer<Fp<P>>(at);
  if (!Fp<P>::is_canonical(limbs)) return false;
  out = Fp<P>::from_montgomery_limbs(limbs);
  return true;
}
template <class F>
bool load_coordinate(const std::byte* at, Fp2<F>& out) {
  return load_coordinate(at, out.c0) && load_coordinate(at + F::kBytes, out.c1);
}

// The bytes of a point of this type: 64 / 96 for G1, 128 / 192 for G2.
template <class Point>
inline constexpr std::uint64_t kPointBytes = 2 * sizeof(typename Point::Field);

template <class Point>
bool load_point(const std::byte* at, Point& out) {
  return load_coordinate(at, out.x) && load_coordinate(at + kPointBytes<Point> / 2, out.y);
}

// An array of affine points is the bytes that a file holds.
template <class Point>
Bytes point_bytes(std::span<const Point> points) {
  static_assert(sizeof(Point) == kPointBytes<Point>);
  return std::as_bytes(points);
}
template <class Point>
Bytes point_bytes(const Point& point) {
  return point_bytes(std::span<const Point>(&point, 1));
}

// A prime as a file holds it: 32 or 48 bytes, plain little-endian.
template <class F>
std::array<std::byte, F::kBytes> prime_bytes() {
  std::array<std::byte, F::kBytes> bytes;
  F::modulus().to_le_bytes(bytes);
  return bytes;
}

// The curve whose scalar field has this prime (little-endian, 32 bytes).
std::optional<CurveId> curve_of_scalar_prime(Bytes prime);

// Reads "u32 n8; n8 bytes prime" at the start of an .r1cs or .wtns header. Errors: <f>.field_size, <f>.prime.
groth16d::Result<CurveId> read_scalar_field(const Container& container, const Section& section, ByteReader& reader);

// A prime of any length as a decimal number, for errors; longer ones than 64 bytes are only described.
std::string prime_text(Bytes prime);

}  // namespace groth16::formats
