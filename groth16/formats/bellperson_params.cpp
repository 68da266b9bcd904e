// Parsing bellperson's parameters, and spreading their points over the wires.
#include "groth16/formats/bellperson_params.hpp"

#include <fmt/format.h>

#include <atomic>
#include <bit>
#include <utility>

#include "groth16/algebra/pairing.hpp"
#include "groth16/formats/uncompressed_point.hpp"
#include "groth16/proof/wire_set.hpp"

namespace groth16::formats {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

using C = Bls12_381;
using G1 = C::G1;
using G2 = C::G2;

constexpr std::size_t kArrayCountBytes = 4;
constexpr std::size_t kGrain = 1024;  // points, or words of 64 wires

enum ArrayNumber : std::size_t { kH, kL, kA, kBg1, kBg2 };
constexpr std::array<const char*, 5> kNames{"h", "l", "a", "b_g1", "b_g2"};

constexpr std::uint64_t bytes_of_point(std::size_t array) {
  return array == kBg2 ? kUncompressedPointBytes<G2> : kUncompressedPointBytes<G1>;
}

// Reads points of one array from many threads, and keeps which of the bad ones comes first.
template <class Point>
class ArrayReader {
 public:
  ArrayReader(const std::byte* first, std::uint64_t count, PointCheck check)
      : first_(first), check_(check), count_(count), first_bad_(count) {}

  // False: the point is bad, and the caller may stop.
  bool read(std::uint64_t index, Point& out) {
    const auto point = read_uncompressed<Point>(at(index), check_);
    if (point) {
      out = *point;
      return true;
    }
    std::uint64_t known = first_bad_.load();
    while (index < known && !first_bad_.compare_exchange_weak(known, index)) {
    }
    return false;
  }

  // After all threads: the first bad point and what is wrong with it.
  std::optional<std::pair<std::uint64_t, PointFault>> fault() const {
    const std::uint64_t bad = first_bad_.load();
    if (bad == count_) return std::nullopt;
    return std::pair{bad, read_uncompressed<Point>(at(bad), check_).error()};
  }

 private:
  const std::byte* at(std::uint64_t index) const { return first_ + index * kUncompressedPointBytes<Point>; }

  const std::byte* first_;
  PointCheck check_;
  std::uint64_t count_;
  std::atomic<std::uint64_t> first_bad_;
};

// out[i] is point i.
template <class Point>
void read_all(ArrayReader<Point>& reader, std::span<Point> out, const Compute& compute) {
  compute.parallel_for(
      out.size(),
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          if (!reader.read(i, out[i])) return;
        }
      },
      kGrain);
}

// The points belong to the wires of the set, in order; out has a point for every wire, infinity for all others.
template <class Point>
void spread(ArrayReader<Point>& reader, const WireSet& wires, std::span<Point> out, const Compute& compute) {
  const std::span<const std::uint64_t> words = wires.words();
  compute.parallel_for(
      words.size(),
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t word = begin; word < end; ++word) {
          std::uint64_t index = wires.rank_of_word(word);
          const std::size_t n_wires = std::min<std::size_t>(64, out.size() - 64 * word);
          for (std::size_t i = 0; i < n_wires; ++i) {
            Point& point = out[64 * word + i];
            if (((words[word] >> i) & 1) == 0) {
              point = Point::infinity();
            } else if (!reader.read(index++, point)) {
              return;
            }
          }
        }
      },
      kGrain / 64);
}

}  // namespace

Result<BellpersonParams> BellpersonParams::parse(std::string file, Bytes bytes) {
  const Result<std::uint64_t> vk_bytes = bellperson_vk_bytes(file, bytes, PointForm::uncompressed);
  if (!vk_bytes) return tl::unexpected(vk_bytes.error());
  Result<BellpersonVk> vk = read_bellperson_vk(file, bytes.first(*vk_bytes), PointForm::uncompressed);
  if (!vk) return tl::unexpected(vk.error());

  BellpersonParams params(std::move(file), bytes, std::move(*vk));
  std::uint64_t at = *vk_bytes;
  for (std::size_t array = 0; array < kArrays; ++array) {
    const std::uint64_t left = bytes.size() - at;
    const std::uint64_t count = left < kArrayCountBytes ? 0 : load_u32_big_endian(bytes.data() + at);
    if (left < kArrayCountBytes || count * bytes_of_point(array) > left - kArrayCountBytes) {
      return failure(ErrorCode::malformed, "bellperson_params.length",
                     fmt::format("{}: array {} at offset {} says {} points of {} bytes, {} bytes are left",
                                 params.file_, kNames[array], at, count, bytes_of_point(array), left));
    }
    params.arrays_[array] = {at + kArrayCountBytes, count};
    at += kArrayCountBytes + count * bytes_of_point(array);
  }
  if (at == bytes.size()) return params;
  return failure(ErrorCode::malformed, "bellperson_params.trailing",
                 fmt::format("{}: {} bytes behind array b_g2, which ends at {}", params.file_, bytes.size() - at, at));
}

