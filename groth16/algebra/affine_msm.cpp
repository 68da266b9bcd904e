// Sorting of scalars, sorting of points by digit, and the sums of both; tasks are windows times pieces of the points.
#include "groth16/algebra/affine_msm.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <vector>

#include "groth16/algebra/booth.hpp"
#include "groth16/algebra/run_sums.hpp"

namespace groth16 {

namespace {

constexpr std::size_t kBlock = 4096;                            // scalars that one sorting task looks at
constexpr std::size_t kMaxPoints = std::size_t{1} << 30;        // indices with a sign have 32 bits
constexpr std::size_t kMaxPointsOfTask = std::size_t{1} << 20;  // bounds what a thread holds
constexpr std::size_t kMinPointsOfTask = 512;
constexpr unsigned kMinWindowBits = 3, kMaxWindowBits = 16;
constexpr std::size_t kMaxLayersBytes = std::size_t{8} << 20;  // buckets of a window and their sums by halves
constexpr std::size_t kSelectedOfTask = std::size_t{1} << 15;

// The points that windows must look at, those whose scalar is one, and the bitwise or of all other scalars.
struct Sorted {
  std::vector<std::uint32_t> others;
  std::vector<SignedIndex> ones;
  UInt<4> any_bits{};
};

template <class F>
Sorted sort_range(std::span<const Affine<F>> points, std::span<const UInt<4>> scalars, std::size_t begin,
                  std::size_t end) {
  Sorted sorted;
  for (std::size_t i = begin; i < end; ++i) {
    const UInt<4>& scalar = scalars[i];
    if (scalar.is_zero() || points[i].is_infinity()) continue;
    if (scalar == UInt<4>::from_u64(1)) {
      sorted.ones.push_back(SignedIndex::of(i, false));
      continue;
    }
    sorted.others.push_back(static_cast<std::uint32_t>(i));
    for (std::size_t j = 0; j < 4; ++j) sorted.any_bits.limb[j] |= scalar.limb[j];
  }
  return sorted;
}

template <class F>
Sorted sort_scalars(std::span<const Affine<F>> points, std::span<const UInt<4>> scalars, const Compute& compute) {
  std::vector<Sorted> parts((points.size() + kBlock - 1) / kBlock);
  compute.parallel_for(parts.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t part = first; part < last && !compute.cancelled(); ++part) {
      parts[part] = sort_range(points, scalars, part * kBlock, std::min(points.size(), (part + 1) * kBlock));
    }
  });
  std::size_t others = 0, ones = 0;
  for (const Sorted& part : parts) {
    others += part.others.size();
    ones += part.ones.size();
  }
  Sorted all;
  all.others.reserve(others);
  all.ones.reserve(ones);
  for (Sorted& part : parts) {
    all.others.insert(all.others.end(), part.others.begin(), part.others.end());
    all.ones.insert(all.ones.end(), part.ones.begin(), part.ones.end());
    for (std::size_t j = 0; j < 4; ++j) all.any_bits.limb[j] |= part.any_bits.limb[j];
    part = {};
  }
  return all;
}

// Windows and the number of pieces that points are cut into, with the least time of the thread that has most to do.
struct Plan {
  BoothWindows windows;
  std::size_t pieces;
};

// In additions: a window adds each point once and each bucket twice; a task costs some rounds of few pairs; and each
// bit of each task is added in the end by one thread with formulas that cost 12 times as much.
Plan choose_plan(std::size_t points, std::size_t point_bytes, std::size_t scalar_bits, unsigned threads) {
  const std::size_t most = std::clamp<std::size_t>(points / kMinPointsOfTask, 1, 4 * std::size_t{threads});
  const std::size_t least = (points + kMaxPointsOfTask - 1) / kMaxPointsOfTask;
  Plan best{BoothWindows(kMinWindowBits, scalar_bits), least};
  double best_cost = 0;
  for (unsigned bits = kMinWindowBits; bits <= kMaxWindowBits; ++bits) {
    const BoothWindows windows(bits, scalar_bits);
    if (2 * windows.buckets() * point_bytes > kMaxLayersBytes) break;
    for (std::size_t pieces = least; pieces <= std::max(least, most); ++pieces) {
      const std::size_t tasks = windows.count() * pieces;
      const double rounds = static_cast<double>((tasks + threads - 1) / threads);
      const double of_task = static_cast<double>(points) / static_cast<double>(pieces) +
                             2.0 * static_cast<double>(windows.buckets()) + 100.0 * bits;
      const double cost = rounds * of_task + 12.0 * static_cast<double>(tasks * bits);
      if (best_cost == 0 || cost < best_cost) {
        best_cost = cost;
        best = {windows, pieces};
      }
    }
  }
  return best;
}

