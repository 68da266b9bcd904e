// with_curve: from a curve's name at run time to code compiled for that curve.
#pragma once

#include <utility>

#include "groth16/algebra/bls12_381.hpp"
#include "groth16/algebra/bn254.hpp"
#include "groth16/algebra/curve_id.hpp"

namespace groth16 {

// Calls fn.template operator()<C>() with the description of the curve. The caller has checked that id is one of the
// enumerators; both calls return the same type.
template <class Fn>
decltype(auto) with_curve(CurveId id, Fn&& fn) {
  if (id == CurveId::bls12_381) return std::forward<Fn>(fn).template operator()<Bls12_381>();
  return std::forward<Fn>(fn).template operator()<Bn254>();
}

// The coordinates that points have here: those of G1 and G2 of each curve.
#define GROTH16_FOR_EACH_POINT_FIELD(DO) DO(Bn254::Fq) DO(Bn254::Fq2) DO(Bls12_381::Fq) DO(Bls12_381::Fq2)

}  // namespace groth16
