// The last arithmetic of a proof: a handful of scalar multiplications.
#include "groth16/proof/assemble.hpp"

#include <cstring>

namespace groth16 {

template <class C>
Proof<C> assemble(const ProvingKey<C>& key, const ProveSums<C>& sums, const typename C::G2& b2,
                  const Blinding<C>& blinding) {
  using G1 = Jacobian<typename C::Fq>;
  using G2 = Jacobian<typename C::Fq2>;
  const auto& r = blinding.r_;
  const auto& s = blinding.s_;
  auto rs = (C::Fr::from_uint(r) * C::Fr::from_uint(s)).to_uint();

  const G1 a = G1::from_affine(key.alpha1()) + sums.a + times(key.delta1(), r);
  const G2 b = G2::from_affine(key.beta2()) + b2 + times(key.delta2(), s);
  const G1 b1 = G1::from_affine(key.beta1()) + sums.b1 + times(key.delta1(), s);
  const G1 c = G1::from_affine(sums.l) + sums.h + a.times(s) + b1.times(r) - times(key.delta1(), rs);
  explicit_bzero(&rs, sizeof(rs));
  return {a.to_affine(), b.to_affine(), c.to_affine()};
}

#define GROTH16_DEFINE_ASSEMBLE(C) \
  template Proof<C> assemble(const ProvingKey<C>&, const ProveSums<C>&, const C::G2&, const Blinding<C>&);
GROTH16_DEFINE_ASSEMBLE(Bn254)
GROTH16_DEFINE_ASSEMBLE(Bls12_381)

}  // namespace groth16
