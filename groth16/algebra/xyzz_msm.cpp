// The bucket method: sort the scalars into zeros, ones and others; cut the others into signed digits; add points into
// one bucket a digit; sum the buckets. Tasks are windows times chunks of points, so that few windows still feed many
// threads.
#include "groth16/algebra/xyzz_msm.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

#include "groth16/algebra/booth.hpp"

namespace groth16 {

namespace {

// Points between two looks at the cancel flag: under a millisecond in the slowest group.
constexpr std::size_t kBlock = 1024;
constexpr unsigned kMaxWindowBits = 16;  // 2^15 buckets of at most 384 bytes stay in a second-level cache's reach

// The scalars that windows must look at, in order, and the sum of the points whose scalar is one.
template <class F>
struct Sorted {
  std::vector<std::uint64_t> others;  // indices
  Xyzz<F> ones = Xyzz<F>::infinity();
  UInt<4> any_bits{};  // the bitwise or of all scalars in others
};

template <class F>
Sorted<F> sort_range(std::span<const Affine<F>> points, std::span<const UInt<4>> scalars, std::size_t begin,
                     std::size_t end) {
  Sorted<F> sorted;
  for (std::size_t i = begin; i < end; ++i) {
    const UInt<4>& scalar = scalars[i];
    const bool is_small = (scalar.limb[1] | scalar.limb[2] | scalar.limb[3]) == 0 && scalar.limb[0] <= 1;
    if (is_small) {
      if (scalar.limb[0] == 1) sorted.ones += points[i];
      continue;
    }
    sorted.others.push_back(i);
    for (std::size_t j = 0; j < 4; ++j) sorted.any_bits.limb[j] |= scalar.limb[j];
  }
  return sorted;
}

template <class F>
Sorted<F> sort_scalars(std::span<const Affine<F>> points, std::span<const UInt<4>> scalars, const Compute& compute) {
  std::vector<Sorted<F>> parts((points.size() + kBlock - 1) / kBlock);
  compute.parallel_for(parts.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t part = first; part < last && !compute.cancelled(); ++part) {
      parts[part] = sort_range(points, scalars, part * kBlock, std::min(points.size(), (part + 1) * kBlock));
    }
  });
  std::size_t count = 0;
  for (const auto& part : parts) count += part.others.size();
  Sorted<F> all;
  all.others.reserve(count);
  for (const auto& part : parts) {
    all.others.insert(all.others.end(), part.others.begin(), part.others.end());
    all.ones += part.ones;
    for (std::size_t j = 0; j < 4; ++j) all.any_bits.limb[j] |= part.any_bits.limb[j];
  }
  return all;
}

// The window width with the least additions for one thread's share: each window adds every point once and each bucket
// twice, the latter with the dearer formula (14 against 10 products).
BoothWindows choose_windows(std::size_t points, std::size_t scalar_bits) {
  unsigned best_bits = 1;
  double best_cost = 0;
  for (unsigned bits = 1; bits <= kMaxWindowBits; ++bits) {
    const double windows = static_cast<double>(scalar_bits / bits + 1);
    const double buckets = static_cast<double>(std::size_t{1} << (bits - 1));
    const double cost = windows * (static_cast<double>(points) + 2.8 * buckets + bits);
    if (bits == 1 || cost < best_cost) {
      best_bits = bits;
      best_cost = cost;
    }
  }
  return BoothWindows(best_bits, scalar_bits);
}

// The sum of k * bucket[k-1], by a running sum from the top.
template <class F>
Xyzz<F> sum_buckets(std::span<const Xyzz<F>> buckets) {
  Xyzz<F> running = Xyzz<F>::infinity(), total = Xyzz<F>::infinity();
  for (std::size_t i = buckets.size(); i-- > 0;) {
    running += buckets[i];
    total += running;
  }
  return total;
}

