// The bodies of ntt.cuh's interface; each scalar field is compiled in a file of its own.
#pragma once

#include "cuda/ntt.cuh"

namespace groth16::device {

template <class Fr>
TwiddleTable<Fr>::TwiddleTable(const Fr& root, const Fr& coset, unsigned log2, cudaStream_t stream)
    : entries_(std::size_t{1} << log2, "twiddles"), log2_(log2), begins_with_one_(coset == Fr::one()) {
  constexpr unsigned kThreads = 128;
  Fr step = root, scale = coset;  // those of the widest layer; each narrower one has their squares
  for (unsigned bit = log2; bit-- > 0;) {
    const std::uint32_t half = 1u << bit;
    const unsigned blocks = blocks_for((half + kTwiddlesPerThread - 1) / kTwiddlesPerThread, kThreads);
    twiddle_layer<<<blocks, kThreads, 0, stream>>>(entries_.data(), half, scale, step);
    check_launch("twiddle_layer");
    step = step.square();
    scale = scale.square();
  }
}

template <class Fr>
void decimate_time(const Fr* in, Fr* out, const TwiddleTable<Fr>& table, NttExtras<Fr> extras, cudaStream_t stream) {
  transform<Fr, true>(in, out, table.data(), table.log2(), table.begins_with_one(), extras, stream);
}

template <class Fr>
void decimate_frequency(const Fr* in, Fr* out, const TwiddleTable<Fr>& table, NttExtras<Fr> extras,
                        cudaStream_t stream) {
  transform<Fr, false>(in, out, table.data(), table.log2(), table.begins_with_one(), extras, stream);
}

#define GROTH16_INSTANTIATE_NTT(FR)                                                                  \
  template class TwiddleTable<FR>;                                                                   \
  template void decimate_time(const FR*, FR*, const TwiddleTable<FR>&, NttExtras<FR>, cudaStream_t); \
  template void decimate_frequency(const FR*, FR*, const TwiddleTable<FR>&, NttExtras<FR>, cudaStream_t);

}  // namespace groth16::device
