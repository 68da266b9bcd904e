// BLS12-381 ("bls12381" in circom's files): y^2 = x^3 + 4 over Fq, with the sextic twist y^2 = x^3 + 4(1+u) over Fq2.
// A Barreto-Lynn-Scott curve (2002) with parameter x = -0xd201000000010000: r = x^4 - x^2 + 1, q = (x-1)^2 r / 3 + x.
#pragma once

#include <string_view>

#include "groth16/algebra/curve.hpp"
#include "groth16/algebra/curve_id.hpp"
#include "groth16/algebra/field.hpp"
#include "groth16/algebra/tower.hpp"

namespace groth16 {

struct Bls12_381FqParams {
  static constexpr std::size_t kLimbs = 6;
  GROTH16_HD static constexpr UInt<6> modulus() {
    return {{0xb9feffffffffaaab, 0x1eabfffeb153ffff, 0x6730d2a0f6b0f624, 0x64774b84f38512bf, 0x4b1ba7b6434bacd7,
             0x1a0111ea397fe69a}};
  }
};

struct Bls12_381FrParams {
  static constexpr std::size_t kLimbs = 4;
  GROTH16_HD static constexpr UInt<4> modulus() {
    return {{0xffffffff00000001, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48}};
  }
};

struct Bls12_381Tower {
  using Fq2 = groth16::Fp2<Fp<Bls12_381FqParams>>;
  // xi = 1 + u.
  GROTH16_HD static constexpr Fq2 mul_by_xi(const Fq2& a) { return {a.c0 - a.c1, a.c0 + a.c1}; }
};

struct Bls12_381 {
  using Fq = Fp<Bls12_381FqParams>;
  using Fr = Fp<Bls12_381FrParams>;
  using Fq2 = Fp2<Fq>;
  using Fq6 = Fp6<Bls12_381Tower>;
  using Fq12 = Fp12<Bls12_381Tower>;
  using G1 = Affine<Fq>;
  using G2 = Affine<Fq2>;
  using Scalar = Fr::Integer;  // a raw scalar, canonical when below r

  static constexpr CurveId id = CurveId::bls12_381;
  static constexpr std::string_view name = curve_name(id);
  static constexpr unsigned two_adicity = 32;  // r - 1 = 2^32 * odd

  static constexpr std::uint64_t parameter = 0xd201000000010000;  // |x|
  static constexpr bool parameter_is_negative = true;
  static constexpr bool g1_has_cofactor = true;  // (x-1)^2 / 3; G2 has one too

  static bool has_root(DomainRoot root) { return root == DomainRoot::five || root == DomainRoot::seven; }
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