// Windows over pieces of the points, one after the other; the memory is used again.
template <class F>
class WindowSum {
 public:
  WindowSum(std::span<const Affine<F>> points, std::span<const UInt<4>> scalars, const BoothWindows& windows,
            CpuLevel level, const Compute& compute)
      : points_(points), scalars_(scalars), windows_(windows), runs_(level, compute) {}

  // sums[l] is the sum of the points with these indices whose digit's absolute value has bit l, subtracted where the
  // digit is negative.
  void bit_sums(std::span<const std::uint32_t> indices, std::size_t window, std::span<Affine<F>> sums) {
    std::fill(sums.begin(), sums.end(), Affine<F>::infinity());
    sort_by_digit(indices, window);
    const std::size_t used = ends_.size();  // the largest digit
    if (used == 0) return;
    std::size_t size = std::bit_ceil(used);
    layers_.assign(2 * size, Affine<F>::infinity());
    runs_.sum(points_.data(), entries_, ends_, layers_.data());

    entries_.clear();
    ends_.clear();
    for (Affine<F>* layer = layers_.data();; layer += size, size /= 2) {
      if (size > 1) halve(layer, size);
      for (std::size_t i = 0; i < size; i += 2) {
        if (layer[i].is_infinity()) continue;
        entries_.push_back(SignedIndex::of(static_cast<std::size_t>(layer - layers_.data()) + i, false));
      }
      ends_.push_back(static_cast<std::uint32_t>(entries_.size()));
      if (size == 1) break;
    }
    runs_.sum(layers_.data(), entries_, ends_, sums.data());
  }

 private:
  // entries_: all points by the absolute value of their digit, from 1; ends_[d - 1] is where those of d end.
  void sort_by_digit(std::span<const std::uint32_t> indices, std::size_t window) {
    ends_.assign(windows_.buckets() + 1, 0);
    for (const std::uint32_t index : indices) ++ends_[magnitude(windows_.digit(scalars_[index], window))];
    while (ends_.size() > 1 && ends_.back() == 0) ends_.pop_back();
    ends_[0] = 0;
    std::uint32_t total = 0;
    for (auto& end : ends_) {
      const std::uint32_t count = end;
      end = total;  // where the bucket begins, and, once it is full, ends
      total += count;
    }
    entries_.resize(total);
    for (const std::uint32_t index : indices) {
      const std::int32_t digit = windows_.digit(scalars_[index], window);
      if (digit != 0) entries_[ends_[magnitude(digit)]++] = SignedIndex::of(index, digit < 0);
    }
    ends_.erase(ends_.begin());
  }
  static std::size_t magnitude(std::int32_t digit) { return static_cast<std::size_t>(digit < 0 ? -digit : digit); }

  // The next layer, behind this one: element j (from 1) is the sum of this one's 2j and 2j + 1; there is no size + 1.
  void halve(Affine<F>* layer, std::size_t size) {
    Affine<F>* const next = layer + size;
    for (std::size_t j = 0; j + 1 < size / 2; ++j) runs_.add(layer[2 * j + 1], layer[2 * j + 2], next[j]);
    next[size / 2 - 1] = layer[size - 1];
    runs_.flush();
  }

  std::span<const Affine<F>> points_;
  std::span<const UInt<4>> scalars_;
  const BoothWindows& windows_;
  RunSums<F> runs_;
  std::vector<SignedIndex> entries_;
  std::vector<std::uint32_t> ends_;
  std::vector<Affine<F>> layers_;
};

template <class F>
Jacobian<F> sum_of_windows(std::span<const Affine<F>> points, std::span<const UInt<4>> scalars, const Sorted& sorted,
                           const Compute& compute, CpuLevel level) {
  const std::span<const std::uint32_t> others = sorted.others;
  const auto [windows, pieces] =
      choose_plan(others.size(), sizeof(Affine<F>), sorted.any_bits.bit_length(), compute.threads());
  const std::size_t bits = windows.bits();
  std::vector<Affine<F>> sums(windows.count() * pieces * bits, Affine<F>::infinity());
  // One range a thread, so that what a thread allocates serves all of its tasks.
  const std::size_t tasks = windows.count() * pieces;
  std::atomic<std::size_t> next_task{0};
  compute.parallel_for(compute.threads(), [&, windows = windows, pieces = pieces](std::size_t, std::size_t) {
    WindowSum<F> window_sum(points, scalars, windows, level, compute);
    for (std::size_t task = next_task++; task < tasks && !compute.cancelled(); task = next_task++) {
      const std::size_t window = task / pieces, piece = task % pieces;
      const std::size_t begin = others.size() * piece / pieces, end = others.size() * (piece + 1) / pieces;
      window_sum.bit_sums(others.subspan(begin, end - begin), window, std::span(sums).subspan(task * bits, bits));
    }
  });

  auto total = Jacobian<F>::infinity();
  for (std::size_t window = windows.count(); window-- > 0;) {
    for (std::size_t bit = bits; bit-- > 0;) {
      total = total.doubled();
      for (std::size_t piece = 0; piece < pieces; ++piece) {
        total += canonical(sums[(window * pieces + piece) * bits + bit]);
      }
    }
  }
  return total;
}

