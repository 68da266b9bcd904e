// Arithmetic on whole vectors of a scalar field, element by element, eight at a time where the processor has the lanes.
#pragma once

#include <span>

#include "groth16/algebra/compute.hpp"
#include "groth16/algebra/cpu_level.hpp"
#include "groth16/algebra/curves.hpp"

namespace groth16 {

// All spans of a call have the same size; out may be one of the others.

// out[i] = a[i] b[i]
template <class Fr>
void multiply_each(std::span<const Fr> a, std::span<const Fr> b, std::span<Fr> out, const Compute& compute,
                   CpuLevel level = cpu_level());

// out[i] = a[i] b[i] - c[i]
template <class Fr>
void multiply_each_less(std::span<const Fr> a, std::span<const Fr> b, std::span<const Fr> c, std::span<Fr> out,
                        const Compute& compute, CpuLevel level = cpu_level());

// out[i] = a[i] as a plain number.
template <class Fr>
void to_uint_each(std::span<const Fr> a, std::span<UInt<4>> out, const Compute& compute, CpuLevel level = cpu_level());

#define GROTH16_DECLARE_ELEMENTWISE(Fr)                                                                       \
  extern template void multiply_each(std::span<const Fr>, std::span<const Fr>, std::span<Fr>, const Compute&, \
                                     CpuLevel);                                                               \
  extern template void multiply_each_less(std::span<const Fr>, std::span<const Fr>, std::span<const Fr>,      \
                                          std::span<Fr>, const Compute&, CpuLevel);                           \
  extern template void to_uint_each(std::span<const Fr>, std::span<UInt<4>>, const Compute&, CpuLevel);
GROTH16_DECLARE_ELEMENTWISE(Bn254::Fr)
GROTH16_DECLARE_ELEMENTWISE(Bls12_381::Fr)
#undef GROTH16_DECLARE_ELEMENTWISE

}  // namespace groth16