template <class F>
Xyzz<F> sum_window(std::span<const Affine<F>> points, std::span<const UInt<4>> scalars,
                   std::span<const std::uint64_t> indices, const BoothWindows& windows, std::size_t window,
                   const Compute& compute) {
  std::vector<Xyzz<F>> buckets(windows.buckets(), Xyzz<F>::infinity());
  for (std::size_t first = 0; first < indices.size(); first += kBlock) {
    if (compute.cancelled()) return Xyzz<F>::infinity();
    for (const std::uint64_t index : indices.subspan(first, std::min(kBlock, indices.size() - first))) {
      const std::int32_t digit = windows.digit(scalars[index], window);
      if (digit > 0) buckets[static_cast<std::size_t>(digit) - 1] += points[index];
      if (digit < 0) buckets[static_cast<std::size_t>(-digit) - 1] += -points[index];
    }
    compute.beat();
  }
  return sum_buckets<F>(buckets);
}

// The number of pieces that the points are cut into, so that windows times pieces keep all threads busy to the end.
std::size_t choose_chunks(std::size_t windows, std::size_t points, unsigned threads) {
  const std::size_t wanted = threads == 1 ? 1 : (2 * std::size_t{threads} + windows - 1) / windows;
  return std::clamp<std::size_t>(wanted, 1, points / kBlock + 1);
}

}  // namespace

template <class F>
Jacobian<F> xyzz_msm(std::span<const Affine<F>> points, std::span<const UInt<4>> scalars, const Compute& compute) {
  const Sorted<F> sorted = sort_scalars(points, scalars, compute);
  const std::span<const std::uint64_t> others = sorted.others;
  if (others.empty()) return sorted.ones.to_jacobian();

  const std::size_t scalar_bits = sorted.any_bits.bit_length();
  const std::size_t chunks =
      choose_chunks(choose_windows(others.size(), scalar_bits).count(), others.size(), compute.threads());
  const BoothWindows windows = choose_windows(others.size() / chunks, scalar_bits);
  std::vector<Xyzz<F>> sums(windows.count() * chunks);
  compute.parallel_for(sums.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t task = first; task < last; ++task) {
      const std::size_t window = task / chunks, chunk = task % chunks;
      const std::size_t begin = others.size() * chunk / chunks, end = others.size() * (chunk + 1) / chunks;
      sums[task] = sum_window(points, scalars, others.subspan(begin, end - begin), windows, window, compute);
    }
  });

  Xyzz<F> total = Xyzz<F>::infinity();
  for (std::size_t window = windows.count(); window-- > 0;) {
    for (unsigned i = 0; i < windows.bits(); ++i) total = total.doubled();
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) total += sums[window * chunks + chunk];
  }
  total += sorted.ones;
  return total.to_jacobian();
}

template <class F>
Jacobian<F> xyzz_sum_selected(std::span<const Affine<F>> points, std::span<const std::uint64_t> bits,
                              const Compute& compute) {
  constexpr std::size_t kWords = kBlock / 64;
  const std::size_t words = (points.size() + 63) / 64;
  std::vector<Xyzz<F>> sums((words + kWords - 1) / kWords, Xyzz<F>::infinity());
  compute.parallel_for(sums.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t block = first; block < last && !compute.cancelled(); ++block) {
      for (std::size_t word = block * kWords; word < std::min(words, (block + 1) * kWords); ++word) {
        const std::size_t present = std::min<std::size_t>(64, points.size() - 64 * word);
        std::uint64_t rest = bits[word] & (~std::uint64_t{0} >> (64 - present));
        for (; rest != 0; rest &= rest - 1) {
          sums[block] += points[64 * word + static_cast<std::size_t>(std::countr_zero(rest))];
        }
      }
    }
  });
  Xyzz<F> total = Xyzz<F>::infinity();
  for (const auto& sum : sums) total += sum;
  return total.to_jacobian();
}

#define GROTH16_DEFINE_XYZZ_MSM(F)                                                                     \
  template Jacobian<F> xyzz_msm(std::span<const Affine<F>>, std::span<const UInt<4>>, const Compute&); \
  template Jacobian<F> xyzz_sum_selected(std::span<const Affine<F>>, std::span<const std::uint64_t>, const Compute&);
GROTH16_FOR_EACH_POINT_FIELD(GROTH16_DEFINE_XYZZ_MSM)

}  // namespace groth16
