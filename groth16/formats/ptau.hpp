// .ptau: powers of tau, the input of `snarkjs groth16 setup`.
//
//   1   u32 n8q | q | u32 power | u32 ceremonyPower
//   2   [tau^i]1, 2^(power+1) - 1 points      3  [tau^i]2, 2^power         4  [alpha tau^i]1, 2^power
//   5   [beta tau^i]1, 2^power                6  [beta]2                   7  u32 contributions, ...
//   12 to 15 ("prepared")  Lagrange forms of 2 to 5: for p = 0 .. power the 2^p points [L_i(tau)] of the domain of that
//       size, one after another, so the block of size 2^p begins at point 2^p - 1; 12 also has p = power + 1
//
// Points are encoded as in a .zkey; domains have the root five.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "common/error.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/algebra/curves.hpp"
#include "groth16/formats/binfile.hpp"
#include "groth16/proof/keygen.hpp"

namespace groth16::formats {

// The sections that hold points.
enum class PtauSection : std::uint32_t {
  tau_g1 = 2,
  tau_g2 = 3,
  alpha_tau_g1 = 4,
  beta_tau_g1 = 5,
  beta_g2 = 6,
  lagrange_tau_g1 = 12,
  lagrange_tau_g2 = 13,
  lagrange_alpha_tau_g1 = 14,
  lagrange_beta_tau_g1 = 15,
};

// The number of points that a section of a prepared file of this power holds.
std::uint64_t ptau_point_count(PtauSection section, std::uint32_t power);

// A .ptau whose header and section lengths have been checked. Refers to the bytes it was parsed from.
class PtauFile {
 public:
  // Largest power that is read and written: the block 2^(power+1) has a root on both curves.
  static constexpr std::uint32_t kMaxPower = 27;

  // Errors: those of the container, ptau.field_size, ptau.prime, ptau.power, ptau.section_length,
  // ptau.missing_section (some but not all of 12 to 15).
  static groth16d::Result<PtauFile> parse(std::string file, Bytes bytes);

  CurveId curve() const { return curve_; }
  std::uint32_t power() const { return power_; }
  bool is_prepared() const { return container_.has(static_cast<std::uint32_t>(PtauSection::lagrange_tau_g1)); }
  std::uint64_t trailing_bytes() const { return container_.trailing_bytes(); }

  // Loads out.size() points of a section, from point first on, checked to be on the curve. Errors: ptau.range (the
  // section has fewer), ptau.coordinate, ptau.not_on_curve; cancelled.
  template <class C, class Point>
  groth16d::Result<void> load(PtauSection section, std::uint64_t first, std::span<Point> out,
                              const Compute& compute) const;

 private:
  PtauFile(Container container, CurveId curve, std::uint32_t power)
      : container_(std::move(container)), curve_(curve), power_(power) {}

  Container container_;
  CurveId curve_;
  std::uint32_t power_;
};

// Writes a prepared .ptau from values that the program knows: for tests and development only, every key that is set up
// from it can be forged by who knows them. Of toxic, tau, alpha and beta are used. Memory: 2^(power+1) scalars. Errors:
// ptau.power (too_large), ptau.toxic (malformed: a value is 0 or tau lies in the largest domain), those of the sink;
// cancelled.
template <class C>
groth16d::Result<void> write_prepared_ptau(ByteSink& sink, std::uint32_t power, const ToxicWaste<C>& toxic,
                                           const Compute& compute);

#define GROTH16_DECLARE_PTAU(C)                                                                                 \
  extern template groth16d::Result<void> PtauFile::load<C, C::G1>(PtauSection, std::uint64_t, std::span<C::G1>, \
                                                                  const Compute&) const;                        \
  extern template groth16d::Result<void> PtauFile::load<C, C::G2>(PtauSection, std::uint64_t, std::span<C::G2>, \
                                                                  const Compute&) const;                        \
  extern template groth16d::Result<void> write_prepared_ptau(ByteSink&, std::uint32_t, const ToxicWaste<C>&,    \
                                                             const Compute&);
GROTH16_DECLARE_PTAU(Bn254)
GROTH16_DECLARE_PTAU(Bls12_381)
#undef GROTH16_DECLARE_PTAU

}  // namespace groth16::formats
