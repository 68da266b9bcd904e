// Domain<Fr>: the powers of a root of unity, and the number-theoretic transforms between the coefficients of a
// polynomial and its values there.
//
// The butterflies run from wide to narrow with the twiddles in bit-reversed order (Cooley, Tukey 1965, in the form of
// Longa, Naehrig 2016): every block of a layer has one twiddle, all layers read the same table from its start, and
// from a certain layer on blocks fit the cache and are finished there. Where the processor has IFMA, eight butterflies
// are one (lane_transform.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "groth16/algebra/bls12_381.hpp"
#include "groth16/algebra/bn254.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/algebra/cpu_level.hpp"

namespace groth16 {

template <class Fr>
class Domain {
 public:
  // root has order exactly 2^log2 (C::root_of_unity(kind, log2)); log2 <= 32. Memory: size() / 2 elements. level is one
  // that this machine has.
  Domain(const Fr& root, unsigned log2, const Compute& compute = Compute(1), CpuLevel level = cpu_level());

  std::size_t size() const { return std::size_t{1} << log2_; }
  unsigned log2() const { return log2_; }
  const Fr& root() const { return root_; }

  // Coefficients to values, in place: out[j] = sum over i of in[i] root^(ij). Natural order in and out. values.size()
  // is size(). Unspecified when compute was cancelled; so for all below. Memory: at most 320 KiB a thread.
  void forward(std::span<Fr> values, const Compute& compute) const;

  // Values to coefficients, in place: the inverse of forward, the factor 1/size() included.
  void inverse(std::span<Fr> values, const Compute& compute) const;

  // Multiplies element i by g^i: between an inverse and a forward transform this moves a polynomial to the coset g.
  static void coset_scale(std::span<Fr> values, const Fr& g, const Compute& compute, CpuLevel level = cpu_level());

 private:
  void transform(std::span<Fr> values, const Compute& compute) const;
  void wide_layer(std::span<Fr> values, unsigned layer, const Compute& compute) const;
  void wide_layer_pair(std::span<Fr> values, unsigned layer, const Compute& compute) const;
  void narrow_layers(std::span<Fr> block, std::size_t block_index, unsigned first_layer) const;
  void reverse(std::span<Fr> values, const Compute& compute) const;

  unsigned log2_;
  Fr root_;
  Fr size_inverse_;
  bool has_lanes_;
  std::vector<Fr> twiddles_;  // twiddles_[i] = root^(i with its log2-1 bits reversed), times a factor for lanes
};

extern template class Domain<Bn254::Fr>;
extern template class Domain<Bls12_381::Fr>;

}  // namespace groth16
