#include "cuda/msm_plan.hpp"

#include <algorithm>
#include <limits>

namespace groth16::device {

namespace {

constexpr unsigned kLargestWindow = 24;
// A bucket costs two additions of XYZZ points, each 1.4 times the price of adding an affine point.
constexpr double kAdditionsPerBucket = 2.8;

}  // namespace

MsmPlan plan_msm_with_window(std::size_t points, unsigned scalar_bits, unsigned window_bits, unsigned max_tables,
                             std::size_t max_pairs) {
  constexpr std::size_t kMostIndices = std::size_t{1} << 31;
  MsmPlan plan;
  plan.points = points;
  plan.window_bits = window_bits;
  plan.windows = (scalar_bits + window_bits - 1) / window_bits;  // folding takes a bit, the last carry needs one
  const std::size_t most = points == 0 ? 1 : std::max<std::size_t>(1, (kMostIndices - 1) / points);
  plan.tables = static_cast<unsigned>(std::min<std::size_t>({std::max(1u, max_tables), plan.windows, most}));
  plan.sets = (plan.windows + plan.tables - 1) / plan.tables;
  plan.tables = (plan.windows + plan.sets - 1) / plan.sets;  // no table that no window uses
  const std::size_t pairs_of_set = std::max<std::size_t>(1, plan.tables * points);
  plan.sets_at_once = static_cast<unsigned>(std::clamp<std::size_t>(max_pairs / pairs_of_set, 1, plan.sets));
  return plan;
}

MsmPlan plan_msm(std::size_t points, unsigned scalar_bits, unsigned max_tables, std::size_t max_pairs) {
  MsmPlan best;
  double least = std::numeric_limits<double>::max();
  for (unsigned bits = 2; bits <= kLargestWindow; ++bits) {
    const MsmPlan plan = plan_msm_with_window(points, scalar_bits, bits, max_tables, max_pairs);
    const double cost =
        static_cast<double>(points) * plan.windows + kAdditionsPerBucket * static_cast<double>(plan.buckets());
    if (cost < least) {
      least = cost;
      best = plan;
    }
  }
  return best;
}

}  // namespace groth16::device
