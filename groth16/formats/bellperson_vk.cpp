#include "groth16/formats/bellperson_vk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "groth16/algebra/pairing.hpp"
#include "groth16/formats/compressed_point.hpp"

namespace groth16::formats {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

using G1 = Bls12_381::G1;
using G2 = Bls12_381::G2;

constexpr std::size_t kCountBytes = 4;

template <class Point>
std::size_t bytes_of_point(PointForm form) {
  return kCompressedPointBytes<Point> * (form == PointForm::compressed ? 1 : 2);
}

std::size_t fixed_bytes(PointForm form) {
  return 3 * bytes_of_point<G1>(form) + 3 * bytes_of_point<G2>(form) + kCountBytes;
}

template <class Point>
tl::expected<Point, PointFault> read_uncompressed(const std::byte* from) {
  constexpr std::byte kFlags{0xe0}, kInfinity{0x40};
  const auto fault = [](std::string_view rule, std::string_view text) {
    return tl::unexpected<PointFault>(PointFault{rule, text});
  };
  const std::byte flags = *from & kFlags;
  if (flags == kInfinity) return Point::infinity();  // which the caller refuses, whatever follows
  if (flags != std::byte{0}) return fault("flags", "has flags that mean nothing in an uncompressed point");
  Point point;
  if (!load_big_endian(from, point.x) || !load_big_endian(from + kCompressedPointBytes<Point>, point.y)) {
    return fault("coordinate", "has a coordinate that is not below q");
  }
  if (!on_curve(point, curve_b<Bls12_381>(point))) return fault("not_on_curve", "is not on the curve");
  if (!Bls12_381::in_subgroup(point)) return fault("not_in_subgroup", "is not in the subgroup of order r");
  return point;
}

// Reads point after point and keeps the first fault. The caller has checked that the bytes are there.
class PointReader {
 public:
  PointReader(std::string_view file, Bytes bytes, PointForm form) : file_(file), bytes_(bytes), form_(form) {}

  template <class Point>
  void read(std::string_view name, Point& point) {
    const std::byte* from = bytes_.data() + offset_;
    auto read =
        form_ == PointForm::compressed ? decompress_point<Bls12_381, Point>(from) : read_uncompressed<Point>(from);
    if (read && read->is_infinity()) read = tl::unexpected<PointFault>(PointFault{"infinity", "is infinity"});
    if (read) point = *read;
    if (!read && result_) {
      result_ = failure(ErrorCode::malformed, fmt::format("bellperson_vk.{}", read.error().rule),
                        fmt::format("{}: point {} at offset {} {}", file_, name, offset_, read.error().text));
    }
    offset_ += bytes_of_point<Point>(form_);
  }

  std::uint32_t read_count() {
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < kCountBytes; ++i) count = count << 8 | static_cast<std::uint32_t>(bytes_[offset_ + i]);
    offset_ += kCountBytes;
    return count;
  }

  const Result<void>& result() const { return result_; }

 private:
  std::string_view file_;
  Bytes bytes_;
  PointForm form_;
  std::size_t offset_ = 0;
  Result<void> result_;
};

// Whether beta and delta are to each other in G1 as they are in G2. (bellperson draws both groups' generators, so each
// alone cannot be compared.)
bool same_ratio(const BellpersonVk& vk) {
  const std::array<std::pair<G1, G2>, 2> pairs{{{-vk.beta1, vk.key.delta2}, {vk.delta1, vk.key.beta2}}};
  return pairing_product_is_one<Bls12_381>(pairs);
}

}  // namespace

Result<BellpersonVk> read_bellperson_vk(std::string_view file, Bytes bytes, PointForm form) {
  if (bytes.size() < fixed_bytes(form)) {
    return failure(ErrorCode::malformed, "bellperson_vk.length",
                   fmt::format("{}: {} bytes, a verifying key has at least {}", file, bytes.size(), fixed_bytes(form)));
  }
  BellpersonVk vk;
  PointReader reader(file, bytes, form);
  reader.read("alpha_g1", vk.key.alpha1);
  reader.read("beta_g1", vk.beta1);
  reader.read("beta_g2", vk.key.beta2);
  reader.read("gamma_g2", vk.key.gamma2);
  reader.read("delta_g1", vk.delta1);
  reader.read("delta_g2", vk.key.delta2);
  const std::uint64_t count = reader.read_count();
  if (count == 0) return failure(ErrorCode::malformed, "bellperson_vk.ic_count", fmt::format("{}: no ic points", file));
  const std::uint64_t expected = fixed_bytes(form) + count * bytes_of_point<G1>(form);
  if (bytes.size() != expected) {
    return failure(ErrorCode::malformed, "bellperson_vk.length",
                   fmt::format("{}: {} bytes, expected {} with {} ic points", file, bytes.size(), expected, count));
  }
  vk.key.ic.resize(count);
  for (G1& point : vk.key.ic) reader.read("ic", point);
  if (!reader.result()) return tl::unexpected(reader.result().error());
  if (!same_ratio(vk)) {
    return failure(ErrorCode::malformed, "bellperson_vk.pairing",
                   fmt::format("{}: beta and delta are to each other in G1 not as in G2", file));
  }
  return vk;
}

}  // namespace groth16::formats
