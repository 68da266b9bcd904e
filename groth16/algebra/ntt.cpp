// The transform: wide layers two at a time over the whole vector, then narrow layers block by block in the cache, then
// the permutation that brings bit-reversed order back to natural order.
#include "groth16/algebra/ntt.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "groth16/algebra/lane_transform.hpp"

namespace groth16 {

namespace {

constexpr unsigned kNarrowLog2 = 12;  // 2^12 elements of 32 bytes: 128 KiB, an eighth of a second-level cache
constexpr std::size_t kGrain = 4096;  // butterflies or elements a range: about 0.1 ms

std::size_t reverse_bits(std::size_t value, unsigned bits) {
  std::uint64_t v = value;
  v = ((v >> 1) & 0x5555555555555555) | ((v & 0x5555555555555555) << 1);
  v = ((v >> 2) & 0x3333333333333333) | ((v & 0x3333333333333333) << 2);
  v = ((v >> 4) & 0x0f0f0f0f0f0f0f0f) | ((v & 0x0f0f0f0f0f0f0f0f) << 4);
  v = __builtin_bswap64(v);
  return bits == 0 ? 0 : v >> (64 - bits);
}

#if defined(GROTH16_HAS_IFMA)
constexpr unsigned kMinLanesLog2 = LaneTransform<Bn254::Fr>::kMinLog2;
constexpr std::uint64_t kLanesFactor = LaneScalars<Bn254::Fr>::kFactor;
#else
constexpr unsigned kMinLanesLog2 = 64;
constexpr std::uint64_t kLanesFactor = 1;
#endif

template <class Fr>
inline void butterfly(Fr& low, Fr& high, const Fr& twiddle) {
  const Fr product = high * twiddle;
  high = low - product;
  low = low + product;
}

}  // namespace

template <class Fr>
Domain<Fr>::Domain(const Fr& root, unsigned log2, const Compute& compute, CpuLevel level)
    : log2_(log2),
      root_(root),
      size_inverse_(Fr::from_u64(std::uint64_t{1} << log2).inverse()),
      has_lanes_(level == CpuLevel::ifma && log2 >= kMinLanesLog2) {
  const unsigned bits = log2 == 0 ? 0 : log2 - 1;
  const Fr factor = Fr::from_u64(has_lanes_ ? kLanesFactor : 1);
  twiddles_.resize(std::size_t{1} << bits);
  compute.parallel_for(
      twiddles_.size(),
      [&](std::size_t begin, std::size_t end) {
        Fr power = root.pow(std::uint64_t{begin}) * factor;
        for (std::size_t i = begin; i < end; ++i, power *= root) twiddles_[reverse_bits(i, bits)] = power;
      },
      kGrain);
}

// Layer l has 2^l blocks; block i of it, of length size / 2^l, holds a polynomial modulo x^length - twiddle_i^2 and is
// split into the remainders modulo x^(length/2) - twiddle_i and x^(length/2) + twiddle_i.
template <class Fr>
void Domain<Fr>::wide_layer(std::span<Fr> values, unsigned layer, const Compute& compute) const {
  const unsigned half_log2 = log2_ - layer - 1;
  const std::size_t half = std::size_t{1} << half_log2;
  compute.parallel_for(
      size() / 2,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const std::size_t block = i >> half_log2;
          Fr* const low = &values[(block << (half_log2 + 1)) + (i & (half - 1))];
          butterfly(low[0], low[half], twiddles_[block]);
        }
      },
      kGrain);
}

// Layers layer and layer + 1 in one pass over memory.
template <class Fr>
void Domain<Fr>::wide_layer_pair(std::span<Fr> values, unsigned layer, const Compute& compute) const {
  const unsigned quarter_log2 = log2_ - layer - 2;
  const std::size_t quarter = std::size_t{1} << quarter_log2;
  compute.parallel_for(
      size() / 4,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const std::size_t block = i >> quarter_log2;
          Fr* const at = &values[(block << (quarter_log2 + 2)) + (i & (quarter - 1))];
          butterfly(at[0], at[2 * quarter], twiddles_[block]);
          butterfly(at[quarter], at[3 * quarter], twiddles_[block]);
          butterfly(at[0], at[quarter], twiddles_[2 * block]);
          butterfly(at[2 * quarter], at[3 * quarter], twiddles_[2 * block + 1]);
        }
      },
      kGrain);
}

// All remaining layers of one block of layer first_layer.
template <class Fr>
void Domain<Fr>::narrow_layers(std::span<Fr> block, std::size_t block_index, unsigned first_layer) const {
  for (unsigned layer = first_layer; layer < log2_; ++layer) {
    const std::size_t half = size() >> (layer + 1);
    const Fr* twiddle = &twiddles_[block_index << (layer - first_layer)];
    for (std::size_t start = 0; start < block.size(); start += 2 * half, ++twiddle) {
      for (std::size_t i = start; i < start + half; ++i) butterfly(block[i], block[i + half], *twiddle);
    }
  }
}

