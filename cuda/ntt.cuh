// Transforms of Fr vectors in the card's memory, in two to four passes over it.
//
// Two networks that are each other's transpose. decimate_time: bit-reversed in, natural out, layers from narrow to
// wide, (x, y) -> (x + t y, x - t y); decimate_frequency: natural in, bit-reversed out, wide to narrow, (x, y) -> (x +
// y, t (x - y)). In both, t belongs to the place inside a block, and a table holds the t of every layer one after
// another: entry m + k for place k of the layer whose blocks have 2m elements. So
//
//   t[m + k] = g^(n / 2m) w_2m^k,   w_2m = root^(n / 2m)
//
// makes decimate_time multiply coefficient i by g^i on the way (evaluation on the coset g), and decimate_frequency
// multiply result j by g^j (coefficients from values on the coset 1/g), at no cost: a coset is another table, and no
// factor is ever applied between passes. (Cooley, Tukey 1965; Gentleman, Sande 1966.)
//
// Where g = 1, t[m] = 1 for every layer: in the three narrowest ones, whose places are known without looking, seven of
// twelve products are left out.
//
// A pass does 5 to 9 layers. A block of 128 threads takes a tile of 2^10 elements, each thread eight of them: three
// layers in registers, an exchange through shared memory, three more layers, ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/device_array.cuh"
#include "cuda/threads.cuh"
#include "groth16/algebra/portability.hpp"

namespace groth16::device {

inline constexpr unsigned kTileLog2 = 10;  // 32 KiB of shared memory
inline constexpr unsigned kNttThreads = 128;
// On a multiprocessor; two of twice the size wait longer at barriers (8 % of the time).
inline constexpr unsigned kNttBlocks = 4;
inline constexpr unsigned kMaxPassLayers = 9;

// What the first and the last pass do besides: values are multiplied by factors[i] as they are read, and by *scale as
// they are written. Null: not at all.
template <class Fr>
struct NttExtras {
  const Fr* factors = nullptr;
  const Fr* scale = nullptr;  // one element in the card's memory
};

#if defined(__CUDACC__)

// The place of element e in the planes of shared memory: no two lanes of a warp meet in a bank, whatever the step.
__device__ __forceinline__ unsigned swizzled(unsigned e) { return e ^ ((e >> 3) & 0x1e); }

// One pass: layers of global bits first_bit .. first_bit + layers - 1. A tile's local index has the row, whose bits the
// layers combine, in bits [column_bits, 10), and below it neighbouring columns.
struct Pass {
  unsigned first_bit, layers;
  bool begins_with_one;  // t[m] = 1 for every m

  __host__ __device__ __forceinline__ unsigned column_bits() const { return kTileLog2 - layers; }
  __host__ __device__ __forceinline__ int steps() const { return static_cast<int>(layers + 2) / 3; }

