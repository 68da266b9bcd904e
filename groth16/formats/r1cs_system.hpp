// From an .r1cs file to a constraint system, and whether a key's system is the same one.
#pragma once

#include "common/error.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/formats/r1cs.hpp"
#include "groth16/proof/constraint_system_builder.hpp"

namespace groth16::formats {

// The sizes of the system in the smallest domain that holds its rows, as snarkjs chooses it. Error (too_large):
// r1cs.domain, more rows than the curve's largest domain with an odd coset.
groth16d::Result<SystemSizes> system_sizes(const R1csFile& file);

// Adds all rows of the file, then the public rows, to a builder that was made with its sizes and has_c. Errors: those
// of R1csFile::Rows::next.
template <class C>
groth16d::Result<void> collect(const R1csFile& file, ConstraintSystemBuilder<C>& builder);

// Whether A and B of a key's system (from a .zkey, without C) are those of an .r1cs, row by row, whatever the order
// and splitting of terms. Errors (mismatch): r1cs.other_circuit, naming both files, the first row that differs, and its
// matrix; cancelled.
template <class C>
groth16d::Result<void> check_same_circuit(const ConstraintSystem<C>& of_key, const std::string& key_file,
                                          const ConstraintSystem<C>& of_r1cs, const std::string& r1cs_file,
                                          const Compute& compute);

#define GROTH16_DECLARE_R1CS_SYSTEM(C)                                                          \
  extern template groth16d::Result<void> collect(const R1csFile&, ConstraintSystemBuilder<C>&); \
  extern template groth16d::Result<void> check_same_circuit(                                    \
      const ConstraintSystem<C>&, const std::string&, const ConstraintSystem<C>&, const std::string&, const Compute&);
GROTH16_DECLARE_R1CS_SYSTEM(Bn254)
GROTH16_DECLARE_R1CS_SYSTEM(Bls12_381)
#undef GROTH16_DECLARE_R1CS_SYSTEM

}  // namespace groth16::formats
