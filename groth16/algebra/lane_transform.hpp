// LaneTransform<Fr>: the transform of Domain with eight butterflies at a time.
//
// The layers are cut into passes of at most kMaxLayers. Each pass gathers what its layers mix, eight independent
// transforms side by side in the lanes, into a buffer that fits the second-level cache, and puts it back after all
// layers (Bailey 1990, "FFTs in external or hierarchical memory"). In all passes but the last the lanes are eight
// neighbours in memory and share their twiddles; in the last they are eight neighbouring blocks, each with its own.
//
// Values keep the Montgomery form of memory, times 2^256; twiddles come times 2^260, so that products do, too. A layer
// lets values grow by 2p and none is reduced before the end of a pass: 22p fit 260 bits, and times a twiddle 84 or 35
// p^2 (lanes.hpp).
#pragma once

#include "groth16/algebra/lane_scalars.hpp"

#if defined(GROTH16_HAS_IFMA)

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "groth16/algebra/compute.hpp"

namespace groth16 {

template <class Fr>
class LaneTransform {
 public:
  static constexpr unsigned kMinLog2 = 6;  // eight neighbours and eight blocks
  static constexpr unsigned kMaxLayers = 10;
  enum class Direction { forward, inverse };

  // twiddles are Domain's, times LaneScalars<Fr>::kFactor. In the inverse direction the values are multiplied by
  // factor, which is times kFactor, too.
  LaneTransform(unsigned log2, const Fr* twiddles, Direction direction, const Fr& factor)
      : log2_(log2), twiddles_(twiddles), is_inverse_(direction == Direction::inverse), factor_(factor) {}

  // Natural order in, bit-reversed order out; canonical values in and out.
  void run(std::span<Fr> values, const Compute& compute) const {
    const unsigned passes = (log2_ + kMaxLayers - 1) / kMaxLayers < 2 ? 2 : (log2_ + kMaxLayers - 1) / kMaxLayers;
    unsigned first = 0;
    for (unsigned pass = 0; pass + 1 < passes; ++pass) {
      const unsigned layers = (log2_ - first) / (passes - pass);
      wide_pass(values, first, layers, compute);
      first += layers;
    }
    last_pass(values, first, compute);
  }

 private:
  using Scalars = LaneScalars<Fr>;
  using Field = typename Scalars::Field;
  using Element = typename Field::Element;
  using Columns = typename Field::Columns;
  static constexpr std::size_t kLanes = 8;

  struct alignas(64) Stored {
    std::uint64_t words[sizeof(Element) / 8];
  };
  GROTH16_IFMA static Element& element(Stored& stored) { return reinterpret_cast<Element&>(stored); }

  void wide_pass(std::span<Fr> values, unsigned first, unsigned layers, const Compute& compute) const {
    const std::size_t stride = values.size() >> (first + layers), groups = stride / kLanes;
    compute.parallel_for(groups << first, [&](std::size_t begin, std::size_t end) {
      const auto buffer = std::make_unique_for_overwrite<Stored[]>(std::size_t{1} << layers);
      for (std::size_t i = begin; i < end && !compute.cancelled(); ++i) {
        const std::size_t block = i / groups, column = i % groups * kLanes;
        Fr* const at = &values[(block << (log2_ - first)) + column];
        mix_neighbours(at, stride, block, layers, buffer.get());
      }
    });
  }

  void last_pass(std::span<Fr> values, unsigned first, const Compute& compute) const {
    compute.parallel_for((std::size_t{1} << first) / kLanes, [&](std::size_t begin, std::size_t end) {
      const auto buffer = std::make_unique_for_overwrite<Stored[]>(std::size_t{1} << (log2_ - first));
      for (std::size_t i = begin; i < end && !compute.cancelled(); ++i) {
        finish_blocks(&values[(i * kLanes) << (log2_ - first)], i * kLanes, log2_ - first, buffer.get());
      }
    });
  }

  // Rows of eight neighbours, stride elements apart.
  GROTH16_IFMA_CALLED void mix_neighbours(Fr* values, std::size_t stride, std::size_t block, unsigned layers,
                                          Stored* buffer) const {
    const std::size_t size = std::size_t{1} << layers;
    for (std::size_t row = 0; row < size; ++row) element(buffer[row]) = Scalars::load(values + row * stride, 1);
    for (unsigned layer = 0; layer < layers; ++layer) {
      const std::size_t half = size >> (layer + 1);
      for (std::size_t i = 0; i < std::size_t{1} << layer; ++i) {
        const Element twiddle = shared_twiddle((block << layer) + i);
        butterflies(buffer + 2 * i * half, half, twiddle);
      }
    }
    for (std::size_t row = 0; row < size; ++row)
      Scalars::store(lowered(element(buffer[row])), values + row * stride, 1);
  }