  // Element e of this block's tile in the vector.
  __device__ __forceinline__ std::uint32_t global(unsigned e) const {
    const std::uint32_t rest = (blockIdx.x << column_bits()) | (e & ((1u << column_bits()) - 1));
    const std::uint32_t low = rest & ((1u << first_bit) - 1);
    return ((rest >> first_bit) << (first_bit + layers)) | ((e >> column_bits()) << first_bit) | low;
  }
  // The lowest of the three local bits that a thread owns in a step, and the first of them that the step combines: the
  // last step may have bits that others have combined.
  __device__ __forceinline__ unsigned begin(int step) const { return column_bits() + 3 * static_cast<unsigned>(step); }
  __device__ __forceinline__ unsigned low(int step) const {
    return begin(step) < kTileLog2 - 3 ? begin(step) : kTileLog2 - 3;
  }
};

// Of the thread's eight elements in a step that owns bits low .. low + 2, number j.
__device__ __forceinline__ unsigned local(unsigned low, unsigned j) {
  return (threadIdx.x & ((1u << low) - 1)) | (j << low) | ((threadIdx.x >> low) << (low + 3));
}

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

// The butterfly whose t is 1, in either network.
template <class Fr>
__device__ __forceinline__ void butterfly_of_one(Fr& x, Fr& y) {
  const Fr difference = x - y;
  x = x + y;
  y = difference;
}

// The pairs of a layer that have one place, and so one t: number `below` of the places that the thread has.
template <class Fr, int kPlace, class Butterfly>
__device__ __forceinline__ void pairs_of_place(Fr (&x)[8], unsigned below, const Butterfly& apply) {
#pragma unroll
  for (unsigned above = 0; above < (4u >> kPlace); ++above) {
    const unsigned first = (above << (kPlace + 1)) | below;
    apply(x[first], x[first | (1u << kPlace)]);
  }
}

// One layer of a step: the pairs whose local indices differ in bit low + kPlace.
template <class Fr, bool kTime, int kPlace>
__device__ __forceinline__ void layer(Fr (&x)[8], const Pass& pass, unsigned low, const Fr* twiddles) {
  const std::uint32_t half = 1u << (pass.first_bit + low + kPlace - pass.column_bits());
#pragma unroll
  for (unsigned below = 0; below < (1u << kPlace); ++below) {
    if (below == 0 && pass.begins_with_one && half == (1u << kPlace)) {  // the thread's first place is the layer's
      pairs_of_place<Fr, kPlace>(x, below, [](Fr& a, Fr& b) { butterfly_of_one(a, b); });
      continue;
    }
    const std::uint32_t place = pass.global(local(low, below)) & (half - 1);
    const Fr t = load16_constant(twiddles + half + place);
    pairs_of_place<Fr, kPlace>(x, below, [&t](Fr& a, Fr& b) { butterfly<Fr, kTime>(a, b, t); });
  }
}

// From the ownership of one step to that of another. A thread writes where it alone has read last.
template <class Fr>
__device__ __forceinline__ void exchange(Fr (&x)[8], unsigned low_from, unsigned low_to, std::uint32_t* planes) {
  constexpr unsigned kWords = 2 * Fr::kLimbs;
#pragma unroll
  for (unsigned j = 0; j < 8; ++j) {
    const unsigned at = swizzled(local(low_from, j));
#pragma unroll
    for (unsigned w = 0; w < kWords; ++w) {
      planes[(w << kTileLog2) + at] = static_cast<std::uint32_t>(x[j].limbs().limb[w / 2] >> (32 * (w % 2)));
    }
  }
  __syncthreads();
#pragma unroll
  for (unsigned j = 0; j < 8; ++j) {
    const unsigned at = swizzled(local(low_to, j));
    typename Fr::Integer limbs;
#pragma unroll
    for (unsigned w = 0; w < kWords; w += 2) {
      limbs.limb[w / 2] = planes[(w << kTileLog2) + at] | (std::uint64_t{planes[((w + 1) << kTileLog2) + at]} << 32);
    }
    x[j] = Fr::from_montgomery_limbs(limbs);
  }
}

// in and out may be the same. The loop over steps is not unrolled: its body is 40 KiB of instructions, and three or
// more of them overflow the instruction cache, which doubles the time.
template <class Fr, bool kTime>
__global__ void __launch_bounds__(kNttThreads, kNttBlocks)
    ntt_pass(const Fr* in, Fr* out, const Fr* twiddles, Pass pass, NttExtras<Fr> extras) {
  extern __shared__ std::uint32_t planes[];
  const int steps = pass.steps();
  unsigned low = pass.low(kTime ? 0 : steps - 1);
  Fr x[8];
#pragma unroll
  for (unsigned j = 0; j < 8; ++j) x[j] = load16(in + pass.global(local(low, j)));
  if (extras.factors != nullptr) {
#pragma unroll
    for (unsigned j = 0; j < 8; ++j) x[j] *= load16(extras.factors + pass.global(local(low, j)));
  }
#pragma unroll 1
  for (int i = 0; i < steps; ++i) {
    const int step = kTime ? i : steps - 1 - i;
    const unsigned here = pass.low(step), begin = pass.begin(step);
    if (i > 0) {
      exchange(x, low, here, planes);
      low = here;
    }
    if constexpr (kTime) {
      if (begin <= low) layer<Fr, kTime, 0>(x, pass, low, twiddles);
      if (begin <= low + 1) layer<Fr, kTime, 1>(x, pass, low, twiddles);
      layer<Fr, kTime, 2>(x, pass, low, twiddles);
    } else {
      layer<Fr, kTime, 2>(x, pass, low, twiddles);
      if (begin <= low + 1) layer<Fr, kTime, 1>(x, pass, low, twiddles);
      if (begin <= low) layer<Fr, kTime, 0>(x, pass, low, twiddles);
    }
  }
  if (extras.scale != nullptr) {
    const Fr scale = load16_constant(extras.scale);
#pragma unroll
    for (unsigned j = 0; j < 8; ++j) x[j] *= scale;
  }
#pragma unroll
  for (unsigned j = 0; j < 8; ++j) store16(out + pass.global(local(low, j)), x[j]);
}

// A whole transform of at most 2^10 elements in one block.
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

template <class Fr, bool kTime>
void run_pass(const Fr* in, Fr* out, const Fr* twiddles, unsigned log2, Pass pass, NttExtras<Fr> extras,
              cudaStream_t stream) {
  constexpr std::size_t kBytes = sizeof(Fr) << kTileLog2;
  const auto kernel = ntt_pass<Fr, kTime>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kBytes)),
        "cudaFuncSetAttribute for ntt_pass");
  kernel<<<1u << (log2 - kTileLog2), kNttThreads, kBytes, stream>>>(in, out, twiddles, pass, extras);
  check_launch("ntt_pass");
}

// The layers of each pass, that of the lowest bits first and largest.
inline std::vector<unsigned> pass_layers(unsigned log2) {
  const unsigned passes = (log2 + kMaxPassLayers - 1) / kMaxPassLayers;
  std::vector<unsigned> layers(passes, log2 / passes);
  for (unsigned i = 0; i < log2 % passes; ++i) ++layers[i];
  return layers;
}

template <class Fr, bool kTime>
void transform(const Fr* in, Fr* out, const Fr* twiddles, unsigned log2, bool begins_with_one, NttExtras<Fr> extras,
               cudaStream_t stream) {
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
    run_pass<Fr, kTime>(i == 0 ? in : out, out, twiddles, log2, {first_bit, here, begins_with_one}, now, stream);
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
  bool begins_with_one() const { return begins_with_one_; }  // each layer's first entry is 1: there is no coset

 private:
  DeviceArray<Fr> entries_;
  unsigned log2_;
  bool begins_with_one_;
};

// Bit-reversed in, natural out: out[j] = sum over i of c_i g^i root^(ij), c_i = in[i with its bits reversed].
template <class Fr>
void decimate_time(const Fr* in, Fr* out, const TwiddleTable<Fr>& table, NttExtras<Fr> extras, cudaStream_t stream);

// Natural in, bit-reversed out: out[j with its bits reversed] = g^j sum over i of in[i] root^(ij).
template <class Fr>
void decimate_frequency(const Fr* in, Fr* out, const TwiddleTable<Fr>& table, NttExtras<Fr> extras,
                        cudaStream_t stream);

}  // namespace groth16::device
