// Constants of BN254 that are too big for its header, and its subgroup checks.
#include "groth16/algebra/bn254.hpp"

namespace groth16 {

namespace {

using Fq = Bn254::Fq;
using Fq2 = Bn254::Fq2;
using Hex = UInt<4>;

constexpr Fq fq(const Hex& value) { return Fq::from_uint(value); }

// 5^((r-1)/2^28)
constexpr Hex kRoot = Hex::from_hex("2a3c09f0a58a7e8500e0a7eb8ef62abc402d111e41112ed49bd61b6e725b19f0");

// The generator of EIP-197.
constexpr Hex kGeneratorX0 = Hex::from_hex("1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed");
constexpr Hex kGeneratorX1 = Hex::from_hex("198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2");
constexpr Hex kGeneratorY0 = Hex::from_hex("12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa");
constexpr Hex kGeneratorY1 = Hex::from_hex("090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b");

// t - 1 = 6x^2, the trace of Frobenius less one.
constexpr UInt<2> kTraceLessOne = UInt<2>::from_hex("6f4d8248eeb859fbf83e9682e87cfd46");

}  // namespace

Bn254::Fr Bn254::root_of_unity(DomainRoot /*root*/, unsigned log2) {
  Fr root = Fr::from_uint(kRoot);
  for (unsigned order = two_adicity; order > log2; --order) root = root.square();
  return root;
}

const Bn254::Fq& Bn254::b_g1() {
  static const Fq b = Fq::from_u64(3);
  return b;
}

const Bn254::Fq2& Bn254::b_g2() {
  static const Fq2 b = Bn254Tower::mul_by_xi(Fq2::one()).inverse().scaled(Fq::from_u64(3));
  return b;
}

const Bn254::G1& Bn254::generator_g1() {
  static const G1 generator{Fq::one(), Fq::from_u64(2)};
  return generator;
}

const Bn254::G2& Bn254::generator_g2() {
  static const G2 generator{{fq(kGeneratorX0), fq(kGeneratorX1)}, {fq(kGeneratorY0), fq(kGeneratorY1)}};
  return generator;
}

Bn254::G2 Bn254::psi(const G2& point) {
  const auto& gamma = Fq12::frobenius_constants();
  return {point.x.conjugate() * gamma[2], point.y.conjugate() * gamma[3]};
}

bool Bn254::in_subgroup(const G1& point) { return on_curve(point, b_g1()); }

// psi satisfies psi^2 - t psi + q = 0. From psi(Q) = [t-1]Q follows (t-1)^2 - t(t-1) + q = q + 1 - t = r kills Q; and
// on G2 psi is q, which is t - 1 modulo r. (El Housni, Guillevic, Piellard 2022, "Co-factor clearing and subgroup
// membership testing on pairing-friendly curves", section 4.)
bool Bn254::in_subgroup(const G2& point) {
  return on_curve(point, b_g2()) && times(point, kTraceLessOne) == psi(point);
}

}  // namespace groth16
