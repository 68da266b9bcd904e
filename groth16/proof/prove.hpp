// prove: all steps in one call and one process, the reference that the daemon's stages are compared with.
#pragma once

#include "common/error.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/proof/packed_witness.hpp"
#include "groth16/proof/proof.hpp"
#include "groth16/proof/proving_key.hpp"

namespace groth16 {

// Evaluates, sums, assembles with fresh r and s, and verifies: a proof that is returned is valid for the witness's
// public inputs. Errors: those of the steps; verify.equation says the failing row when the system has C.
template <class C>
groth16d::Result<Proof<C>> prove(const ProvingKey<C>& key, const PackedWitness<C>& witness, const Compute& compute);

#define GROTH16_DECLARE_PROVE(C) \
  extern template groth16d::Result<Proof<C>> prove(const ProvingKey<C>&, const PackedWitness<C>&, const Compute&);
GROTH16_DECLARE_PROVE(Bn254)
GROTH16_DECLARE_PROVE(Bls12_381)
#undef GROTH16_DECLARE_PROVE

}  // namespace groth16
