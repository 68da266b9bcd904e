// The optimal ate pairing e: G1 x G2 -> the r-th roots of unity of Fq12 (Vercauteren 2010, "Optimal pairings").
#pragma once

#include <span>
#include <utility>

#include "groth16/algebra/bls12_381.hpp"
#include "groth16/algebra/bn254.hpp"

namespace groth16 {

// The reduced pairing of two points of the groups of order r (the caller has checked: C::in_subgroup). One when either
// is infinity.
template <class C>
typename C::Fq12 pairing(const typename C::G1& p, const typename C::G2& q);

// Whether the product of the pairings of all pairs is one. All share one Miller loop and one final exponentiation.
// True for no pairs.
template <class C>
bool pairing_product_is_one(std::span<const std::pair<typename C::G1, typename C::G2>> pairs);

// The two halves of a pairing, for who combines values of the first before paying for the second.
template <class C>
typename C::Fq12 miller_loop(std::span<const std::pair<typename C::G1, typename C::G2>> pairs);
template <class C>
typename C::Fq12 final_exponentiation(const typename C::Fq12& value);

#define GROTH16_DECLARE_PAIRING(C)                                                          \
  extern template C::Fq12 pairing<C>(const C::G1&, const C::G2&);                           \
  extern template bool pairing_product_is_one<C>(std::span<const std::pair<C::G1, C::G2>>); \
  extern template C::Fq12 miller_loop<C>(std::span<const std::pair<C::G1, C::G2>>);         \
  extern template C::Fq12 final_exponentiation<C>(const C::Fq12&);
GROTH16_DECLARE_PAIRING(Bn254)
GROTH16_DECLARE_PAIRING(Bls12_381)
#undef GROTH16_DECLARE_PAIRING

}  // namespace groth16