  // Eight blocks of 2^layers elements each, from number block on.
  GROTH16_IFMA_CALLED void finish_blocks(Fr* values, std::size_t block, unsigned layers, Stored* buffer) const {
    const std::size_t size = std::size_t{1} << layers;
    for (std::size_t i = 0; i < size; ++i) element(buffer[i]) = Scalars::load(values + i, size);
    for (unsigned layer = 0; layer < layers; ++layer) {
      const std::size_t half = size >> (layer + 1);
      for (std::size_t i = 0; i < std::size_t{1} << layer; ++i) {
        const Element twiddle = own_twiddles(block, layer, i);
        butterflies(buffer + 2 * i * half, half, twiddle);
      }
    }
    if (is_inverse_) {
      const Element factor = Scalars::broadcast(factor_);
      for (std::size_t i = 0; i < size; ++i) {
        Scalars::store(Scalars::canonical(Field::carried(Field::product(element(buffer[i]), factor))), values + i,
                       size);
      }
    } else {
      for (std::size_t i = 0; i < size; ++i)
        Scalars::store(Scalars::canonical(lowered(element(buffer[i]))), values + i, size);
    }
  }

  GROTH16_IFMA static void butterflies(Stored* values, std::size_t half, const Element& twiddle) {
    for (std::size_t i = 0; i < half; ++i) {
      const Element low = element(values[i]);
      const Columns product = Field::product(twiddle, element(values[i + half]));
      element(values[i]) = Field::carried(Field::sum(low, product));
      element(values[i + half]) = Field::carried(Field::less(Field::template raised<2>(low), product));
    }
  }

  // The inverse of twiddle i > 0, root^e with e < size / 2, is -root^(size/2 - e): in bit-reversed order the number of
  // the latter is i with all bits below its highest flipped.
  std::size_t number(std::size_t i) const { return is_inverse_ && i != 0 ? i ^ (std::bit_floor(i) - 1) : i; }

  GROTH16_IFMA Element shared_twiddle(std::size_t i) const {
    const Fr& twiddle = twiddles_[number(i)];
    return Scalars::broadcast(is_inverse_ && i != 0 ? -twiddle : twiddle);
  }
  // Twiddle i of layer `layer` inside each of eight blocks.
  GROTH16_IFMA Element own_twiddles(std::size_t block, unsigned layer, std::size_t i) const {
    const Fr* each[kLanes];
    GROTH16_UNROLL
    for (std::size_t lane = 0; lane < kLanes; ++lane) each[lane] = &twiddles_[number(((block + lane) << layer) + i)];
    const Element twiddle = Scalars::load(each);
    if (!is_inverse_) return twiddle;
    const __mmask8 negated = block == 0 && i == 0 ? 0xfe : 0xff;
    return Field::carried(Field::negated_where(negated, twiddle));
  }

  // From 35p to product: less the multiple of p that the top limb shows, of which it can miss one.
  GROTH16_IFMA static Element lowered(const Element& a) {
    constexpr auto p = Field::template kMultiple<1>;
    constexpr unsigned kFraction = 16;
    // 2^(52 + 16) / (top limb of p, and one)
    constexpr auto reciprocal =
        static_cast<std::uint64_t>((UInt128{1} << (52 + kFraction)) / (p.limb[Field::kLimbs - 1] + 1));
    const __m512i zero = _mm512_setzero_si512();
    const __m512i quotient =
        _mm512_madd52hi_epu64(zero, a.limb[Field::kLimbs - 1], Field::broadcast(reciprocal)) >> kFraction;
    Columns out;
    GROTH16_UNROLL
    for (std::size_t i = 0; i < Field::kLimbs; ++i) {
      out.limb[i] = a.limb[i] - _mm512_madd52lo_epu64(zero, quotient, Field::broadcast(p.limb[i]));
      if (i > 0) out.limb[i] -= _mm512_madd52hi_epu64(zero, quotient, Field::broadcast(p.limb[i - 1]));
    }
    return Field::carried(out);
  }

  unsigned log2_;
  const Fr* twiddles_;
  bool is_inverse_;
  Fr factor_;
};

}  // namespace groth16

#endif
