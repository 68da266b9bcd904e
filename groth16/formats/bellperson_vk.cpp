#include "groth16/formats/bellperson_vk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "groth16/algebra/pairing.hpp"
#include "groth16/formats/uncompressed_point.hpp"

namespace groth16::formats {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

using G1 = Bls12_381::G1;
using G2 = Bls12_381::G2;

constexpr std::size_t kIcCountBytes = 4;

template <class Point>
std::size_t bytes_of_point(PointForm form) {
  return kCompressedPointBytes<Point> * (form == PointForm::compressed ? 1 : 2);
}

std::size_t fixed_bytes(PointForm form) {
  return 3 * bytes_of_point<G1>(form) + 3 * bytes_of_point<G2>(form) + kIcCountBytes;
}

// Reads point after point and keeps the first fault. The caller has checked that the bytes are there.
class PointReader {
 public:
  PointReader(std::string_view file, Bytes bytes, PointForm form) : file_(file), bytes_(bytes), form_(form) {}

  template <class Point>
  void read(std::string_view name, Point& point) {
    const std::byte* from = bytes_.data() + offset_;
    auto read = form_ == PointForm::compressed ? decompress_point<Bls12_381, Point>(from)
                                               : read_uncompressed<Point>(from, PointCheck::subgroup);
    if (read && read->is_infinity()) read = tl::unexpected<PointFault>(PointFault{"infinity", "is infinity"});
    if (read) point = *read;
    if (!read && result_) {
      result_ = failure(ErrorCode::malformed, fmt::format("bellperson_vk.{}", read.error().rule),
                        fmt::format("{}: point {} at offset {} {}", file_, name, offset_, read.error().text));
    }
    offset_ += bytes_of_point<Point>(form_);
  }

  void skip_count() { offset_ += kIcCountBytes; }

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

const Bls12_381::Fr& development_gamma() {
  static const auto gamma = [] {
    const auto digest = groth16d::sha256("groth16d: a key for development");
    return Bls12_381::Fr::from_uint(Bls12_381::Scalar::from_le_bytes(std::as_bytes(std::span(digest))));
  }();
  return gamma;
}

std::uint32_t warnings_of(const BellpersonVk& vk) {
  static const G2 development_gamma2 = times(Bls12_381::generator_g2(), development_gamma().to_uint()).to_affine();
  return (is_forgeable(vk.key) ? kKeyForgeable : 0) | (vk.key.gamma2 == development_gamma2 ? kKeyDevelopment : 0);
}

Result<std::uint64_t> bellperson_vk_bytes(std::string_view file, Bytes bytes, PointForm form) {
  if (bytes.size() < fixed_bytes(form)) {
    return failure(ErrorCode::malformed, "bellperson_vk.length",
                   fmt::format("{}: {} bytes, a verifying key has at least {}", file, bytes.size(), fixed_bytes(form)));
  }
  const std::uint64_t count = load_u32_big_endian(bytes.data() + fixed_bytes(form) - kIcCountBytes);
  if (count == 0) return failure(ErrorCode::malformed, "bellperson_vk.ic_count", fmt::format("{}: no ic points", file));
  const std::uint64_t expected = fixed_bytes(form) + count * bytes_of_point<G1>(form);
  if (bytes.size() < expected) {
    return failure(ErrorCode::malformed, "bellperson_vk.length",
                   fmt::format("{}: {} bytes, expected {} with {} ic points", file, bytes.size(), expected, count));
  }
  return expected;
}

Result<BellpersonVk> read_bellperson_vk(std::string_view file, Bytes bytes, PointForm form) {
  const Result<std::uint64_t> expected = bellperson_vk_bytes(file, bytes, form);
  if (!expected) return tl::unexpected(expected.error());
  if (bytes.size() != *expected) {
    return failure(ErrorCode::malformed, "bellperson_vk.length",
                   fmt::format("{}: {} bytes, expected {}", file, bytes.size(), *expected));
  }
  BellpersonVk vk;
  PointReader reader(file, bytes, form);
  reader.read("alpha_g1", vk.key.alpha1);
  reader.read("beta_g1", vk.beta1);
  reader.read("beta_g2", vk.key.beta2);
  reader.read("gamma_g2", vk.key.gamma2);
  reader.read("delta_g1", vk.delta1);
  reader.read("delta_g2", vk.key.delta2);
  reader.skip_count();
  vk.key.ic.resize((*expected - fixed_bytes(form)) / bytes_of_point<G1>(form));
  for (G1& point : vk.key.ic) reader.read("ic", point);
  if (!reader.result()) return tl::unexpected(reader.result().error());
  if (!same_ratio(vk)) {
    return failure(ErrorCode::malformed, "bellperson_vk.pairing",
                   fmt::format("{}: beta and delta are to each other in G1 not as in G2", file));
  }
  return vk;
}

}  // namespace groth16::formats