// The sums of tasks, few.
template <class F>
Jacobian<F> sum_of(std::span<const Affine<F>> sums) {
  auto total = Jacobian<F>::infinity();
  for (const auto& sum : sums) total += canonical(sum);
  return total;
}

template <class F>
Jacobian<F> sum_of_entries(std::span<const Affine<F>> points, std::span<const SignedIndex> entries,
                           const Compute& compute, CpuLevel level) {
  std::vector<Affine<F>> sums((entries.size() + kSelectedOfTask - 1) / kSelectedOfTask, Affine<F>::infinity());
  compute.parallel_for(sums.size(), [&](std::size_t first, std::size_t last) {
    RunSums<F> runs(level, compute);
    for (std::size_t task = first; task < last && !compute.cancelled(); ++task) {
      const std::size_t begin = task * kSelectedOfTask;
      const auto part = entries.subspan(begin, std::min(kSelectedOfTask, entries.size() - begin));
      const std::uint32_t ends[] = {static_cast<std::uint32_t>(part.size())};
      runs.sum(points.data(), part, ends, &sums[task]);
    }
  });
  return sum_of<F>(sums);
}

}  // namespace

template <class F>
Jacobian<F> affine_msm(std::span<const Affine<F>> points, std::span<const UInt<4>> scalars, const Compute& compute,
                       CpuLevel level) {
  auto total = Jacobian<F>::infinity();
  for (std::size_t first = 0; first < points.size() && !compute.cancelled(); first += kMaxPoints) {
    const std::size_t count = std::min(kMaxPoints, points.size() - first);
    const auto block_points = points.subspan(first, count);
    const auto block_scalars = scalars.subspan(first, count);
    const Sorted sorted = sort_scalars(block_points, block_scalars, compute);
    if (!sorted.others.empty()) total += sum_of_windows(block_points, block_scalars, sorted, compute, level);
    total += sum_of_entries<F>(block_points, sorted.ones, compute, level);
  }
  return total;
}

template <class F>
Jacobian<F> affine_sum_selected(std::span<const Affine<F>> points, std::span<const std::uint64_t> bits,
                                const Compute& compute, CpuLevel level) {
  // A task's points are collected by itself, so that no list of all of them is needed.
  std::vector<Affine<F>> sums((points.size() + kSelectedOfTask - 1) / kSelectedOfTask, Affine<F>::infinity());
  compute.parallel_for(sums.size(), [&](std::size_t first, std::size_t last) {
    RunSums<F> runs(level, compute);
    std::vector<SignedIndex> entries;
    for (std::size_t task = first; task < last && !compute.cancelled(); ++task) {
      const auto part = points.subspan(task * kSelectedOfTask);
      const std::size_t count = std::min(kSelectedOfTask, part.size());
      const std::uint64_t* const words = &bits[task * kSelectedOfTask / 64];
      entries.clear();
      for (std::size_t word = 0; 64 * word < count; ++word) {
        for (std::uint64_t rest = words[word]; rest != 0; rest &= rest - 1) {
          const std::size_t index = 64 * word + static_cast<std::size_t>(std::countr_zero(rest));
          if (index < count && !part[index].is_infinity()) entries.push_back(SignedIndex::of(index, false));
        }
      }
      const std::uint32_t ends[] = {static_cast<std::uint32_t>(entries.size())};
      runs.sum(part.data(), entries, ends, &sums[task]);
    }
  });
  return sum_of<F>(sums);
}

#define GROTH16_DEFINE_AFFINE_MSM(F)                                                                                   \
  template Jacobian<F> affine_msm(std::span<const Affine<F>>, std::span<const UInt<4>>, const Compute&, CpuLevel);     \
  template Jacobian<F> affine_sum_selected(std::span<const Affine<F>>, std::span<const std::uint64_t>, const Compute&, \
                                           CpuLevel);
GROTH16_FOR_EACH_POINT_FIELD(GROTH16_DEFINE_AFFINE_MSM)

}  // namespace groth16
