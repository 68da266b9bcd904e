// Writing a .zkey that snarkjs and rapidsnark prove with and export the verification key from.
#pragma once

#include "common/error.hpp"
#include "groth16/algebra/curves.hpp"
#include "groth16/formats/byte_sink.hpp"
#include "groth16/proof/constraint_system.hpp"
#include "groth16/proof/proving_key.hpp"

namespace groth16::formats {

// Writes the sections in the order of `snarkjs groth16 setup` (1, 2, 4, 3, 9, 8, 5, 6, 7, 10), with a transcript of no
// contributions (so `snarkjs zkey verify` refuses the file), and, for a key that carries kKeyDevelopment, one more
// section (kZkeyDevelopmentSection) that says so. The key has the H basis odd_coset_lagrange and the root five, and
// belongs to the system. Errors: zkey.basis (malformed), key.system_sizes, zkey.coefficient_count (too_large), those of
// the sink.
template <class C>
groth16d::Result<void> write_zkey(ByteSink& sink, const ProvingKey<C>& key, const ConstraintSystem<C>& system);

extern template groth16d::Result<void> write_zkey(ByteSink&, const ProvingKey<Bn254>&, const ConstraintSystem<Bn254>&);
extern template groth16d::Result<void> write_zkey(ByteSink&, const ProvingKey<Bls12_381>&,
                                                  const ConstraintSystem<Bls12_381>&);

}  // namespace groth16::formats
