// Transforms of Fr vectors in the card's memory, in two or three passes over it.
//
// Two networks that are each other's transpose. decimate_time: bit-reversed in, natural out, layers from narrow to wide,
// (x, y) -> (x + t y, x - t y); decimate_frequency: natural in, bit-reversed out, wide to narrow, (x, y) ->
// (x + y, t (x - y)). In both, t belongs to the place inside a block, and a table holds the t of every layer one after
// another: entry m + k for place k of the layer whose blocks have 2m elements. So
//
//   t[m + k] = g^(n / 2m) w_2m^k,   w_2m = root^(n / 2m)
//
// makes decimate_time multiply coefficient i by g^i on the way (evaluation on the coset g), and decimate_frequency
// multiply result j by g^j (coefficients from values on the coset 1/g), at no cost: a coset is another table, and no
// factor is ever applied between passes. (Cooley, Tukey 1965; Gentleman, Sande 1966.)
//
// A pass does 6 to 9 layers. A block of 256 threads takes a tile of 2^11 elements, each thread eight of them: three
// layers in registers, an exchange through shared memory, three more layers, ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/device_array.cuh"
#include "groth16/algebra/portability.hpp"

namespace groth16::device {

inline constexpr unsigned kTileLog2 = 11;  // 64 KiB of shared memory, two blocks a multiprocessor
inline constexpr unsigned kNttThreads = 256;
inline constexpr unsigned kMaxPassLayers = 9, kMinPassLayers = 6;

// What the first and the last pass do besides: values are multiplied by factors[i] as they are read, and by *scale as
// they are written. Null: not at all.
template <class Fr>
struct NttExtras {
  const Fr* factors = nullptr;
  const Fr* scale = nullptr;  // one element in the card's memory
};

#if defined(__CUDACC__)

// The place of element e in the planes of shared memory: no two lanes of a warp meet in a bank, whatever the step.
__device__ __forceinline__ unsigned swizzled(unsigned e) { return e ^ ((e >> 3) & 0x1c); }

// The tile's elements: bits [11 - kLayers, 11) of a local index are the row, whose bits the layers combine; the lower
// bits are neighbouring columns.
template <int kLayers>
struct Tile {
  static constexpr unsigned kColumnBits = kTileLog2 - kLayers;
  unsigned first_bit;  // of the row in a global index

  __device__ __forceinline__ std::uint32_t global(unsigned e) const {
    const std::uint32_t rest = (blockIdx.x << kColumnBits) | (e & ((1u << kColumnBits) - 1));
    const std::uint32_t low = rest & ((1u << first_bit) - 1);
    return ((rest >> first_bit) << (first_bit + kLayers)) | ((e >> kColumnBits) << first_bit) | low;
  }
};

// Step number i of a pass: local bits [begin, low + 3) in registers of a thread that owns local bits [low, low + 3).
template <int kLayers, int kStep>
struct Step {
  static constexpr int kBegin = static_cast<int>(kTileLog2) - kLayers + 3 * kStep;
  static constexpr int kLow = kBegin < 8 ? kBegin : 8;
  static constexpr int kEnd = kLow + 3;

