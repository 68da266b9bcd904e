// Writing a prepared .ptau from known values: powers and Lagrange values as scalars, block by block, then points by
// fixed-base multiplication on all threads.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "groth16/formats/encoding.hpp"
#include "groth16/formats/ptau.hpp"
#include "groth16/proof/fixed_base.hpp"

namespace groth16::formats {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

// Points computed and written at a time: 3 MiB of G2 of BLS12-381.
constexpr std::size_t kBlockPoints = std::size_t{1} << 14;

template <class C>
class PtauWriter {
 public:
  using Fr = typename C::Fr;

  PtauWriter(ByteSink& sink, std::uint32_t power, const ToxicWaste<C>& toxic, const Compute& compute)
      : writer_(sink, "ptau", 1, 11),
        power_(power),
        toxic_(toxic),
        compute_(compute),
        g1_(C::generator_g1()),
        g2_(C::generator_g2()) {}

  Result<void> write() {
    write_header();
    const std::vector<Fr> powers = tau_powers((std::size_t{2} << power_) - 1);
    const std::span<const Fr> half(powers.data(), std::size_t{1} << power_);
    section(PtauSection::tau_g1, [&] { write_points(g1_, powers, Fr::one()); });
    section(PtauSection::tau_g2, [&] { write_points(g2_, half, Fr::one()); });
    section(PtauSection::alpha_tau_g1, [&] { write_points(g1_, half, toxic_.alpha); });
    section(PtauSection::beta_tau_g1, [&] { write_points(g1_, half, toxic_.beta); });
    section(PtauSection::beta_g2, [&] { write_points(g2_, half.first(1), toxic_.beta); });
    writer_.section(7, 4);
    writer_.u32(0);  // contributions
    section(PtauSection::lagrange_tau_g1, [&] {
      write_lagrange(g1_, Fr::one());
      write_points(g1_, double_domain_values(powers.back() * toxic_.tau), Fr::one());
    });
    section(PtauSection::lagrange_tau_g2, [&] { write_lagrange(g2_, Fr::one()); });
    section(PtauSection::lagrange_alpha_tau_g1, [&] { write_lagrange(g1_, toxic_.alpha); });
    section(PtauSection::lagrange_beta_tau_g1, [&] { write_lagrange(g1_, toxic_.beta); });
    if (compute_.cancelled()) return failure(ErrorCode::cancelled, "cancelled", "writing the .ptau was cancelled");
    return writer_.finish();
  }

 private:
  void write_header() {
    writer_.section(1, 4 + C::Fq::kBytes + 4 + 4);
    writer_.u32(C::Fq::kBytes);
    writer_.write(prime_bytes<typename C::Fq>());
    writer_.u32(power_);
    writer_.u32(power_);
  }

  template <class Body>
  void section(PtauSection id, Body&& body) {
    const bool g2 = id == PtauSection::tau_g2 || id == PtauSection::beta_g2 || id == PtauSection::lagrange_tau_g2;
    const std::uint64_t point_bytes = g2 ? kPointBytes<typename C::G2> : kPointBytes<typename C::G1>;
    writer_.section(static_cast<std::uint32_t>(id), ptau_point_count(id, power_) * point_bytes);
    body();
  }

  // Writes [factor scalars[i]] base.
  template <class F>
  void write_points(const FixedBase<F>& base, std::span<const Fr> scalars, const Fr& factor) {
    std::vector<Fr> scaled;
    std::vector<Affine<F>> points;
    for (std::size_t first = 0; first < scalars.size(); first += kBlockPoints) {
      if (compute_.cancelled() || writer_.failed()) return;
      const auto block = scalars.subspan(first, std::min(kBlockPoints, scalars.size() - first));
      scaled.assign(block.begin(), block.end());
      for (Fr& scalar : scaled) scalar *= factor;
      points.resize(block.size());
      base.multiply(std::span<const Fr>(scaled), std::span<Affine<F>>(points), compute_);
      writer_.write(point_bytes(std::span<const Affine<F>>(points)));
    }
  }

  // The blocks p = 0 .. power.
  template <class F>
  void write_lagrange(const FixedBase<F>& base, const Fr& factor) {
    for (std::uint32_t p = 0; p <= power_; ++p) write_points(base, lagrange_values(p), factor);
  }

  std::vector<Fr> tau_powers(std::size_t count) const {
    std::vector<Fr> powers(count);
    Fr power = Fr::one();
    for (Fr& value : powers) {
      value = power;
      power *= toxic_.tau;
    }
    return powers;
  }

  // L_i(tau) of the domain of size 2^log2.
  std::vector<Fr> lagrange_values(std::uint32_t log2) const {
    std::vector<Fr> values(std::size_t{1} << log2);
    lagrange_at(toxic_.tau, Fr::one(), C::root_of_unity(DomainRoot::five, log2), std::span<Fr>(values), compute_);
    return values;
  }

  // The block of size N = 2^(power+1). Section 2 lacks the power tau^(N-1), and the tools that prepare a file take zero
  // for it: L_i(tau) - w^i tau^(N-1) / N. It does not matter to a prover, whose polynomials have a smaller degree.
  std::vector<Fr> double_domain_values(const Fr& missing_power) const {
    std::vector<Fr> values = lagrange_values(power_ + 1);
    const Fr root = C::root_of_unity(DomainRoot::five, power_ + 1);
    Fr missing = missing_power * Fr::from_u64(values.size()).inverse();
    for (Fr& value : values) {
      value -= missing;
      missing *= root;
    }
    return values;
  }

  ContainerWriter writer_;
  std::uint32_t power_;
  const ToxicWaste<C>& toxic_;
  const Compute& compute_;
  FixedBase<typename C::Fq> g1_;
  FixedBase<typename C::Fq2> g2_;
};

}  // namespace

template <class C>
Result<void> write_prepared_ptau(ByteSink& sink, std::uint32_t power, const ToxicWaste<C>& toxic,
                                 const Compute& compute) {
  if (power < 1 || power > PtauFile::kMaxPower) {
    return failure(ErrorCode::too_large, "ptau.power",
                   fmt::format("power {}, expected 1 to {}", power, PtauFile::kMaxPower));
  }
  const bool zero = toxic.tau.is_zero() || toxic.alpha.is_zero() || toxic.beta.is_zero();
  if (zero || toxic.tau.pow(std::uint64_t{2} << power).is_one()) {
    return failure(ErrorCode::malformed, "ptau.toxic", "tau, alpha or beta is 0, or tau lies in the largest domain");
  }
  return PtauWriter<C>(sink, power, toxic, compute).write();
}

template Result<void> write_prepared_ptau(ByteSink&, std::uint32_t, const ToxicWaste<Bn254>&, const Compute&);
template Result<void> write_prepared_ptau(ByteSink&, std::uint32_t, const ToxicWaste<Bls12_381>&, const Compute&);

}  // namespace groth16::formats
