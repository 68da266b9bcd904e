#include "groth16/formats/bellperson_writer.hpp"

#include <algorithm>
#include <array>

#include "groth16/formats/uncompressed_point.hpp"

namespace groth16::formats {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

// Writes until the first failure, and keeps it.
class Writer {
 public:
  explicit Writer(ByteSink& sink) : sink_(sink) {}

  template <class Point>
  void point(const Point& point) {
    std::array<std::byte, kUncompressedPointBytes<Point>> bytes;
    write_uncompressed(point, bytes.data());
    write(bytes);
  }

  void count(std::uint64_t count) {
    std::array<std::byte, 4> bytes;
    for (unsigned i = 0; i < 4; ++i) bytes[i] = static_cast<std::byte>(count >> (24 - 8 * i));
    write(bytes);
  }

  template <class Point>
  void array(std::span<const Point> points) {
    const auto is_kept = [](const Point& point) { return !point.is_infinity(); };
    count(static_cast<std::uint64_t>(std::ranges::count_if(points, is_kept)));
    for (const Point& each : points) {
      if (is_kept(each)) point(each);
    }
  }

  const Result<void>& result() const { return result_; }

 private:
  void write(Bytes bytes) {
    if (result_) result_ = sink_.write(bytes);
  }

  ByteSink& sink_;
  Result<void> result_;
};

}  // namespace

BellpersonVk bellperson_vk(const ProvingKey<Bls12_381>& key) { return {verifying_key(key), key.beta1(), key.delta1()}; }

Result<void> write_bellperson_vk(ByteSink& sink, const BellpersonVk& vk) {
  Writer writer(sink);
  writer.point(vk.key.alpha1);
  writer.point(vk.beta1);
  writer.point(vk.key.beta2);
  writer.point(vk.key.gamma2);
  writer.point(vk.delta1);
  writer.point(vk.key.delta2);
  writer.array(std::span<const Bls12_381::G1>(vk.key.ic));
  return writer.result();
}

Result<void> write_bellperson_params(ByteSink& sink, const ProvingKey<Bls12_381>& key) {
  if (key.basis() != HBasis::monomial || key.root() != DomainRoot::seven) {
    return failure(ErrorCode::malformed, "bellperson_params.basis",
                   "bellperson's parameters hold H in the monomial basis of the root 7");
  }
  for (const auto points : {key.ic(), key.h(), key.l()}) {
    if (std::ranges::any_of(points, [](const Bls12_381::G1& point) { return point.is_infinity(); })) {
      return failure(ErrorCode::malformed, "bellperson_params.infinity",
                     "a point of ic, h or l is infinity: a variable of the circuit does not occur in it");
    }
  }
  const BellpersonVk vk = bellperson_vk(key);
  if ((key.warnings() & kKeyDevelopment) != 0 && (warnings_of(vk) & kKeyDevelopment) == 0) {
    return failure(ErrorCode::malformed, "bellperson_params.unmarked",
                   "a key for development whose gamma does not say that it is one");
  }
  if (Result<void> written = write_bellperson_vk(sink, vk); !written) return written;
  Writer writer(sink);
  writer.array(key.h());
  writer.array(key.l());
  writer.array(key.a());
  writer.array(key.b1());
  writer.array(key.b2());
  return writer.result();
}

}  // namespace groth16::formats
