// assemble: from the sums and fresh r, s to a proof (Groth 2016, section 3.2):
//   A = alpha + sum a + r delta       B = beta + sum b + s delta (in G2, and in G1 as B1)
//   C = L + H + s A + r B1 - r s delta
#pragma once

#include "groth16/proof/blinding.hpp"
#include "groth16/proof/proof.hpp"
#include "groth16/proof/proving_key.hpp"
#include "groth16/proof/sums.hpp"

namespace groth16 {

// One proof for one blinding: a second proof takes a second draw.
template <class C>
Proof<C> assemble(const ProvingKey<C>& key, const ProveSums<C>& sums, const typename C::G2& b2,
                  const Blinding<C>& blinding);

#define GROTH16_DECLARE_ASSEMBLE(C) \
  extern template Proof<C> assemble(const ProvingKey<C>&, const ProveSums<C>&, const C::G2&, const Blinding<C>&);
GROTH16_DECLARE_ASSEMBLE(Bn254)
GROTH16_DECLARE_ASSEMBLE(Bls12_381)
#undef GROTH16_DECLARE_ASSEMBLE

}  // namespace groth16
