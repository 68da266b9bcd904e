// FixedBase: many multiples of one point, from a table of its multiples by the digits of every window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "groth16/algebra/bls12_381.hpp"
#include "groth16/algebra/bn254.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/algebra/curve.hpp"

namespace groth16 {

template <class F>
class FixedBase {
 public:
  // The table takes 32 x 255 points, 1.5 MiB for the largest.
  explicit FixedBase(const Affine<F>& base);

  // out[i] = [scalars[i]] base, scalars any elements of a scalar field. Unspecified when compute was cancelled.
  template <class Fr>
  void multiply(std::span<const Fr> scalars, std::span<Affine<F>> out, const Compute& compute) const;

  Jacobian<F> times(const UInt<4>& scalar) const;

 private:
  static constexpr unsigned kWindowBits = 8;
  static constexpr std::size_t kWindows = 256 / kWindowBits;
  static constexpr std::size_t kDigits = (std::size_t{1} << kWindowBits) - 1;

  std::vector<Affine<F>> table_;  // [window][digit - 1] = [digit 2^(8 window)] base
};

#define GROTH16_DECLARE_FIXED_BASE(F, Fr) \
  extern template class FixedBase<F>;     \
  extern template void FixedBase<F>::multiply(std::span<const Fr>, std::span<Affine<F>>, const Compute&) const;
GROTH16_DECLARE_FIXED_BASE(Bn254::Fq, Bn254::Fr)
GROTH16_DECLARE_FIXED_BASE(Bn254::Fq2, Bn254::Fr)
GROTH16_DECLARE_FIXED_BASE(Bls12_381::Fq, Bls12_381::Fr)
GROTH16_DECLARE_FIXED_BASE(Bls12_381::Fq2, Bls12_381::Fr)
#undef GROTH16_DECLARE_FIXED_BASE

}  // namespace groth16
