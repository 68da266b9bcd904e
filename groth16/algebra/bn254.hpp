// BN254 (alt_bn128; "bn128" in circom's files): y^2 = x^3 + 3 over Fq, with the sextic twist y^2 = x^3 + 3/(9+u) over
// Fq2. A Barreto-Naehrig curve (2005) with parameter x = 4965661367192848881: q = 36x^4 + 36x^3 + 24x^2 + 6x + 1,
// r = q + 1 - t, t = 6x^2 + 1.
#pragma once

#include <string_view>

#include "groth16/algebra/curve.hpp"
#include "groth16/algebra/curve_id.hpp"
#include "groth16/algebra/field.hpp"
#include "groth16/algebra/tower.hpp"

namespace groth16 {

struct Bn254FqParams {
  static constexpr std::size_t kLimbs = 4;
  GROTH16_HD static constexpr UInt<4> modulus() {
    return {{0x3c208c16d87cfd47, 0x97816a916871ca8d, 0xb85045b68181585d, 0x30644e72e131a029}};
  }
};

struct Bn254FrParams {
  static constexpr std::size_t kLimbs = 4;
  GROTH16_HD static constexpr UInt<4> modulus() {
    return {{0x43e1f593f0000001, 0x2833e84879b97091, 0xb85045b68181585d, 0x30644e72e131a029}};
  }
};

struct Bn254Tower {
  using Fq2 = groth16::Fp2<Fp<Bn254FqParams>>;
  // xi = 9 + u.
  GROTH16_HD static constexpr Fq2 mul_by_xi(const Fq2& a) {
    const Fq2 nine = a.doubled().doubled().doubled() + a;
    return {nine.c0 - a.c1, nine.c1 + a.c0};
  }
};

struct Bn254 {
  using Fq = Fp<Bn254FqParams>;
  using Fr = Fp<Bn254FrParams>;
  using Fq2 = Fp2<Fq>;
  using Fq6 = Fp6<Bn254Tower>;
  using Fq12 = Fp12<Bn254Tower>;
  using G1 = Affine<Fq>;
  using G2 = Affine<Fq2>;
  using Scalar = Fr::Integer;  // a raw scalar, canonical when below r

  static constexpr CurveId id = CurveId::bn254;
  static constexpr std::string_view name = curve_name(id);
  static constexpr unsigned two_adicity = 28;  // r - 1 = 2^28 * odd

  static constexpr std::uint64_t parameter = 4965661367192848881;  // x, positive
  static constexpr bool parameter_is_negative = false;
  static constexpr bool g1_has_cofactor = false;  // every point on the curve is in G1; G2's cofactor is 2q - r

  static bool has_root(DomainRoot root) { return root == DomainRoot::five; }
  // root^((r-1)/2^log2), of order exactly 2^log2. Needs has_root(root) and log2 <= two_adicity.
  static Fr root_of_unity(DomainRoot root, unsigned log2);

  static const Fq& b_g1();
  static const Fq2& b_g2();
  static const G1& generator_g1();
  static const G2& generator_g2();

  // On the curve and in the group of order r; infinity is.
  static bool in_subgroup(const G1& point);
  static bool in_subgroup(const G2& point);

  // The untwist-Frobenius-twist endomorphism of E'(Fq2): multiplication by q on G2.
  static G2 psi(const G2& point);
};

}  // namespace groth16
