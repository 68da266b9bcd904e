// CardMultiples: multiples of a curve's generators made on the card, for key generation. One addition a window of 16
// bits from a table of 2^16 - 1 multiples for each window; points come back in affine form, several sharing one
// inversion. No CUDA type here.
#pragma once

#include <memory>

#include "groth16/proof/generator_multiples.hpp"

namespace groth16::device {

template <class C>
class CardMultiples final : public GeneratorMultiples<C> {
 public:
  using Fr = typename C::Fr;

  // The card is the calling thread's (use_first_device). Takes 3 (BN254: 2) x 96 MiB of its memory for the tables and
  // 1.5 GiB for points on their way. Errors: gpu.*.
  static groth16d::Result<std::unique_ptr<CardMultiples>> make();
  ~CardMultiples() override;

  // Errors: cancelled, gpu.*.
  groth16d::Result<void> in_g1(std::span<const Fr> scalars, std::span<typename C::G1> out,
                               const Compute& compute) const override;
  groth16d::Result<void> in_g2(std::span<const Fr> scalars, std::span<typename C::G2> out,
                               const Compute& compute) const override;

 private:
  struct Body;
  explicit CardMultiples(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

extern template class CardMultiples<Bn254>;
extern template class CardMultiples<Bls12_381>;

}  // namespace groth16::device
