// .zkey: a Groth16 proving key with the coefficients of A and B, as snarkjs writes it.
//
//   1   u32 protocol = 1
//   2   u32 n8q | q | u32 n8r | r | u32 nVars | u32 nPublic | u32 domainSize |
//       alpha1 | beta1 | beta2 | gamma2 | delta1 | delta2
//   3   IC: nPublic + 1 points          4   coefficients: u32 n | n x { u32 matrix | u32 row | u32 wire | value }
//   5   A: nVars of G1                  6   B1: nVars of G1                7   B2: nVars of G2
//   8   C: nVars - nPublic - 1 of G1 (here: L)                             9   H: domainSize of G1
//   10  the ceremony's transcript (optional, not read)
//
// Points are affine, Montgomery form, little-endian; infinity is all zero, legal in 3 and 5 to 9 and refused in 2. A
// coefficient v is stored as v R^2 mod r. The public rows are listed among the coefficients, after the constraints.
// Keys of this kind have the H basis odd_coset_lagrange and the domain root five.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "common/error.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/algebra/curves.hpp"
#include "groth16/formats/binfile.hpp"
#include "groth16/formats/point_section.hpp"
#include "groth16/proof/constraint_system_builder.hpp"
#include "groth16/proof/proving_key.hpp"

namespace groth16::formats {

// A section of ours that other tools skip: the words "insecure: ..." in a key whose toxic values a program knew.
inline constexpr std::uint32_t kZkeyDevelopmentSection = 0x67313664;

inline constexpr std::uint32_t kZkeyCoefficients = 4;

struct ZkeyHeader {
  CurveId curve = CurveId::bn254;
  std::uint32_t n_vars = 0;
  std::uint32_t n_public = 0;
  std::uint32_t domain_log2 = 0;
  std::uint32_t n_coefficients = 0;
};

struct ZkeyLoadOptions {
  // Loads a key that anyone can forge for, or whose toxic values were known; it then carries the warning.
  bool allow_insecure = false;
  // Also checks that every point of sections 5 to 9 has order r (all of G2, and G1 where the curve has a cofactor).
  // Without it a point outside the subgroup is found by the check of the proof. Sections 2 and 3 are always checked.
  bool check_subgroups = false;
  // SHA-256 of the file, for the key's header; nullptr: the digest of the key's points.
  const Digest* file_digest = nullptr;
  // Reads points from the file where it is given, on several threads; else they are copied from the bytes, whose pages
  // then come into memory too.
  ReadAt read_at = {};
};

// A .zkey whose header, sizes and fixed points have been checked: cheap, independent of the key's size, so that an
// intake can do it to every file. The large sections are checked as they are loaded. Refers to the bytes it was parsed
// from.
class ZkeyFile {
 public:
  // Errors: those of the container; zkey.section_length, zkey.protocol, zkey.field_size, zkey.prime, zkey.sizes,
  // zkey.domain; of the fixed points: zkey.coordinate, zkey.infinity, zkey.not_on_curve, zkey.not_in_subgroup.
  static groth16d::Result<ZkeyFile> parse(std::string file, Bytes bytes);

  const ZkeyHeader& header() const { return header_; }
  const std::string& file() const { return container_.file(); }
  std::uint64_t trailing_bytes() const { return container_.trailing_bytes(); }

  // Whether section 10 is there; without it nobody can check the ceremony.
  bool has_transcript() const;

  // kKeyForgeable | kKeyDevelopment.
  std::uint32_t warnings() const { return warnings_; }

  // Section 4, for who decides which pages are in memory.
  Bytes coefficient_bytes() const { return container_.section(kZkeyCoefficients).payload; }

  // Error zkey.insecure (malformed) when there are such warnings.
  groth16d::Result<void> refuse_insecure() const;

  // Checks every coefficient and says how many rows they span. The number of constraints is not in the file: it is that
  // of the rows up to the last one named, without the public rows. Errors: zkey.matrix, zkey.row, zkey.wire,
  // zkey.coefficient; cancelled.
  groth16d::Result<SystemSizes> check_coefficients(const Compute& compute) const;

  // Adds A and B, public rows included, to a builder that was made with the sizes of check_coefficients, which the
  // caller has called. Error: conflict file.changed where a coefficient is no longer inside these sizes, as in a file
  // that is mapped and that somebody writes to.
  template <class C>
  groth16d::Result<void> collect(ConstraintSystemBuilder<C>& builder) const;

  // The verification key, all points checked. Errors: zkey.coordinate, zkey.not_on_curve, zkey.not_in_subgroup.
  template <class C>
  groth16d::Result<VerifyingKey<C>> verifying_key() const;

  // The bytes that load_key fills.
  template <class C>
  std::uint64_t key_bytes(const SystemSizes& sizes) const;

  // Writes the key's flat form into out (key_bytes, aligned to 8), checking every point: coordinates below q, on the
  // curve, and as the options say. Errors: zkey.insecure, zkey.coordinate, zkey.not_on_curve, zkey.not_in_subgroup,
  // those of begin_key; cancelled.
  template <class C>
  groth16d::Result<void> load_key(const SystemSizes& sizes, std::span<std::byte> out, const ZkeyLoadOptions& options,
                                  const Compute& compute) const;

 private:
  ZkeyFile(Container container, ZkeyHeader header) : container_(std::move(container)), header_(header) {}

  template <class C>
  groth16d::Result<SystemSizes> check_coefficients_of(const Compute& compute) const;

  Container container_;
  ZkeyHeader header_;
  std::uint32_t warnings_ = 0;
};

#define GROTH16_DECLARE_ZKEY(C)                                                                          \
  extern template groth16d::Result<void> ZkeyFile::collect(ConstraintSystemBuilder<C>&) const;           \
  extern template groth16d::Result<VerifyingKey<C>> ZkeyFile::verifying_key() const;                     \
  extern template std::uint64_t ZkeyFile::key_bytes<C>(const SystemSizes&) const;                        \
  extern template groth16d::Result<void> ZkeyFile::load_key<C>(const SystemSizes&, std::span<std::byte>, \
                                                               const ZkeyLoadOptions&, const Compute&) const;
GROTH16_DECLARE_ZKEY(Bn254)
GROTH16_DECLARE_ZKEY(Bls12_381)
#undef GROTH16_DECLARE_ZKEY

}  // namespace groth16::formats
