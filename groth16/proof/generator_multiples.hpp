// GeneratorMultiples: who multiplies a curve's two generators by many scalars, which is nearly all of the work of key
// generation. The host's cores do it here; a card does it in cuda/card_multiples.hpp.
#pragma once

#include <span>

#include "common/error.hpp"
#include "groth16/algebra/bls12_381.hpp"
#include "groth16/algebra/bn254.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/proof/fixed_base.hpp"

namespace groth16 {

template <class C>
class GeneratorMultiples {
 public:
  using Fr = typename C::Fr;

  virtual ~GeneratorMultiples() = default;
  // out[i] = [scalars[i]] generator, as many of each. Unspecified when compute was cancelled. Errors: the device's.
  virtual groth16d::Result<void> in_g1(std::span<const Fr> scalars, std::span<typename C::G1> out,
                                       const Compute& compute) const = 0;
  virtual groth16d::Result<void> in_g2(std::span<const Fr> scalars, std::span<typename C::G2> out,
                                       const Compute& compute) const = 0;
};

// On the host's cores; never an error.
template <class C>
class HostMultiples final : public GeneratorMultiples<C> {
 public:
  using Fr = typename C::Fr;

  groth16d::Result<void> in_g1(std::span<const Fr> scalars, std::span<typename C::G1> out,
                               const Compute& compute) const override {
    g1_.multiply(scalars, out, compute);
    return {};
  }
  groth16d::Result<void> in_g2(std::span<const Fr> scalars, std::span<typename C::G2> out,
                               const Compute& compute) const override {
    g2_.multiply(scalars, out, compute);
    return {};
  }

 private:
  FixedBase<typename C::Fq> g1_{C::generator_g1()};
  FixedBase<typename C::Fq2> g2_{C::generator_g2()};
};

}  // namespace groth16
