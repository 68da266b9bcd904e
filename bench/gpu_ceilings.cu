// Chains of dependent products in registers, two a thread, on as many threads as the card holds; a copy of 8 GiB.
#include "bench/gpu_ceilings.hpp"

#include <vector>

#include "bench/card_timing.hpp"
#include "cuda/device_array.cuh"
#include "cuda/threads.cuh"
#include "groth16/algebra/bls12_381.hpp"

namespace groth16d::bench {

namespace {

using groth16::device::DeviceArray;
using groth16::device::Stream;

enum class Operation { product, square, sum };
constexpr int kSteps = 1000;

template <class F, Operation kOperation>
__global__ void __launch_bounds__(128) chains(F* values) {
  const std::size_t i = groth16::device::thread_index();
  F a = values[2 * i], b = values[2 * i + 1];
  const F factor = a;
#pragma unroll 1
  for (int step = 0; step < kSteps; ++step) {
    if constexpr (kOperation == Operation::product) {
      a = a * factor;
      b = b * factor;
    } else if constexpr (kOperation == Operation::square) {
      a = a.square();
      b = b.square();
    } else {
      a = a + factor;
      b = b + factor;
    }
  }
  values[2 * i] = a;
  values[2 * i + 1] = b;
}

template <class F, Operation kOperation>
double per_second(const Stream& stream) {
  constexpr std::size_t kThreads = 132 * 1024;
  const std::vector<F> start(2 * kThreads, F::from_u64(5));
  const DeviceArray<F> values(start.size(), "chains");
  groth16::device::upload(values.data(), std::span<const F>(start), stream.get());
  const double ms = median_card_ms(stream, 5, [&] {
    chains<F, kOperation><<<kThreads / 128, 128, 0, stream.get()>>>(values.data());
    groth16::device::check_launch("chains");
  });
  return 2.0 * kSteps * kThreads / ms * 1e3;
}

// Bytes from the host's pinned memory to the card's.
double uploads_per_second(const DeviceArray<std::byte>& to, const Stream& stream) {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  std::byte* from = nullptr;
  groth16::device::check(cudaMallocHost(reinterpret_cast<void**>(&from), kBytes), "cudaMallocHost of an upload");
  const double ms = median_card_ms(
      stream, 5, [&] { groth16::device::upload(to.data(), std::span<const std::byte>(from, kBytes), stream.get()); });
  groth16::device::check(cudaFreeHost(from), "cudaFreeHost");
  return kBytes / ms * 1e3;
}

}  // namespace

Ceilings measure_ceilings() {
  using Fq = groth16::Bls12_381::Fq;
  using Fr = groth16::Bls12_381::Fr;
  const Stream stream;
  Ceilings out;
  out.fq_products = per_second<Fq, Operation::product>(stream);
  out.fr_products = per_second<Fr, Operation::product>(stream);
  out.fq_squares = per_second<Fq, Operation::square>(stream);
  out.fq_sums = per_second<Fq, Operation::sum>(stream);
  constexpr std::size_t kBytes = std::size_t{8} << 30;
  const DeviceArray<std::byte> from(kBytes, "a copy"), to(kBytes, "a copy");
  groth16::device::set_bytes(from.data(), 1, kBytes, stream.get());
  const double ms = median_card_ms(stream, 5, [&] {
    groth16::device::check(cudaMemcpyAsync(to.data(), from.data(), kBytes, cudaMemcpyDeviceToDevice, stream.get()),
                           "cudaMemcpyAsync on the card");
  });
  out.copied_bytes = 2.0 * kBytes / ms * 1e3;
  out.uploaded_bytes = uploads_per_second(to, stream);
  return out;
}

}  // namespace groth16d::bench
