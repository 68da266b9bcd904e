// The field and curve templates of groth16/algebra as kernels: element-wise products and point sums over device arrays.
// One thread an element; all pointers are device memory of at least count elements.
#include <cstddef>

#include "groth16/algebra/bls12_381.hpp"
#include "groth16/algebra/bn254.hpp"
#include "groth16/algebra/curve.hpp"

namespace groth16::device {

__device__ inline std::size_t thread_index() { return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; }

template <class F>
__global__ void multiply(const F* a, const F* b, F* out, std::size_t count) {
  const std::size_t i = thread_index();
  if (i < count) out[i] = a[i] * b[i];
}

// sums[i] += points[i], in the accumulators of an MSM's buckets.
template <class F>
__global__ void accumulate(const Affine<F>* points, Xyzz<F>* sums, std::size_t count) {
  const std::size_t i = thread_index();
  if (i < count) sums[i] += points[i];
}

template __global__ void multiply<Bn254::Fr>(const Bn254::Fr*, const Bn254::Fr*, Bn254::Fr*, std::size_t);
template __global__ void multiply<Bn254::Fq>(const Bn254::Fq*, const Bn254::Fq*, Bn254::Fq*, std::size_t);
template __global__ void multiply<Bls12_381::Fr>(const Bls12_381::Fr*, const Bls12_381::Fr*, Bls12_381::Fr*,
                                                 std::size_t);
template __global__ void multiply<Bls12_381::Fq>(const Bls12_381::Fq*, const Bls12_381::Fq*, Bls12_381::Fq*,
                                                 std::size_t);
template __global__ void accumulate<Bn254::Fq>(const Affine<Bn254::Fq>*, Xyzz<Bn254::Fq>*, std::size_t);
template __global__ void accumulate<Bn254::Fq2>(const Affine<Bn254::Fq2>*, Xyzz<Bn254::Fq2>*, std::size_t);
template __global__ void accumulate<Bls12_381::Fq>(const Affine<Bls12_381::Fq>*, Xyzz<Bls12_381::Fq>*, std::size_t);
template __global__ void accumulate<Bls12_381::Fq2>(const Affine<Bls12_381::Fq2>*, Xyzz<Bls12_381::Fq2>*, std::size_t);

}  // namespace groth16::device
