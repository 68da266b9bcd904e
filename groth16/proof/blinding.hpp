// Blinding: the two secrets that make a proof zero-knowledge. Who learns r or s of a proof learns about its witness, so
// they come from the kernel, live in one object that cannot be copied or printed, and are wiped with it.
#pragma once

#include "common/error.hpp"
#include "groth16/algebra/bls12_381.hpp"
#include "groth16/algebra/bn254.hpp"
#include "groth16/proof/proof.hpp"

namespace groth16 {

template <class C>
class ProvingKey;
template <class C>
struct ProveSums;

// A uniform number below r from getrandom(2), by rejection. Error (system): random.unavailable.
template <class C>
groth16d::Result<typename C::Scalar> draw_scalar();

template <class C>
class Blinding {
 public:
  using Scalar = typename C::Scalar;

  // Fresh r and s. Error (system): random.unavailable.
  static groth16d::Result<Blinding> draw();

  Blinding(const Blinding&) = delete;
  Blinding& operator=(const Blinding&) = delete;
  Blinding(Blinding&& other) noexcept;
  Blinding& operator=(Blinding&&) = delete;
  ~Blinding();

 private:
  template <class D>
  friend Proof<D> assemble(const ProvingKey<D>& key, const ProveSums<D>& sums, const typename D::G2& b2,
                           const Blinding<D>& blinding);

  Blinding() = default;
  void wipe();

  Scalar r_{}, s_{};
};

extern template groth16d::Result<Bn254::Scalar> draw_scalar<Bn254>();
extern template groth16d::Result<Bls12_381::Scalar> draw_scalar<Bls12_381>();
extern template class Blinding<Bn254>;
extern template class Blinding<Bls12_381>;

}  // namespace groth16
