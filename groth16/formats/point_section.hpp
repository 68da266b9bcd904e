// Loading an array of points from a section: every coordinate below its prime, every point on its curve, and in its
// subgroup where that is asked for. Shared by the readers of .zkey and .ptau.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
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

// Loads out.size() points that start `skip` points into the section, whose length the caller has checked, in parallel.
// name: what the section holds, for errors, which name the first bad point. Errors: <f>.coordinate, <f>.not_on_curve,
// <f>.not_in_subgroup; cancelled.
template <class C, class Point>
groth16d::Result<void> load_points(const Container& container, const Section& section, std::uint64_t skip,
                                   std::string_view name, std::span<Point> out, PointCheck check,
                                   const Compute& compute) {
  constexpr std::size_t kBlock = 256;  // stays in the cache between copy and check
  const std::byte* const first = section.payload.data() + skip * kPointBytes<Point>;
  std::atomic<std::size_t> first_bad{out.size()};
  const auto load_block = [&](std::size_t begin, std::size_t end) {
    const std::span<Point> block = out.subspan(begin, end - begin);
    // One by one: some processors copy a long run between addresses of other alignment a byte at a time.
    for (std::size_t i = 0; i < block.size(); ++i) {
      std::memcpy(static_cast<void*>(&block[i]), first + (begin + i) * kPointBytes<Point>, kPointBytes<Point>);
    }
    const std::size_t good = first_unsound<C, Point>(block, check);
    if (good == block.size()) return true;
    std::size_t known = first_bad.load();
    while (begin + good < known && !first_bad.compare_exchange_weak(known, begin + good)) {
    }
    return false;
  };
  compute.parallel_for(
      out.size(),
      [&](std::size_t begin, std::size_t end) {
        for (; begin < end; begin += kBlock) {
          if (!load_block(begin, std::min(end, begin + kBlock))) return;
        }
      },
      kBlock);
  if (compute.cancelled()) {
    return groth16d::failure(groth16d::ErrorCode::cancelled, "cancelled", container.file() + ": loading was cancelled");
  }
  const std::size_t bad = first_bad.load();
  if (bad == out.size()) return {};
  const std::string_view rule = load_checked<C>(first + bad * kPointBytes<Point>, out[bad], check);
  return container.fail(section, section.offset + (skip + bad) * kPointBytes<Point>, rule,
                        fmt::format("point {} of {} {}", skip + bad, name, rule_text(rule)));
}

}  // namespace groth16::formats