Result<void> BellpersonParams::refuse_insecure() const {
  const std::uint32_t warnings = this->warnings();
  if (warnings == 0) return {};
  const char* text = (warnings & kKeyForgeable) != 0
                         ? "anyone can forge proofs for this key: no contribution was made to delta"
                         : "the key was made for development by a program that knew its toxic values";
  return failure(ErrorCode::malformed, "bellperson_params.insecure", fmt::format("{}: {}", file_, text));
}

std::uint64_t BellpersonParams::key_bytes(const SystemSizes& sizes) {
  return key_header<C>({sizes, HBasis::monomial}, DomainRoot::seven).total_bytes;
}

Result<void> BellpersonParams::check_count(std::size_t array, std::uint64_t expected) const {
  if (arrays_[array].count == expected) return {};
  return failure(ErrorCode::mismatch, fmt::format("bellperson_params.{}_count", kNames[array]),
                 fmt::format("{}: array {} at offset {} has {} points, the circuit asks for {}", file_, kNames[array],
                             arrays_[array].offset, arrays_[array].count, expected));
}

Result<void> BellpersonParams::check_sizes(const SystemSizes& sizes) const {
  if (vk_.key.ic.size() != sizes.n_public + 1) {
    return failure(
        ErrorCode::mismatch, "bellperson_params.ic_count",
        fmt::format("{}: {} ic points, the circuit asks for {}", file_, vk_.key.ic.size(), sizes.n_public + 1));
  }
  return check_count(kH, sizes.domain_size() - 1).and_then([&] { return check_count(kL, sizes.n_private()); });
}

// Of the first or the last point of B: it is to delta in G1 as it is in G2.
Result<void> BellpersonParams::check_pairing(bool first) const {
  const std::uint64_t index = first ? 0 : arrays_[kBg1].count - 1;
  const auto in_g1 = read_uncompressed<G1>(bytes_.data() + arrays_[kBg1].offset + index * kUncompressedPointBytes<G1>,
                                           PointCheck::subgroup);
  const auto in_g2 = read_uncompressed<G2>(bytes_.data() + arrays_[kBg2].offset + index * kUncompressedPointBytes<G2>,
                                           PointCheck::subgroup);
  if (in_g1 && in_g2) {
    const std::array<std::pair<G1, G2>, 2> pairs{{{-*in_g1, vk_.key.delta2}, {vk_.delta1, *in_g2}}};
    if (pairing_product_is_one<C>(pairs)) return {};
  }
  return failure(ErrorCode::malformed, "bellperson_params.pairing",
                 fmt::format("{}: point {} of b_g1 and of b_g2 are not the same in both groups", file_, index));
}

Result<void> BellpersonParams::load_key(const ConstraintSystem<C>& system, std::span<std::byte> out,
                                        const ParamsLoadOptions& options, const Compute& compute) const {
  if (!options.allow_insecure) {
    if (Result<void> secure = refuse_insecure(); !secure) return secure;
  }
  const WireSet in_a = WireSet::of_matrix(system, MatrixId::a), in_b = WireSet::of_matrix(system, MatrixId::b);
  const Result<void> fits = check_sizes(system.sizes())
                                .and_then([&] { return check_count(kA, in_a.count()); })
                                .and_then([&] { return check_count(kBg1, in_b.count()); })
                                .and_then([&] { return check_count(kBg2, in_b.count()); });
  if (!fits) return fits;
  const auto sections = begin_key<C>(out, {system.sizes(), HBasis::monomial}, DomainRoot::seven);
  if (!sections) return tl::unexpected(sections.error());
  std::ranges::copy(std::array{vk_.key.alpha1, vk_.beta1, vk_.delta1}, sections->fixed_g1.begin());
  std::ranges::copy(std::array{vk_.key.beta2, vk_.key.gamma2, vk_.key.delta2}, sections->fixed_g2.begin());
  std::ranges::copy(vk_.key.ic, sections->ic.begin());

  const auto load = [&]<class Point>(std::size_t array, std::span<Point> points, const WireSet* wires) -> Result<void> {
    ArrayReader<Point> reader(bytes_.data() + arrays_[array].offset, arrays_[array].count, options.check);
    if (wires == nullptr) {
      read_all(reader, points, compute);
    } else {
      spread(reader, *wires, points, compute);
    }
    if (compute.cancelled()) return failure(ErrorCode::cancelled, "cancelled", file_ + ": loading was cancelled");
    const auto fault = reader.fault();
    if (!fault) return {};
    const std::uint64_t offset = arrays_[array].offset + fault->first * bytes_of_point(array);
    return failure(ErrorCode::malformed, fmt::format("bellperson_params.{}", fault->second.rule),
                   fmt::format("{}: point {} of {} at offset {} {}", file_, fault->first, kNames[array], offset,
                               fault->second.text));
  };
  return load(kH, sections->h, nullptr)
      .and_then([&] { return load(kL, sections->l, nullptr); })
      .and_then([&] { return load(kA, sections->a, &in_a); })
      .and_then([&] { return load(kBg1, sections->b1, &in_b); })
      .and_then([&] { return load(kBg2, sections->b2, &in_b); })
      .and_then([&] { return in_b.count() == 0 ? Result<void>() : check_pairing(true); })
      .and_then([&] { return in_b.count() == 0 ? Result<void>() : check_pairing(false); })
      .and_then([&] { return finish_key<C>(out, options.file_digest, warnings()); });
}

}  // namespace groth16::formats
