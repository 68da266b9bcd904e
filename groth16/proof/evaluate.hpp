// evaluate: the rows of A w and B w, and the check that C w is their product.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "groth16/algebra/compute.hpp"
#include "groth16/proof/constraint_system.hpp"
#include "groth16/proof/packed_witness.hpp"

namespace groth16 {

// a[i] = <A_i, w> and b[i] = <B_i, w> in Montgomery form for every row, zero behind the last; both spans have
// domain_size() elements. Unspecified when compute was cancelled.
template <class C>
void evaluate(const ConstraintSystem<C>& system, const PackedWitness<C>& witness, std::span<typename C::Fr> a,
              std::span<typename C::Fr> b, const Compute& compute);

// The first constraint that the witness does not satisfy; nothing when it satisfies all, or when compute was cancelled.
// The system has C.
template <class C>
std::optional<std::uint64_t> first_unsatisfied_row(const ConstraintSystem<C>& system, const PackedWitness<C>& witness,
                                                   const Compute& compute);

// Private memory that either takes at most, a and b not included.
std::uint64_t evaluate_private_bytes(const SystemSizes& sizes);

#define GROTH16_DECLARE_EVALUATE(C)                                                                    \
  extern template void evaluate(const ConstraintSystem<C>&, const PackedWitness<C>&, std::span<C::Fr>, \
                                std::span<C::Fr>, const Compute&);                                     \
  extern template std::optional<std::uint64_t> first_unsatisfied_row(const ConstraintSystem<C>&,       \
                                                                     const PackedWitness<C>&, const Compute&);
GROTH16_DECLARE_EVALUATE(Bn254)
GROTH16_DECLARE_EVALUATE(Bls12_381)
#undef GROTH16_DECLARE_EVALUATE

}  // namespace groth16
