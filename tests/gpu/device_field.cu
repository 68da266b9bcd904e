// One thread a pair of operands.
#include "tests/gpu/device_field.hpp"

#include "cuda/device_array.cuh"
#include "cuda/threads.cuh"

namespace groth16::test {

namespace {

template <class F>
__global__ void compute(const F* a, const F* b, DeviceResults<F>* out, std::size_t count) {
  const std::size_t i = device::thread_index();
  if (i >= count) return;
  const F x = a[i], y = b[i];
  out[i] = {x + y, x - y, x * y, x.square(), x.inverse(), difference_of_products(x, y, y, x + y)};
}

}  // namespace

template <class F>
std::vector<DeviceResults<F>> compute_on_device(std::span<const F> a, std::span<const F> b) {
  const device::Stream stream;
  const device::DeviceArray<F> first(a.size(), "operands"), second(b.size(), "operands");
  const device::DeviceArray<DeviceResults<F>> results(a.size(), "results");
  device::upload(first.data(), a, stream.get());
  device::upload(second.data(), b, stream.get());
  compute<F><<<device::blocks_for(a.size(), 64), 64, 0, stream.get()>>>(first.data(), second.data(), results.data(),
                                                                        a.size());
  device::check_launch("compute");
  std::vector<DeviceResults<F>> out(a.size());
  device::download(std::span(out), static_cast<const DeviceResults<F>*>(results.data()), stream.get());
  stream.wait("field operations");
  return out;
}

#define GROTH16_INSTANTIATE(F) \
  template std::vector<DeviceResults<F>> compute_on_device(std::span<const F>, std::span<const F>);
GROTH16_INSTANTIATE(Bn254::Fq)
GROTH16_INSTANTIATE(Bn254::Fr)
GROTH16_INSTANTIATE(Bn254::Fq2)
GROTH16_INSTANTIATE(Bls12_381::Fq)
GROTH16_INSTANTIATE(Bls12_381::Fr)
GROTH16_INSTANTIATE(Bls12_381::Fq2)

}  // namespace groth16::test
