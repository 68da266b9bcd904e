// Constants of BLS12-381 that are too big for its header, and its subgroup checks.
#include "groth16/algebra/bls12_381.hpp"

namespace groth16 {

namespace {

using Fq = Bls12_381::Fq;
using Fq2 = Bls12_381::Fq2;
using Hex4 = UInt<4>;
using Hex6 = UInt<6>;

constexpr Fq fq(const Hex6& value) { return Fq::from_uint(value); }

// 5^((r-1)/2^32), which iden3's tools use, and 7^((r-1)/2^32), which zkcrypto's and bellman use.
constexpr Hex4 kRootOfFive = Hex4::from_hex("0212d79e5b416b6f0fd56dc8d168d6c0c4024ff270b3e0941b788f500b912f1f");
constexpr Hex4 kRootOfSeven = Hex4::from_hex("16a2a19edfe81f20d09b681922c813b4b63683508c2280b93829971f439f0d2b");

// The generators of the IETF's draft-irtf-cfrg-pairing-friendly-curves, section 4.2.1.
constexpr Hex6 kG1X =
    Hex6::from_hex("17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb");
constexpr Hex6 kG1Y =
    Hex6::from_hex("08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1");
constexpr Hex6 kG2X0 =
    Hex6::from_hex("024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8");
constexpr Hex6 kG2X1 =
    Hex6::from_hex("13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e");
constexpr Hex6 kG2Y0 =
    Hex6::from_hex("0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801");
constexpr Hex6 kG2Y1 =
    Hex6::from_hex("0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be");

constexpr UInt<1> kParameter = UInt<1>::from_u64(Bls12_381::parameter);

// A primitive cube root of unity; (x, y) -> (beta x, y) is multiplication by -x^2 on G1 for one of the two choices.
// From cbrt(1) = g^((q-1)/3) for g = 2, whose power is not 1.
const Fq& beta() {
  static const Fq root = [] {
    auto third = Fq::modulus() - Fq::Integer::from_u64(1);
    third.div_word_in_place(3);
    const Fq candidate = Fq::from_u64(2).pow(third);
    const Bls12_381::G1& g = Bls12_381::generator_g1();
    const auto image = -times(g, kParameter).times(kParameter);
    return image == Bls12_381::G1{candidate * g.x, g.y} ? candidate : candidate.square();
  }();
  return root;
}

}  // namespace

Bls12_381::Fr Bls12_381::root_of_unity(DomainRoot root, unsigned log2) {
  Fr power = Fr::from_uint(root == DomainRoot::seven ? kRootOfSeven : kRootOfFive);
  for (unsigned order = two_adicity; order > log2; --order) power = power.square();
  return power;
}

const Bls12_381::Fq& Bls12_381::b_g1() {
  static const Fq b = Fq::from_u64(4);
  return b;
}

const Bls12_381::Fq2& Bls12_381::b_g2() {
  static const Fq2 b{Fq::from_u64(4), Fq::from_u64(4)};
  return b;
}

const Bls12_381::G1& Bls12_381::generator_g1() {
  static const G1 generator{fq(kG1X), fq(kG1Y)};
  return generator;
}

const Bls12_381::G2& Bls12_381::generator_g2() {
  static const G2 generator{{fq(kG2X0), fq(kG2X1)}, {fq(kG2Y0), fq(kG2Y1)}};
  return generator;
}

// The twist is an M-twist, so the constants of Frobenius enter inverted.
Bls12_381::G2 Bls12_381::psi(const G2& point) {
  static const Fq2 x_factor = Fq12::frobenius_constants()[2].inverse();
  static const Fq2 y_factor = Fq12::frobenius_constants()[3].inverse();
  return {point.x.conjugate() * x_factor, point.y.conjugate() * y_factor};
}

// The endomorphism (beta x, y) satisfies phi^2 + phi + 1 = 0. From phi(P) = [-x^2]P follows x^4 - x^2 + 1 = r kills P.
// (Scott 2021, "A note on group membership tests for G1, G2 and GT on BLS pairing-friendly curves", section 6.)
bool Bls12_381::in_subgroup(const G1& point) {
  if (!on_curve(point, b_g1())) return false;
  return -times(point, kParameter).times(kParameter) == G1{beta() * point.x, point.y};
}

// psi(Q) = [x]Q exactly on G2 (Scott 2021, section 4; completed for this curve by El Housni, Guillevic, Piellard 2022).
bool Bls12_381::in_subgroup(const G2& point) {
  return on_curve(point, b_g2()) && -times(point, kParameter) == psi(point);
}

}  // namespace groth16