  __device__ __forceinline__ static unsigned local(unsigned thread, unsigned j) {
    return (thread & ((1u << kLow) - 1)) | (j << kLow) | ((thread >> kLow) << (kLow + 3));
  }
};

template <class Fr, bool kTime>
__device__ __forceinline__ void butterfly(Fr& x, Fr& y, const Fr& t) {
  if constexpr (kTime) {
    const Fr product = t * y;
    y = x - product;
    x = x + product;
  } else {
    const Fr difference = x - y;
    x = x + y;
    y = t * difference;
  }
}

// One layer: the pairs whose local indices differ in bit kBit.
template <class Fr, bool kTime, int kLayers, int kStep, int kBit>
__device__ __forceinline__ void layer(Fr (&x)[8], const Tile<kLayers>& tile, const Fr* twiddles) {
  using S = Step<kLayers, kStep>;
  constexpr int kPlace = kBit - S::kLow;
  const unsigned global_bit = tile.first_bit + static_cast<unsigned>(kBit) - Tile<kLayers>::kColumnBits;
  const std::uint32_t half = 1u << global_bit;
#pragma unroll
  for (unsigned below = 0; below < (1u << kPlace); ++below) {
    const std::uint32_t place = tile.global(S::local(threadIdx.x, below)) & (half - 1);
    const Fr t = load16_constant(twiddles + half + place);
#pragma unroll
    for (unsigned above = 0; above < (4u >> kPlace); ++above) {
      const unsigned low = (above << (kPlace + 1)) | below;
      butterfly<Fr, kTime>(x[low], x[low | (1u << kPlace)], t);
    }
  }
}

template <class Fr, bool kTime, int kLayers, int kStep, int kBit>
__device__ __forceinline__ void layers_from(Fr (&x)[8], const Tile<kLayers>& tile, const Fr* twiddles) {
  using S = Step<kLayers, kStep>;
  if constexpr (kTime) {
    layer<Fr, kTime, kLayers, kStep, kBit>(x, tile, twiddles);
    if constexpr (kBit + 1 < S::kEnd) layers_from<Fr, kTime, kLayers, kStep, kBit + 1>(x, tile, twiddles);
  } else {
    if constexpr (kBit + 1 < S::kEnd) layers_from<Fr, kTime, kLayers, kStep, kBit + 1>(x, tile, twiddles);
    layer<Fr, kTime, kLayers, kStep, kBit>(x, tile, twiddles);
  }
}

// From the ownership of step kFrom to that of step kTo. A thread writes where it alone has read last.
template <class Fr, int kLayers, int kFrom, int kTo>
__device__ __forceinline__ void exchange(Fr (&x)[8], std::uint32_t* planes) {
  constexpr unsigned kWords = 2 * Fr::kLimbs;
#pragma unroll
  for (unsigned j = 0; j < 8; ++j) {
    const unsigned at = swizzled(Step<kLayers, kFrom>::local(threadIdx.x, j));
#pragma unroll
    for (unsigned w = 0; w < kWords; ++w) {
      planes[(w << kTileLog2) + at] = static_cast<std::uint32_t>(x[j].limbs().limb[w / 2] >> (32 * (w % 2)));
    }
  }
  __syncthreads();
#pragma unroll
  for (unsigned j = 0; j < 8; ++j) {
    const unsigned at = swizzled(Step<kLayers, kTo>::local(threadIdx.x, j));
    typename Fr::Integer limbs;
#pragma unroll
    for (unsigned w = 0; w < kWords; w += 2) {
      limbs.limb[w / 2] = planes[(w << kTileLog2) + at] |
                          (std::uint64_t{planes[((w + 1) << kTileLog2) + at]} << 32);
    }
    x[j] = Fr::from_montgomery_limbs(limbs);
  }
}

template <class Fr, bool kTime, int kLayers, int kStep>
__device__ __forceinline__ void steps_from(Fr (&x)[8], const Tile<kLayers>& tile, const Fr* twiddles,
                                           std::uint32_t* planes) {
  constexpr int kSteps = (kLayers + 2) / 3;
  layers_from<Fr, kTime, kLayers, kStep, Step<kLayers, kStep>::kBegin>(x, tile, twiddles);
  constexpr int kNext = kTime ? kStep + 1 : kStep - 1;
  if constexpr (kNext >= 0 && kNext < kSteps) {
    exchange<Fr, kLayers, kStep, kNext>(x, planes);
    steps_from<Fr, kTime, kLayers, kNext>(x, tile, twiddles, planes);
  }
}

// Layers of global bits first_bit .. first_bit + kLayers - 1. in and out may be the same.
template <class Fr, bool kTime, int kLayers>
__global__ void __launch_bounds__(kNttThreads, 2)
    ntt_pass(const Fr* in, Fr* out, const Fr* twiddles, unsigned first_bit, NttExtras<Fr> extras) {
  extern __shared__ std::uint32_t planes[];
  constexpr int kLast = (kLayers + 2) / 3 - 1;
  using First = Step<kLayers, kTime ? 0 : kLast>;
  using Last = Step<kLayers, kTime ? kLast : 0>;
  const Tile<kLayers> tile{first_bit};
  Fr x[8];
#pragma unroll
  for (unsigned j = 0; j < 8; ++j) x[j] = load16(in + tile.global(First::local(threadIdx.x, j)));
  if (extras.factors != nullptr) {
#pragma unroll
    for (unsigned j = 0; j < 8; ++j) x[j] *= load16(extras.factors + tile.global(First::local(threadIdx.x, j)));
  }
  steps_from<Fr, kTime, kLayers, kTime ? 0 : kLast>(x, tile, twiddles, planes);
  if (extras.scale != nullptr) {
    const Fr scale = load16_constant(extras.scale);
#pragma unroll
    for (unsigned j = 0; j < 8; ++j) x[j] *= scale;
  }
#pragma unroll
  for (unsigned j = 0; j < 8; ++j) store16(out + tile.global(Last::local(threadIdx.x, j)), x[j]);
}

// A whole transform of at most 2^11 elements in one block.
template <class Fr, bool kTime>
__global__ void small_ntt(const Fr* in, Fr* out, const Fr* twiddles, unsigned log2, NttExtras<Fr> extras) {
  extern __shared__ std::uint64_t bytes[];
  Fr* const x = reinterpret_cast<Fr*>(bytes);
  const std::uint32_t size = 1u << log2;
  for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) {
    x[i] = extras.factors == nullptr ? in[i] : in[i] * extras.factors[i];
  }
  for (unsigned i = 0; i < log2; ++i) {
    __syncthreads();
    const std::uint32_t half = 1u << (kTime ? i : log2 - 1 - i);
    for (std::uint32_t pair = threadIdx.x; pair < size / 2; pair += blockDim.x) {
      const std::uint32_t place = pair & (half - 1), low = 2 * (pair - place) + place;
      butterfly<Fr, kTime>(x[low], x[low + half], twiddles[half + place]);
    }
  }
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) {
    out[i] = extras.scale == nullptr ? x[i] : x[i] * *extras.scale;
  }
}

