// ProvingKey: the points of a Groth16 key as a view over one flat, relocatable span of bytes, the contents of a segment
// "key". One header page, then sections that each start on a page of their own, so that they can be mapped, registered
// with a device, and read in place: a section is an array of Affine points in Montgomery form, as a zkey holds them.
//
// In the notation of Groth 2016, section 3.2, with toxic tau, alpha, beta, gamma, delta, k_s = beta a_s + alpha b_s +
// c_s:
//   ic[s] = [k_s(tau) / gamma]1 for s = 0 .. n_public      l[s - n_public - 1] = [k_s(tau) / delta]1 for the private
//   wires a[s] = [a_s(tau)]1   b1[s] = [b_s(tau)]1   b2[s] = [b_s(tau)]2 for every wire, infinity where it does not
//   occur h: by the key's HBasis.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/error.hpp"
#include "groth16/algebra/bls12_381.hpp"
#include "groth16/algebra/bn254.hpp"
#include "groth16/algebra/curve_id.hpp"
#include "groth16/proof/constraint_system.hpp"
#include "groth16/proof/verifying_key.hpp"

namespace groth16 {

// What the points of section h are multiplied with, n = 2^domain_log2, w of order 2n, w^2 the domain's root.
enum class HBasis : std::uint32_t {
  // n points [Lambda_{2j+1}(tau) / delta]1, Lambda the Lagrange basis of the domain of size 2n: scalars are the values
  // of
  // A B - C at w^(2j+1). Keys of iden3's tools (zkey).
  odd_coset_lagrange = 1,
  // n - 1 points [tau^i Z(tau) / delta]1, Z = X^n - 1: scalars are the coefficients of (A B - C) / Z. Keys of bellman.
  monomial = 2,
};

// Bits of KeyHeader::warnings.
inline constexpr std::uint32_t kKeyForgeable = 1;    // is_forgeable: no contribution was made to delta
inline constexpr std::uint32_t kKeyDevelopment = 2;  // made by generate_key: its toxic values were known to a program

struct KeySizes {
  SystemSizes system;
  HBasis basis = HBasis::odd_coset_lagrange;

  std::uint64_t h_count() const { return system.domain_size() - (basis == HBasis::monomial ? 1 : 0); }
};

enum class KeySection : std::uint32_t { fixed_g1, fixed_g2, ic, a, b1, b2, l, h };
inline constexpr std::size_t kKeySections = 8;

// The first bytes of the span. Offsets are from its start and multiples of kPageBytes.
struct KeyHeader {
  static constexpr std::array<char, 8> kMagic{'g', '1', '6', 'p', 'k', 'e', 'y', '\0'};
  static constexpr std::uint32_t kLayoutVersion = 1;
  static constexpr std::uint64_t kPageBytes = 4096;

  std::array<char, 8> magic;
  std::uint32_t layout_version;
  std::uint32_t curve;    // CurveId
  std::uint32_t h_basis;  // HBasis
  std::uint32_t root;     // DomainRoot
  std::uint64_t n_vars, n_public, n_constraints;
  std::uint32_t domain_log2;
  std::uint32_t warnings;
  Digest key_digest;  // of the file that the key came from; for a generated key of its sections
  Digest vk_digest;   // digest(VerifyingKey)
  std::array<std::uint64_t, kKeySections> offset, count;  // by KeySection; count in points
  std::uint64_t total_bytes;
};

// The header, offsets and counts included, of a key with these sizes; digests and warnings are zero. total_bytes is
// what the segment must hold.
template <class C>
KeyHeader key_header(const KeySizes& sizes, DomainRoot root);

// The sections of a key that is being written.
template <class C>
struct KeySections {
  using G1 = typename C::G1;
  using G2 = typename C::G2;
  std::span<G1> fixed_g1;  // alpha1, beta1, delta1
  std::span<G2> fixed_g2;  // beta2, gamma2, delta2
  std::span<G1> ic, a, b1;
  std::span<G2> b2;
  std::span<G1> l, h;
};

// Writes the header into out, which has key_header(...).total_bytes bytes and is aligned to 8, and gives the sections
// to fill. Errors: key.sizes (malformed; also a domain beyond the curve's two-adicity, or a root it does not have),
// key.length (internal).
template <class C>
groth16d::Result<KeySections<C>> begin_key(std::span<std::byte> out, const KeySizes& sizes, DomainRoot root);

// After the sections are filled: puts the digest of the source (nullptr: of the sections), that of the verifying key
// and the warnings into the header.
template <class C>
groth16d::Result<void> finish_key(std::span<std::byte> out, const Digest* source_digest, std::uint32_t warnings = 0);

template <class C>
class ProvingKey {
 public:
  using G1 = typename C::G1;
  using G2 = typename C::G2;

