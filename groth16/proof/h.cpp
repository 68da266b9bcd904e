// Six transforms to the odd coset, and for the monomial basis a seventh back.
#include "groth16/proof/h.hpp"

#include <algorithm>

#include "groth16/algebra/elementwise.hpp"
#include "groth16/algebra/ntt.hpp"

namespace groth16 {

namespace {

constexpr std::size_t kValueGrain = 4096;

}  // namespace

template <class C>
void h_scalars(std::uint32_t domain_log2, DomainRoot root, HBasis basis, std::span<typename C::Fr> a,
               std::span<typename C::Fr> b, std::span<typename C::Fr> scratch, const Compute& compute) {
  using Fr = typename C::Fr;
  const Domain<Fr> domain(C::root_of_unity(root, domain_log2), domain_log2, compute);
  const Fr shift = C::root_of_unity(root, domain_log2 + 1);
  const std::span<Fr> c = scratch;

  multiply_each<Fr>(a, b, c, compute);
  for (const std::span<Fr> values : {a, b, c}) {
    domain.inverse(values, compute);
    Domain<Fr>::coset_scale(values, shift, compute);
    domain.forward(values, compute);
  }
  multiply_each_less<Fr>(a, b, c, a, compute);
  if (basis == HBasis::odd_coset_lagrange) return;

  const Fr inverse_of_z = -Fr::from_u64(2).inverse();
  const auto divide = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) a[i] *= inverse_of_z;
  };
  compute.parallel_for(a.size(), divide, kValueGrain);
  domain.inverse(a, compute);
  Domain<Fr>::coset_scale(a, shift.inverse(), compute);
}

std::uint64_t h_private_bytes(const SystemSizes& sizes) {
  constexpr std::uint64_t kFrBytes = 32;          // both curves
  return sizes.domain_size() * kFrBytes * 3 / 2;  // scratch, and half as many twiddles
}

#define GROTH16_DEFINE_H(C)                                                                                           \
  template void h_scalars<C>(std::uint32_t, DomainRoot, HBasis, std::span<C::Fr>, std::span<C::Fr>, std::span<C::Fr>, \
                             const Compute&);
GROTH16_DEFINE_H(Bn254)
GROTH16_DEFINE_H(Bls12_381)

}  // namespace groth16
