// HTransforms: the scalars of the H sum from the rows of A w and B w, in six transforms and without C
// (groth16/proof/h.hpp has the notation; p is the vector a_i b_i, which is c where the witness satisfies the system).
//
// monomial: with P = A B as polynomials, P mod X^n - 1 has the values a_i b_i on the domain, P mod X^n + 1 the values
// of A B on the odd coset, and P = h X^n + (C - h). So h is half the difference of the two remainders: coefficients of
// p, less those of the product on the coset, over two. Both come in bit-reversed order, and so do the key's points.
//
// odd_coset_lagrange: A B - C on the odd coset, each of the three brought there by a pair of transforms; natural order.
//
// The factors 1/n that each inverse transform lacks, and the way out of Montgomery form, are in the last products.
#pragma once

#include <optional>

#include "cuda/ntt.cuh"
#include "groth16/algebra/curve_id.hpp"
#include "groth16/proof/proving_key.hpp"

namespace groth16::device {

template <class C>
class HTransforms {
 public:
  using Fr = typename C::Fr;

  HTransforms(std::uint32_t domain_log2, DomainRoot root, HBasis basis, const Stream& stream);
  static std::uint64_t planned_bytes(std::uint32_t domain_log2, HBasis basis);

  // In: a and b, n rows each. Out: scalars[i], plain, of the key's point number i (its bits reversed for monomial). a,
  // b and product are spent; scalars may be b.
  void run(Fr* a, Fr* b, Fr* product, UInt<4>* scalars, cudaStream_t stream) const;

  // Whether the points' order is bit-reversed.
  bool reverses() const { return basis_ == HBasis::monomial; }

 private:
  HBasis basis_;
  TwiddleTable<Fr> to_coefficients_, to_coset_;
  std::optional<TwiddleTable<Fr>> from_coset_;
};

// out[i], or out[i with its log2 bits reversed], = in[i] for first <= i < first + count; in[0] is element first.
template <class F>
void place_points(const Affine<F>* in, std::size_t first, std::size_t count, unsigned log2, bool reversed,
                  Affine<F>* out, cudaStream_t stream);

// out[i] = scalars[first + i], or scalars[first + i with its log2 bits reversed]: those of points first ... first +
// count
// - 1.
void take_scalars(const UInt<4>* scalars, std::size_t first, std::size_t count, unsigned log2, bool reversed,
                  UInt<4>* out, cudaStream_t stream);

}  // namespace groth16::device