  // The bytes outlive the view and are aligned to 8. Reads the header only. Errors (malformed): key.magic, .version,
  // .sizes, .sections, .length, .<section>.bounds; mismatch: .curve.
  static groth16d::Result<ProvingKey> open(std::span<const std::byte> bytes);

  const SystemSizes& sizes() const { return sizes_; }
  HBasis basis() const { return basis_; }
  DomainRoot root() const { return root_; }
  std::uint32_t warnings() const { return warnings_; }
  const Digest& key_digest() const { return key_digest_; }
  const Digest& vk_digest() const { return vk_digest_; }

  const G1& alpha1() const { return fixed_g1_[0]; }
  const G1& beta1() const { return fixed_g1_[1]; }
  const G1& delta1() const { return fixed_g1_[2]; }
  const G2& beta2() const { return fixed_g2_[0]; }
  const G2& gamma2() const { return fixed_g2_[1]; }
  const G2& delta2() const { return fixed_g2_[2]; }
  std::span<const G1> ic() const { return ic_; }
  std::span<const G1> a() const { return a_; }
  std::span<const G1> b1() const { return b1_; }
  std::span<const G2> b2() const { return b2_; }
  std::span<const G1> l() const { return l_; }
  std::span<const G1> h() const { return h_; }

 private:
  SystemSizes sizes_;
  HBasis basis_ = HBasis::odd_coset_lagrange;
  DomainRoot root_ = DomainRoot::five;
  std::uint32_t warnings_ = 0;
  Digest key_digest_{}, vk_digest_{};
  std::span<const G1> fixed_g1_;
  std::span<const G2> fixed_g2_;
  std::span<const G1> ic_, a_, b1_;
  std::span<const G2> b2_;
  std::span<const G1> l_, h_;
};

template <class C>
VerifyingKey<C> verifying_key(const ProvingKey<C>& key);

// Whether a key and a constraint system belong together by their sizes: n_vars, n_public, domain (not n_constraints: a
// zkey does not state them). Error (mismatch): key.system_sizes, with both numbers.
template <class C>
groth16d::Result<void> check_belong_together(const ProvingKey<C>& key, const ConstraintSystem<C>& system);

#define GROTH16_DECLARE_PROVING_KEY(C)                                                                              \
  extern template KeyHeader key_header<C>(const KeySizes&, DomainRoot);                                             \
  extern template groth16d::Result<KeySections<C>> begin_key<C>(std::span<std::byte>, const KeySizes&, DomainRoot); \
  extern template groth16d::Result<void> finish_key<C>(std::span<std::byte>, const Digest*, std::uint32_t);         \
  extern template class ProvingKey<C>;                                                                              \
  extern template VerifyingKey<C> verifying_key(const ProvingKey<C>&);                                              \
  extern template groth16d::Result<void> check_belong_together(const ProvingKey<C>&, const ConstraintSystem<C>&);
GROTH16_DECLARE_PROVING_KEY(Bn254)
GROTH16_DECLARE_PROVING_KEY(Bls12_381)
#undef GROTH16_DECLARE_PROVING_KEY

}  // namespace groth16
