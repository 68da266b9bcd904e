// h: the scalars of the H sum from the rows of A w and B w, with C w taken as their product.
//
// A, B, C are the polynomials of degree < n with these values on the domain. P = A B - C vanishes there, so P = h Z
// with Z = X^n - 1. On the odd coset, the points w^(2j+1) with w of order 2n, Z is -2: values of P need no division,
// and coefficients of h are the transform back of P / -2.
#pragma once

#include <cstdint>
#include <span>

#include "groth16/algebra/compute.hpp"
#include "groth16/algebra/curve_id.hpp"
#include "groth16/proof/proving_key.hpp"

namespace groth16 {

// In: a and b as evaluate() writes them. Out: a holds, in Montgomery form, the scalar of each point of the key's
// section h: values of P at w^(2j+1) for odd_coset_lagrange, coefficients of h for monomial (the last, of X^(n-1), is
// zero and has no point); b is spent. All three spans have n = 2^domain_log2 elements; scratch is c's. The domain is
// smaller than 2^two_adicity, and the curve has the root (ProvingKey::open has checked both). Unspecified when compute
// was cancelled.
template <class C>
void h_scalars(std::uint32_t domain_log2, DomainRoot root, HBasis basis, std::span<typename C::Fr> a,
               std::span<typename C::Fr> b, std::span<typename C::Fr> scratch, const Compute& compute);

// Private memory that it takes at most: scratch and twiddles; a and b not included.
std::uint64_t h_private_bytes(const SystemSizes& sizes);

#define GROTH16_DECLARE_H(C)                                                                               \
  extern template void h_scalars<C>(std::uint32_t, DomainRoot, HBasis, std::span<C::Fr>, std::span<C::Fr>, \
                                    std::span<C::Fr>, const Compute&);
GROTH16_DECLARE_H(Bn254)
GROTH16_DECLARE_H(Bls12_381)
#undef GROTH16_DECLARE_H

}  // namespace groth16
