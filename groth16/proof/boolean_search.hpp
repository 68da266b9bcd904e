// boolean_search: which private wires of a constraint system can only be bits, found once per circuit from its rows.
//
// Two rules, applied to the rows in order:
//   1. A and B are multiples of x and x - 1 (in either order) and C, where there is one, is zero: x is a bit.
//   2. all wires of the row but one are known bits, that one, z, occurs in C only, and for every choice of the known
//   bits
//      (at most 2^4) the row gives z the value 0 or 1: z is a bit. (AND, XOR, choice; needs C.)
// Without C rule 1 is a guess: the row might define y = x (x - 1). A wrong guess costs an exception in the packed
// witness and never changes a meaning.
#pragma once

#include <cstdint>
#include <span>

#include "groth16/proof/constraint_system.hpp"

namespace groth16 {

// Sets the bit of each boolean wire that the rules find, in a bitmap as SystemHeader describes it. Bits already set are
// taken as known. The system's own bitmap is not read, so it may lie in the same bytes.
template <class C>
void find_boolean_wires(const ConstraintSystem<C>& system, std::span<std::uint64_t> bitmap);

extern template void find_boolean_wires(const ConstraintSystem<Bn254>&, std::span<std::uint64_t>);
extern template void find_boolean_wires(const ConstraintSystem<Bls12_381>&, std::span<std::uint64_t>);

}  // namespace groth16
