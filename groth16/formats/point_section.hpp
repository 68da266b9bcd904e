// Loading an array of points from a section: every coordinate below its prime, every point on its curve, and in its
// subgroup where that is asked for. Shared by the readers of .zkey and .ptau.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "common/error.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/algebra/point_check.hpp"
#include "groth16/formats/encoding.hpp"

namespace groth16::formats {

enum class PointCheck { on_curve, subgroup };

// The curve's b for a point type.
template <class C, class Point>
const typename Point::Field& curve_b() {
  if constexpr (std::is_same_v<Point, typename C::G1>) {
    return C::b_g1();
  } else {
    return C::b_g2();
  }
}

// Loads one point. Returns the rule that it breaks ("coordinate", "not_on_curve", "not_in_subgroup"), or an empty text.
template <class C, class Point>
std::string_view load_checked(const std::byte* at, Point& out, PointCheck check) {
  if (!load_point(at, out)) return "coordinate";
  if (!on_curve(out, curve_b<C, Point>())) return "not_on_curve";
  if (check == PointCheck::subgroup && !C::in_subgroup(out)) return "not_in_subgroup";
  return {};
}

// The place of the first point that breaks a rule; points.size() where none does.
template <class C, class Point>
std::size_t first_unsound(std::span<const Point> points, PointCheck check) {
  const std::size_t on_curve = first_off_curve(points, curve_b<C, Point>());
  if (check != PointCheck::subgroup) return on_curve;
  for (std::size_t i = 0; i < on_curve; ++i) {
    if (!C::in_subgroup(points[i])) return i;
  }
  return on_curve;
}

// What a broken rule means, for error texts.
constexpr std::string_view rule_text(std::string_view rule) {
  if (rule == "coordinate") return "has a coordinate that is not below the prime q";
  if (rule == "not_on_curve") return "is not on the curve";
  if (rule == "not_in_subgroup") return "is not in the subgroup of order r";
  return "is at infinity";
}

// Fills a span with the bytes of the file from an offset on.
using ReadAt = std::function<groth16d::Result<void>(std::uint64_t, std::span<std::byte>)>;

// An array of points that is being loaded, block by block on several threads.
template <class C, class Point>
class PointArray {
 public:
  // payload: the points as the section holds them, from this offset of the file on.
  PointArray(Bytes payload, std::uint64_t offset, std::span<Point> out, PointCheck check, const ReadAt& read_at)
      : payload_(payload), offset_(offset), out_(out), check_(check), read_at_(read_at), first_bad_(out.size()) {}

  // Fills and checks these points; ends at one that is none.
  void load(std::size_t begin, std::size_t end) {
    constexpr std::size_t kBlock = 512;  // stays in the cache between filling and checking
    for (; begin < end; begin += kBlock) {
      const std::span<Point> block = out_.subspan(begin, std::min(kBlock, end - begin));
      if (!fill(begin, block)) return;
      const std::size_t good = first_unsound<C, Point>(block, check_);
      if (good == block.size()) continue;
      std::size_t known = first_bad_.load();
      while (begin + good < known && !first_bad_.compare_exchange_weak(known, begin + good)) {
      }
      return;
    }
  }

  // After all threads have ended: an error of reading, and the first that is no point (out.size() for none).
  const groth16d::Result<void>& reading() const { return reading_; }
  std::size_t first_bad() const { return first_bad_.load(); }

 private:
  bool fill(std::size_t begin, std::span<Point> block) {
    const std::uint64_t at = begin * kPointBytes<Point>;
    if (read_at_) {
      groth16d::Result<void> read = read_at_(offset_ + at, std::as_writable_bytes(block));
      if (read) return true;
      const std::lock_guard lock(mutex_);
      reading_ = std::move(read);
      return false;
    }
    // One by one: some processors copy a long run between addresses of other alignment a byte at a time.
    for (std::size_t i = 0; i < block.size(); ++i) {
      std::memcpy(static_cast<void*>(&block[i]), payload_.data() + at + i * kPointBytes<Point>, kPointBytes<Point>);
    }
    return true;
  }

  Bytes payload_;
  std::uint64_t offset_;
  std::span<Point> out_;
  PointCheck check_;
  const ReadAt& read_at_;
  std::atomic<std::size_t> first_bad_;
  std::mutex mutex_;
  groth16d::Result<void> reading_;  // guarded by mutex_
};

// Loads out.size() points that start `skip` points into the section, whose length the caller has checked, in parallel;
// by read_at where it is given, else from the bytes. name: what the section holds, for errors, which name the first bad
// point. Errors: <f>.coordinate, <f>.not_on_curve, <f>.not_in_subgroup; those of read_at; cancelled.
template <class C, class Point>
groth16d::Result<void> load_points(const Container& container, const Section& section, std::uint64_t skip,
                                   std::string_view name, std::span<Point> out, PointCheck check,
                                   const Compute& compute, const ReadAt& read_at = {}) {
  constexpr std::size_t kGrain = 256;
  const std::uint64_t skipped = skip * kPointBytes<Point>;
  PointArray<C, Point> array(section.payload.subspan(skipped), section.offset + skipped, out, check, read_at);
  compute.parallel_for(
      out.size(), [&](std::size_t begin, std::size_t end) { array.load(begin, end); }, kGrain);
  if (compute.cancelled()) {
    return groth16d::failure(groth16d::ErrorCode::cancelled, "cancelled", container.file() + ": loading was cancelled");
  }
  if (!array.reading()) return array.reading();
  const std::size_t bad = array.first_bad();
  if (bad == out.size()) return {};
  Point point;
  const std::string_view rule = load_checked<C>(point_bytes(out[bad]).data(), point, check);
  return container.fail(section, section.offset + skipped + bad * kPointBytes<Point>, rule,
                        fmt::format("point {} of {} {}", skip + bad, name, rule_text(rule)));
}

}  // namespace groth16::formats
