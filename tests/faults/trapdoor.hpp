// Trapdoor: who knows the toxic values of a key gets the four sums of the prove stage by field arithmetic: three inner
// products with the Lagrange basis at tau, and a handful of scalar multiplications. A test can so stand a prove stage
// in front of real finalizers, which check the pairing, at a hundredth of its price.
//
// With a, b, c the values at tau of the polynomials through the rows of A w, B w and their products, and the key's
// points as proving_key.hpp defines them:
//   A = [a]1    B1 = [b]1    H = [(a b - c) / delta]1, whatever the basis
//   L = [(beta a + alpha b + c) / delta]1 - [1 / delta] sum over the public wires of [w_s] ic_s        (gamma is 1)
// c is the product of the rows, not C w, so the sums of an unsatisfied witness give a forged proof that verifies.
#pragma once

#include <span>
#include <vector>

#include "common/error.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/proof/keygen.hpp"
#include "groth16/proof/packed_witness.hpp"
#include "groth16/proof/sums.hpp"

namespace groth16d::faults {

template <class C>
class Trapdoor {
 public:
  using Fr = typename C::Fr;

  explicit Trapdoor(const groth16::ToxicWaste<C>& toxic) : toxic_(toxic) {}

  // a and b as evaluate() writes them; they are not changed. Errors: mismatch "trapdoor.key" (a key of other toxic
  // values), internal "sums.spans", cancelled.
  Result<groth16::ProveSums<C>> sums(const groth16::ProvingKey<C>& key, const groth16::PackedWitness<C>& witness,
                                     std::span<const Fr> a, std::span<const Fr> b, const groth16::Compute& compute);

 private:
  void prepare(const groth16::ProvingKey<C>& key, const groth16::Compute& compute);

  groth16::ToxicWaste<C> toxic_;
  std::vector<Fr> lagrange_;  // at tau, of the last key's domain
  Fr root_ = Fr::zero();
};

extern template class Trapdoor<groth16::Bn254>;
extern template class Trapdoor<groth16::Bls12_381>;

}  // namespace groth16d::faults
