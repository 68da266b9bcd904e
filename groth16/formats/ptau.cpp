// Reading a .ptau.
#include "groth16/formats/ptau.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "groth16/formats/point_section.hpp"

namespace groth16::formats {

using groth16d::Result;

namespace {

constexpr std::uint32_t kPtauHeader = 1, kContributions = 7;
constexpr std::array<std::uint32_t, 7> kPtauRequired{kPtauHeader, 2, 3, 4, 5, 6, kContributions};
constexpr std::array<std::uint32_t, 4> kLagrange{12, 13, 14, 15};
constexpr ContainerRules kPtauRules{"ptau", 1, 1, kPtauRequired, kLagrange};

struct PtauHeader {
  CurveId curve;
  std::uint32_t power;
};

Result<PtauHeader> read_ptau_header(const Container& container) {
  const Section section = container.section(kPtauHeader);
  ByteReader reader(section.payload, section.offset);
  const std::uint32_t n8q = reader.u32();
  if (n8q != Bn254::Fq::kBytes && n8q != Bls12_381::Fq::kBytes) {
    return container.fail(section, section.offset, "field_size",
                          fmt::format("coordinates of {} bytes, expected 32 (bn128) or 48 (bls12381)", n8q));
  }
  const Result<void> length = container.expect_length(section, 4 + n8q + 4 + 4, "n8q, q, power, ceremonyPower");
  if (!length) return tl::unexpected(length.error());
  const Bytes q = reader.take(n8q);
  const bool is_bn254 = std::ranges::equal(q, prime_bytes<Bn254::Fq>());
  if (!is_bn254 && !std::ranges::equal(q, prime_bytes<Bls12_381::Fq>())) {
    return container.fail(section, section.offset + 4, "prime",
                          fmt::format("q = {} is the prime of neither bn128 nor bls12381", prime_text(q)));
  }
  const std::uint64_t power_at = reader.offset();
  const std::uint32_t power = reader.u32(), ceremony_power = reader.u32();
  if (power < 1 || power > PtauFile::kMaxPower || ceremony_power < power) {
    return container.fail(
        section, power_at, "power",
        fmt::format("power {} of a ceremony of power {}, expected 1 to {} and not above the ceremony's", power,
                    ceremony_power, PtauFile::kMaxPower));
  }
  return PtauHeader{is_bn254 ? CurveId::bn254 : CurveId::bls12_381, power};
}

bool is_g2(PtauSection section) {
  return section == PtauSection::tau_g2 || section == PtauSection::beta_g2 || section == PtauSection::lagrange_tau_g2;
}

Result<void> check_lengths(const Container& container, const PtauHeader& header) {
  for (const std::uint32_t id : {2, 3, 4, 5, 6, 12, 13, 14, 15}) {
    if (!container.has(id)) continue;
    const auto section = static_cast<PtauSection>(id);
    const std::uint64_t count = ptau_point_count(section, header.power);
    const std::uint64_t point_bytes = with_curve(header.curve, [&]<class C>() {
      return is_g2(section) ? kPointBytes<typename C::G2> : kPointBytes<typename C::G1>;
    });
    const Result<void> length =
        container.expect_length(container.section(id), count * point_bytes, fmt::format("{} x {}", count, point_bytes));
    if (!length) return length;
  }
  return {};
}

}  // namespace

std::uint64_t ptau_point_count(PtauSection section, std::uint32_t power) {
  const std::uint64_t size = std::uint64_t{1} << power;
  switch (section) {
    case PtauSection::tau_g1:
    case PtauSection::lagrange_tau_g2:
    case PtauSection::lagrange_alpha_tau_g1:
    case PtauSection::lagrange_beta_tau_g1:
      return 2 * size - 1;
    case PtauSection::tau_g2:
    case PtauSection::alpha_tau_g1:
    case PtauSection::beta_tau_g1:
      return size;
    case PtauSection::beta_g2:
      return 1;
    case PtauSection::lagrange_tau_g1:
      return 4 * size - 1;
  }
  return 0;
}

Result<PtauFile> PtauFile::parse(std::string file, Bytes bytes) {
  Result<Container> container = Container::parse(std::move(file), bytes, kPtauRules);
  if (!container) return tl::unexpected(container.error());
  const Result<PtauHeader> header = read_ptau_header(*container);
  if (!header) return tl::unexpected(header.error());
  const auto present = std::ranges::count_if(kLagrange, [&](std::uint32_t id) { return container->has(id); });
  if (present != 0 && present != std::ssize(kLagrange)) {
    return container->fail("missing_section", "some but not all of the sections 12 to 15 are there");
  }
  if (Result<void> lengths = check_lengths(*container, *header); !lengths) return tl::unexpected(lengths.error());
  return PtauFile(std::move(*container), header->curve, header->power);
}

template <class C, class Point>
Result<void> PtauFile::load(PtauSection id, std::uint64_t first, std::span<Point> out, const Compute& compute) const {
  const Section section = container_.section(static_cast<std::uint32_t>(id));
  const std::uint64_t count = section.payload.size() / kPointBytes<Point>;
  if (first > count || out.size() > count - first) {
    return container_.fail(section, section.offset, "range",
                           fmt::format("{} points from point {} on, but the section has {}", out.size(), first, count));
  }
  return load_points<C>(container_, section, first, "the section", out, PointCheck::on_curve, compute);
}

#define GROTH16_DEFINE_PTAU(C)                                                                                        \
  template Result<void> PtauFile::load<C, C::G1>(PtauSection, std::uint64_t, std::span<C::G1>, const Compute&) const; \
  template Result<void> PtauFile::load<C, C::G2>(PtauSection, std::uint64_t, std::span<C::G2>, const Compute&) const;
GROTH16_DEFINE_PTAU(Bn254)
GROTH16_DEFINE_PTAU(Bls12_381)

}  // namespace groth16::formats
