#include "groth16/formats/compressed_point.hpp"

#include <algorithm>
#include <array>

namespace groth16::formats {

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

}  // namespace

template <class C, class Point>
void compress_point(const Point& point, std::byte* to) {
  if (point.is_infinity()) {
    std::fill_n(to, kCompressedPointBytes<Point>, std::byte{0});
    to[0] = Flags<C>::kInfinity;
    return;
  }
  store_big_endian(point.x, to);
  to[0] |= point.y.is_larger_half() ? Flags<C>::kLarger : Flags<C>::kSmaller;
}

template <class C, class Point>
tl::expected<Point, PointFault> decompress_point(const std::byte* from) {
  const auto fault = [](std::string_view rule, std::string_view text) {
    return tl::unexpected<PointFault>(PointFault{rule, text});
  };
  std::array<std::byte, kCompressedPointBytes<Point>> bytes;
  std::copy_n(from, bytes.size(), bytes.data());
  const std::byte flags = bytes[0] & Flags<C>::kMask;
  bytes[0] &= ~Flags<C>::kMask;

  if (flags == Flags<C>::kInfinity) {
    const bool clean = std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
    if (!clean) return fault("infinity", "says infinity and has other bits");
    return Point::infinity();
  }
  if (flags != Flags<C>::kSmaller && flags != Flags<C>::kLarger) {
    return fault("flags", "has flags that mean nothing in a compressed point");
  }
  Point point;
  if (!load_big_endian(bytes.data(), point.x)) return fault("coordinate", "has a coordinate that is not below q");
  const auto root = (point.x.square() * point.x + curve_b<C>(point)).sqrt();
  if (!root) return fault("not_on_curve", "has an x that no point of the curve has");
  point.y = root->is_larger_half() == (flags == Flags<C>::kLarger) ? *root : -*root;
  if (!C::in_subgroup(point)) return fault("not_in_subgroup", "is not in the subgroup of order r");
  return point;
}

#define GROTH16_DEFINE_COMPRESSED_POINT(C, Point)                   \
  template void compress_point<C, Point>(const Point&, std::byte*); \
  template tl::expected<Point, PointFault> decompress_point<C, Point>(const std::byte*);
GROTH16_DEFINE_COMPRESSED_POINT(Bn254, Bn254::G1)
GROTH16_DEFINE_COMPRESSED_POINT(Bn254, Bn254::G2)
GROTH16_DEFINE_COMPRESSED_POINT(Bls12_381, Bls12_381::G1)
GROTH16_DEFINE_COMPRESSED_POINT(Bls12_381, Bls12_381::G2)

}  // namespace groth16::formats
