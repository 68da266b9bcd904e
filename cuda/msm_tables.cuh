// The kernels that make points: multiples for the tables of a sum, and walks. Points are computed projectively and
// brought to affine form by one inversion for several points (Montgomery's trick) a thread.
#pragma once

#include <cstdint>

#include "cuda/device_array.cuh"
#include "cuda/msm.cuh"
#include "cuda/threads.cuh"
#include "groth16/algebra/curve.hpp"

namespace groth16::device {

inline constexpr unsigned kTableThreads = 128;
inline constexpr unsigned kPointsPerInversion = 16;
inline constexpr std::size_t kTableBlock = std::size_t{1} << 20;  // points a launch, which scratch is sized for

// Blocks of kTableThreads for count points.
inline unsigned table_blocks(std::size_t count) {
  return blocks_for((count + kPointsPerInversion - 1) / kPointsPerInversion, kTableThreads);
}

// Points whose numerators and denominators were put aside, to affine form. Thread t of a launch owns points t, t +
// stride, ... below count; product is that of their zzz.
template <class F>
__device__ void normalize(Affine<F>* points, Denominators<F>* scratch, std::size_t t, std::size_t stride,
                          std::size_t count, F product) {
  F inverse = product.inverse();
  const std::size_t owned = (count - t + stride - 1) / stride;
  for (std::size_t j = owned; j-- > 0;) {
    const std::size_t i = t + j * stride;
    const F zzz = load16(&scratch[i].zzz);
    if (zzz.is_zero()) {
      store16(points + i, Affine<F>::infinity());
      continue;
    }
    const F inverse_zzz = inverse * load16(&scratch[i].product);
    inverse = inverse * zzz;
    const F inverse_z = inverse_zzz * load16(&scratch[i].zz);  // zz = z^2, zzz = z^3
    const Affine<F> numerators = load16(points + i);
    store16(points + i, Affine<F>{numerators.x * inverse_z.square(), numerators.y * inverse_zzz});
  }
}

// Leaves a point for normalize and takes it into the product.
template <class F>
__device__ __forceinline__ void put_aside(const Xyzz<F>& point, Affine<F>* points, Denominators<F>* scratch,
                                          std::size_t i, F& product) {
  store16(points + i, Affine<F>{point.x, point.y});
  store16(&scratch[i].zz, point.zz);
  store16(&scratch[i].zzz, point.zzz);
  store16(&scratch[i].product, product);
  if (!point.zzz.is_zero()) product = product * point.zzz;
}

// out[i] = [2^doublings] in[i], doublings at least 1.
template <class F>
__global__ void __launch_bounds__(kTableThreads)
    multiply_by_power_of_two(const Affine<F>* in, Affine<F>* out, Denominators<F>* scratch, std::size_t count,
                             unsigned doublings) {
  const std::size_t t = thread_index(), stride = std::size_t{gridDim.x} * blockDim.x;
  if (t >= count) return;
  F product = F::one();
  for (std::size_t i = t; i < count; i += stride) {
    Xyzz<F> point = Xyzz<F>::from_affine(load16(in + i));
    for (unsigned n = 0; n < doublings; ++n) point = point.doubled();
    put_aside(point, out, scratch, i, product);
  }
  normalize(out, scratch, t, stride, count, product);
}

// out[i] = [first + i] generator; each thread walks kPointsPerInversion neighbours.
template <class F>
__global__ void __launch_bounds__(kTableThreads)
    walk_from(Affine<F> generator, std::uint64_t first, Affine<F>* out, Denominators<F>* scratch, std::size_t count) {
  const std::size_t begin = thread_index() * kPointsPerInversion;
  if (begin >= count) return;
  const std::size_t owned = count - begin < kPointsPerInversion ? count - begin : kPointsPerInversion;
  Xyzz<F> point = Xyzz<F>::infinity();
  const std::uint64_t multiple = first + begin;
  for (unsigned bit = 64; bit-- > 0;) {
    point = point.doubled();
    if (((multiple >> bit) & 1) != 0) point += generator;
  }
  F product = F::one();
  for (std::size_t i = begin; i < begin + owned; ++i) {
    put_aside(point, out, scratch, i, product);
    point += generator;
  }
  normalize(out + begin, scratch + begin, 0, 1, owned, product);
}

}  // namespace groth16::device
