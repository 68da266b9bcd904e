// prove: all steps in one call and one process, the reference that the daemon's stages are compared with.
#pragma once

#include <string_view>

#include "common/error.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/proof/packed_witness.hpp"
#include "groth16/proof/proof.hpp"
#include "groth16/proof/proving_key.hpp"

namespace groth16 {

// What a proof that does not verify means where a key is all that is known of its circuit.
inline constexpr std::string_view kUnverifiedWithoutC =
    "the proof does not verify: most likely the witness does not satisfy the circuit. A key does not hold the whole "
    "constraint system; register the circuit with its .r1cs to have the row named";

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
