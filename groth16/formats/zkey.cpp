// Parsing a .zkey's header and loading its points.
#include "groth16/formats/zkey.hpp"

#include <fmt/format.h>

#include <bit>

#include "groth16/formats/point_section.hpp"
#include "groth16/formats/zkey_sections.hpp"

namespace groth16::formats {

using groth16d::Result;

namespace {

constexpr std::array kOptional{zkey::kTranscript, kZkeyDevelopmentSection};
constexpr ContainerRules kZkeyRules{"zkey", 1, 1, zkey::kRequired, kOptional};
constexpr std::uint32_t kLargestCoordinateBytes = 48;

Result<void> check_protocol(const Container& container) {
  const Section section = container.section(zkey::kProtocol);
  if (Result<void> length = container.expect_length(section, zkey::kProtocolBytes, "u32 protocol"); !length) {
    return length;
  }
  const std::uint32_t protocol = load_u32(section.payload.data());
  if (protocol == zkey::kGroth16) return {};
  return container.fail(section, section.offset, "protocol",
                        fmt::format("protocol {}, expected 1 (groth16; 2 is plonk, 10 is fflonk)", protocol));
}

template <class C>
bool has_primes(Bytes q, Bytes r) {
  return std::ranges::equal(q, prime_bytes<typename C::Fq>()) && std::ranges::equal(r, prime_bytes<typename C::Fr>());
}

// The curve by both primes and their sizes.
Result<CurveId> read_curve(const Container& container, const Section& section, ByteReader& reader) {
  const std::uint64_t at = reader.offset();
  const std::uint32_t n8q = reader.u32();
  if (n8q > kLargestCoordinateBytes) {
    return container.fail(section, at, "field_size",
                          fmt::format("coordinates of {} bytes, expected 32 (bn128) or 48 (bls12381)", n8q));
  }
  const Bytes q = reader.take(n8q);
  const std::uint64_t n8r_at = reader.offset();
  const std::uint32_t n8r = reader.u32();
  if (n8r != kScalarBytes) {
    return container.fail(section, n8r_at, "field_size", fmt::format("scalars of {} bytes, expected 32", n8r));
  }
  const Bytes r = reader.take(n8r);
  if (reader.overrun()) {
    return container.fail(section, section.offset, "section_length", "the header ends inside its primes");
  }
  if (has_primes<Bn254>(q, r)) return CurveId::bn254;
  if (has_primes<Bls12_381>(q, r)) return CurveId::bls12_381;
  return container.fail(section, at, "prime",
                        fmt::format("q = {} ({} bytes) and r = {} are the primes of neither bn128 nor bls12381",
                                    prime_text(q), n8q, prime_text(r)));
}

template <class C>
Result<ZkeyHeader> read_sizes(const Container& container, const Section& section, ByteReader& reader) {
  const Result<void> length = container.expect_length(section, zkey::kHeaderBytes<C>, "primes, sizes, 6 points");
  if (!length) return tl::unexpected(length.error());
  const std::uint64_t at = reader.offset();
  ZkeyHeader header;
  header.curve = C::id;
  header.n_vars = reader.u32();
  header.n_public = reader.u32();
  const std::uint32_t domain_size = reader.u32();
  constexpr unsigned kLargestLog2 = C::two_adicity - 1;  // the odd coset needs a root of twice the order
  if (!std::has_single_bit(domain_size) || domain_size < 2 || domain_size > std::uint64_t{1} << kLargestLog2) {
    return container.fail(
        section, at + 8, "domain",
        fmt::format("domain size {}, expected a power of two from 2 to 2^{}", domain_size, kLargestLog2));
  }
  header.domain_log2 = static_cast<std::uint32_t>(std::countr_zero(domain_size));
  const std::uint64_t public_rows = std::uint64_t{header.n_public} + 1;
  if (public_rows > header.n_vars) {
    return container.fail(section, at, "sizes",
                          fmt::format("nVars {}, expected at least nPublic + 1 = {}", header.n_vars, public_rows));
  }
  if (public_rows > domain_size) {
    return container.fail(section, at + 8, "sizes",
                          fmt::format("domain size {}, expected at least nPublic + 1 = {}", domain_size, public_rows));
  }
  return header;
}

template <class Point>
Result<void> expect_points(const Container& container, std::uint32_t id, std::uint64_t count,
                           std::string_view formula) {
  return container.expect_length(container.section(id), count * kPointBytes<Point>,
                                 fmt::format("{} = {} x {}", formula, count, kPointBytes<Point>));
}

Result<void> check_coefficient_section(const Container& container, ZkeyHeader& header) {
  const Section section = container.section(zkey::kCoefficients);
  if (section.payload.size() < zkey::kCountBytes) {
    return container.expect_length(section, zkey::kCountBytes, "u32 nCoefs");
  }
  header.n_coefficients = load_u32(section.payload.data());
  return container.expect_length(section, zkey::kCountBytes + header.n_coefficients * zkey::kRecordBytes,
                                 fmt::format("4 + nCoefs {} x {}", header.n_coefficients, zkey::kRecordBytes));
}

template <class C>
Result<void> check_lengths(const Container& container, ZkeyHeader& header) {
  using G1 = typename C::G1;
  const std::uint64_t n_vars = header.n_vars, n_public = header.n_public;
  const std::uint64_t domain_size = std::uint64_t{1} << header.domain_log2;
  return expect_points<G1>(container, zkey::kIc, n_public + 1, "nPublic + 1")
      .and_then([&] { return check_coefficient_section(container, header); })
      .and_then([&] { return expect_points<G1>(container, zkey::kA, n_vars, "nVars"); })
      .and_then([&] { return expect_points<G1>(container, zkey::kB1, n_vars, "nVars"); })
      .and_then([&] { return expect_points<typename C::G2>(container, zkey::kB2, n_vars, "nVars"); })
      .and_then([&] { return expect_points<G1>(container, zkey::kL, n_vars - n_public - 1, "nVars - nPublic - 1"); })
      .and_then([&] { return expect_points<G1>(container, zkey::kH, domain_size, "domainSize"); });
}

// The six points of section 2.
template <class C>
struct FixedPoints {
  typename C::G1 alpha1, beta1, delta1;
  typename C::G2 beta2, gamma2, delta2;
};

template <class C>
Result<FixedPoints<C>> read_fixed_points(const Container& container) {
  const Section section = container.section(zkey::kHeader);
  ByteReader reader(section.payload, section.offset);
  reader.take(zkey::kSizesBytes<C>);
  const auto read = [&]<class Point>(const char* name, Point& point) -> Result<void> {
    const std::uint64_t at = reader.offset();
    std::string_view rule = load_checked<C>(reader.take(kPointBytes<Point>).data(), point, PointCheck::subgroup);
    if (rule.empty() && point.is_infinity()) rule = "infinity";
    if (rule.empty()) return {};
    return container.fail(section, at, rule, fmt::format("{} {}", name, rule_text(rule)));
  };
  FixedPoints<C> points;
  const Result<void> done = read("alpha1", points.alpha1)
                                .and_then([&] { return read("beta1", points.beta1); })
                                .and_then([&] { return read("beta2", points.beta2); })
                                .and_then([&] { return read("gamma2", points.gamma2); })
                                .and_then([&] { return read("delta1", points.delta1); })
                                .and_then([&] { return read("delta2", points.delta2); });
  if (!done) return tl::unexpected(done.error());
  return points;
}

// Anyone forges proofs when nobody has contributed to delta.
template <class C>
bool is_forgeable(const FixedPoints<C>& points) {
  return points.delta2 == points.gamma2 || points.delta2 == C::generator_g2() || points.delta1 == C::generator_g1();
}

}  // namespace

Result<ZkeyFile> ZkeyFile::parse(std::string file, Bytes bytes) {
  Result<Container> container = Container::parse(std::move(file), bytes, kZkeyRules);
  if (!container) return tl::unexpected(container.error());
  if (Result<void> protocol = check_protocol(*container); !protocol) return tl::unexpected(protocol.error());

  const Section section = container->section(zkey::kHeader);
  ByteReader reader(section.payload, section.offset);
  const Result<CurveId> curve = read_curve(*container, section, reader);
  if (!curve) return tl::unexpected(curve.error());
  return with_curve(*curve, [&]<class C>() -> Result<ZkeyFile> {
    Result<ZkeyHeader> header = read_sizes<C>(*container, section, reader);
    if (!header) return tl::unexpected(header.error());
    if (Result<void> lengths = check_lengths<C>(*container, *header); !lengths) return tl::unexpected(lengths.error());
    const Result<FixedPoints<C>> points = read_fixed_points<C>(*container);
    if (!points) return tl::unexpected(points.error());
    ZkeyFile key(std::move(*container), *header);
    if (is_forgeable(*points)) key.warnings_ |= kKeyForgeable;
    if (key.container_.has(kZkeyDevelopmentSection)) key.warnings_ |= kKeyDevelopment;
    return key;
  });
}

bool ZkeyFile::has_transcript() const { return container_.has(zkey::kTranscript); }

Result<void> ZkeyFile::refuse_insecure() const {
  if ((warnings_ & kKeyForgeable) != 0) {
    return container_.fail(
        "insecure",
        "anyone can forge proofs for this key: delta is 1 or equals gamma, so no contribution was made "
        "to it after the setup");
  }
  if ((warnings_ & kKeyDevelopment) != 0) {
    return container_.fail("insecure", "the key was made for development by a program that knew its toxic values");
  }
  return {};
}

template <class C>
Result<VerifyingKey<C>> ZkeyFile::verifying_key() const {
  const Result<FixedPoints<C>> points = read_fixed_points<C>(container_);
  if (!points) return tl::unexpected(points.error());
  VerifyingKey<C> key{points->alpha1, points->beta2, points->gamma2, points->delta2, {}};
  key.ic.resize(std::size_t{header_.n_public} + 1);
  const Result<void> loaded = load_points<C>(container_, container_.section(zkey::kIc), 0, "IC",
                                             std::span<typename C::G1>(key.ic), PointCheck::subgroup, Compute(1));
  if (!loaded) return tl::unexpected(loaded.error());
  return key;
}

template <class C>
std::uint64_t ZkeyFile::key_bytes(const SystemSizes& sizes) const {
  return key_header<C>({sizes, HBasis::odd_coset_lagrange}, DomainRoot::five).total_bytes;
}

template <class C>
Result<void> ZkeyFile::load_key(const SystemSizes& sizes, std::span<std::byte> out, const ZkeyLoadOptions& options,
                                const Compute& compute) const {
  if (!options.allow_insecure) {
    if (Result<void> secure = refuse_insecure(); !secure) return secure;
  }
  const Result<FixedPoints<C>> points = read_fixed_points<C>(container_);
  if (!points) return tl::unexpected(points.error());
  const auto sections = begin_key<C>(out, {sizes, HBasis::odd_coset_lagrange}, DomainRoot::five);
  if (!sections) return tl::unexpected(sections.error());

  std::ranges::copy(std::array{points->alpha1, points->beta1, points->delta1}, sections->fixed_g1.begin());
  std::ranges::copy(std::array{points->beta2, points->gamma2, points->delta2}, sections->fixed_g2.begin());
  const auto load = [&](std::uint32_t id, const char* name, auto to, PointCheck check) {
    return load_points<C>(container_, container_.section(id), 0, name, to, check, compute, options.read_at);
  };
  const PointCheck check = options.check_subgroups ? PointCheck::subgroup : PointCheck::on_curve;
  return load(zkey::kIc, "IC", sections->ic, PointCheck::subgroup)
      .and_then([&] { return load(zkey::kA, "A", sections->a, check); })
      .and_then([&] { return load(zkey::kB1, "B1", sections->b1, check); })
      .and_then([&] { return load(zkey::kB2, "B2", sections->b2, check); })
      .and_then([&] { return load(zkey::kL, "C", sections->l, check); })
      .and_then([&] { return load(zkey::kH, "H", sections->h, check); })
      .and_then([&] { return finish_key<C>(out, options.file_digest, warnings_); });
}

#define GROTH16_DEFINE_ZKEY(C)                                                                                  \
  template Result<VerifyingKey<C>> ZkeyFile::verifying_key() const;                                             \
  template std::uint64_t ZkeyFile::key_bytes<C>(const SystemSizes&) const;                                      \
  template Result<void> ZkeyFile::load_key<C>(const SystemSizes&, std::span<std::byte>, const ZkeyLoadOptions&, \
                                              const Compute&) const;
GROTH16_DEFINE_ZKEY(Bn254)
GROTH16_DEFINE_ZKEY(Bls12_381)

}  // namespace groth16::formats