inline constexpr std::uint32_t kTwiddlesPerThread = 64;

// Entries half .. 2 half - 1 of a table: scale * step^k.
template <class Fr>
__global__ void twiddle_layer(Fr* twiddles, std::uint32_t half, Fr scale, Fr step) {
  const std::uint64_t first = thread_index() * kTwiddlesPerThread;
  if (first >= half) return;
  Fr power = scale * step.pow(first);
  for (std::uint64_t k = first; k < half && k < first + kTwiddlesPerThread; ++k) {
    store16(twiddles + half + k, power);
    power *= step;
  }
}

template <class Fr, bool kTime, int kLayers>
void launch_pass(const Fr* in, Fr* out, const Fr* twiddles, unsigned log2, unsigned first_bit, NttExtras<Fr> extras,
                 cudaStream_t stream) {
  constexpr std::size_t kBytes = sizeof(Fr) << kTileLog2;
  const auto kernel = ntt_pass<Fr, kTime, kLayers>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kBytes)),
        "cudaFuncSetAttribute for ntt_pass");
  kernel<<<1u << (log2 - kTileLog2), kNttThreads, kBytes, stream>>>(in, out, twiddles, first_bit, extras);
  check_launch("ntt_pass");
}

template <class Fr, bool kTime>
void run_pass(unsigned layers, const Fr* in, Fr* out, const Fr* twiddles, unsigned log2, unsigned first_bit,
              NttExtras<Fr> extras, cudaStream_t stream) {
  switch (layers) {
    case 6: return launch_pass<Fr, kTime, 6>(in, out, twiddles, log2, first_bit, extras, stream);
    case 7: return launch_pass<Fr, kTime, 7>(in, out, twiddles, log2, first_bit, extras, stream);
    case 8: return launch_pass<Fr, kTime, 8>(in, out, twiddles, log2, first_bit, extras, stream);
    default: return launch_pass<Fr, kTime, 9>(in, out, twiddles, log2, first_bit, extras, stream);
  }
}

// The layers of each pass, that of the lowest bits first and largest.
inline std::vector<unsigned> pass_layers(unsigned log2) {
  const unsigned passes = (log2 + kMaxPassLayers - 1) / kMaxPassLayers;
  std::vector<unsigned> layers(passes, log2 / passes);
  for (unsigned i = 0; i < log2 % passes; ++i) ++layers[i];
  return layers;
}

template <class Fr, bool kTime>
void transform(const Fr* in, Fr* out, const Fr* twiddles, unsigned log2, NttExtras<Fr> extras, cudaStream_t stream) {
  if (log2 <= kTileLog2) {
    const std::size_t bytes = sizeof(Fr) << log2;
    const auto kernel = small_ntt<Fr, kTime>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
          "cudaFuncSetAttribute for small_ntt");
    kernel<<<1, kNttThreads, bytes, stream>>>(in, out, twiddles, log2, extras);
    return check_launch("small_ntt");
  }
  const std::vector<unsigned> layers = pass_layers(log2);
  unsigned first_bit = kTime ? 0 : log2;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const unsigned here = layers[kTime ? i : layers.size() - 1 - i];
    if (!kTime) first_bit -= here;
    NttExtras<Fr> now;
    if (i == 0) now.factors = extras.factors;
    if (i + 1 == layers.size()) now.scale = extras.scale;
    run_pass<Fr, kTime>(here, i == 0 ? in : out, out, twiddles, log2, first_bit, now, stream);
    if (kTime) first_bit += here;
  }
}

#endif  // __CUDACC__

// The table of one root and coset: 2^log2 elements in the card's memory, entry 0 unused.
template <class Fr>
class TwiddleTable {
 public:
  TwiddleTable(const Fr& root, const Fr& coset, unsigned log2, cudaStream_t stream);
  const Fr* data() const { return entries_.data(); }
  unsigned log2() const { return log2_; }

 private:
  DeviceArray<Fr> entries_;
  unsigned log2_;
};

// Bit-reversed in, natural out: out[j] = sum over i of c_i g^i root^(ij), c_i = in[i with its bits reversed].
template <class Fr>
void decimate_time(const Fr* in, Fr* out, const TwiddleTable<Fr>& table, NttExtras<Fr> extras, cudaStream_t stream);

// Natural in, bit-reversed out: out[j with its bits reversed] = g^j sum over i of in[i] root^(ij).
template <class Fr>
void decimate_frequency(const Fr* in, Fr* out, const TwiddleTable<Fr>& table, NttExtras<Fr> extras,
                        cudaStream_t stream);

}  // namespace groth16::device