// Natural order in, bit-reversed order out.
template <class Fr>
void Domain<Fr>::transform(std::span<Fr> values, const Compute& compute) const {
  const unsigned wide = log2_ > kNarrowLog2 ? log2_ - kNarrowLog2 : 0;
  unsigned layer = 0;
  for (; layer + 2 <= wide && !compute.cancelled(); layer += 2) wide_layer_pair(values, layer, compute);
  for (; layer < wide && !compute.cancelled(); ++layer) wide_layer(values, layer, compute);
  const std::size_t length = size() >> wide;
  compute.parallel_for(std::size_t{1} << wide, [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end && !compute.cancelled(); ++block) {
      narrow_layers(values.subspan(block * length, length), block, wide);
    }
  });
}

// From bit-reversed to natural order and back. An index is a (top 3 bits), b, c (low 3 bits) and changes places with
// (c reversed, b reversed, a reversed): for a pair of b the 64 exchanges stay within 16 rows of 8 neighbours.
template <class Fr>
void Domain<Fr>::reverse(std::span<Fr> values, const Compute& compute) const {
  constexpr unsigned kTileLog2 = 3;
  constexpr std::size_t kTile = std::size_t{1} << kTileLog2;
  if (log2_ < 2 * kTileLog2) {
    for (std::size_t i = 0; i < size(); ++i) {
      const std::size_t j = reverse_bits(i, log2_);
      if (i < j) std::swap(values[i], values[j]);
    }
    return;
  }
  const unsigned middle = log2_ - 2 * kTileLog2, top = log2_ - kTileLog2;
  const auto exchange = [&](std::size_t b, std::size_t reversed_b) {
    for (std::size_t a = 0; a < kTile; ++a) {
      const std::size_t reversed_a = reverse_bits(a, kTileLog2);
      for (std::size_t c = 0; c < kTile; ++c) {
        const std::size_t reversed_c = reverse_bits(c, kTileLog2);
        if (b == reversed_b && (a << kTileLog2 | c) >= (reversed_c << kTileLog2 | reversed_a)) continue;
        std::swap(values[a << top | b << kTileLog2 | c],
                  values[reversed_c << top | reversed_b << kTileLog2 | reversed_a]);
      }
    }
  };
  compute.parallel_for(
      std::size_t{1} << middle,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
          const std::size_t reversed_b = reverse_bits(b, middle);
          if (b <= reversed_b) exchange(b, reversed_b);
        }
      },
      kGrain / (kTile * kTile));
}

template <class Fr>
void Domain<Fr>::forward(std::span<Fr> values, const Compute& compute) const {
#if defined(GROTH16_HAS_IFMA)
  if (has_lanes_) {
    using Lanes = LaneTransform<Fr>;
    Lanes(log2_, twiddles_.data(), Lanes::Direction::forward, Fr::one()).run(values, compute);
    return reverse(values, compute);
  }
#endif
  transform(values, compute);
  reverse(values, compute);
}

// The inverse transform is the forward transform at the powers of root^-1, whose element j is element -j mod size at
// the powers of root. The pairs {i, -i} are disjoint, and 0 and size/2 are their own partners.
template <class Fr>
void Domain<Fr>::inverse(std::span<Fr> values, const Compute& compute) const {
#if defined(GROTH16_HAS_IFMA)
  if (has_lanes_) {
    using Lanes = LaneTransform<Fr>;
    const Fr factor = size_inverse_ * Fr::from_u64(kLanesFactor);
    Lanes(log2_, twiddles_.data(), Lanes::Direction::inverse, factor).run(values, compute);
    return reverse(values, compute);
  }
#endif
  forward(values, compute);
  compute.parallel_for(
      size() / 2 + 1,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const std::size_t j = (size() - i) & (size() - 1);
          const Fr value = values[i] * size_inverse_;
          if (i != j) values[i] = values[j] * size_inverse_;
          values[j] = value;
        }
      },
      kGrain);
}

template <class Fr>
void Domain<Fr>::coset_scale(std::span<Fr> values, const Fr& g, const Compute& compute, CpuLevel level) {
  compute.parallel_for(
      values.size(),
      [&](std::size_t begin, std::size_t end) {
#if defined(GROTH16_HAS_IFMA)
        if (level == CpuLevel::ifma) {
          begin += LaneScalars<Fr>::scale(values.subspan(begin, end - begin), g.pow(std::uint64_t{begin}), g);
        }
#endif
        Fr power = g.pow(std::uint64_t{begin});
        for (std::size_t i = begin; i < end; ++i, power *= g) values[i] *= power;
      },
      kGrain);
  static_cast<void>(level);
}

template class Domain<Bn254::Fr>;
template class Domain<Bls12_381::Fr>;

}  // namespace groth16
