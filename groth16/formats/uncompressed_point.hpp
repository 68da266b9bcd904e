// Uncompressed points of BLS12-381 in the ZCash form, as bellman's files hold them: x then y, big-endian, in G2 c1
// before c0, 96 or 192 bytes. The three top bits of the first byte are flags: 0 for a point, 0x40 for infinity.
#pragma once

#include <cstddef>

#include <tl/expected.hpp>

#include "groth16/formats/compressed_point.hpp"
#include "groth16/formats/point_section.hpp"

namespace groth16::formats {

template <class Point>
inline constexpr std::size_t kUncompressedPointBytes = 2 * kCompressedPointBytes<Point>;

// A point that is not infinity, on its curve, and in its subgroup where that is asked for. The caller has checked that
// the bytes are there.
template <class Point>
tl::expected<Point, PointFault> read_uncompressed(const std::byte* from, PointCheck check) {
  constexpr std::byte kFlags{0xe0}, kInfinity{0x40};
  const auto fault = [](std::string_view rule, std::string_view text) {
    return tl::unexpected<PointFault>(PointFault{rule, text});
  };
  const std::byte flags = *from & kFlags;
  if (flags == kInfinity) return fault("infinity", "is infinity");
  if (flags != std::byte{0}) return fault("flags", "has flags that mean nothing in an uncompressed point");
  Point point;
  if (!load_big_endian(from, point.x) || !load_big_endian(from + kCompressedPointBytes<Point>, point.y)) {
    return fault("coordinate", "has a coordinate that is not below q");
  }
  if (!on_curve(point, curve_b<Bls12_381>(point))) return fault("not_on_curve", "is not on the curve");
  if (check == PointCheck::subgroup && !Bls12_381::in_subgroup(point)) {
    return fault("not_in_subgroup", "is not in the subgroup of order r");
  }
  return point;
}

// to has kUncompressedPointBytes<Point> bytes; the point is not infinity.
template <class Point>
void write_uncompressed(const Point& point, std::byte* to) {
  store_big_endian(point.x, to);
  store_big_endian(point.y, to + kCompressedPointBytes<Point>);
}

}  // namespace groth16::formats
