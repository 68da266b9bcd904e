// Writing a .zkey.
#include "groth16/formats/zkey_writer.hpp"

#include <fmt/format.h>

#include <limits>
#include <string_view>
#include <vector>

#include "groth16/formats/binfile.hpp"
#include "groth16/formats/zkey.hpp"
#include "groth16/formats/zkey_sections.hpp"

namespace groth16::formats {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

constexpr std::string_view kDevelopmentText =
    "insecure: made for development, its toxic values were known to a program";

template <class C>
void write_header(ContainerWriter& writer, const ProvingKey<C>& key) {
  writer.section(zkey::kProtocol, zkey::kProtocolBytes);
  writer.u32(zkey::kGroth16);

  writer.section(zkey::kHeader, zkey::kHeaderBytes<C>);
  writer.u32(C::Fq::kBytes);
  writer.write(prime_bytes<typename C::Fq>());
  writer.u32(C::Fr::kBytes);
  writer.write(prime_bytes<typename C::Fr>());
  writer.u32(static_cast<std::uint32_t>(key.sizes().n_vars));
  writer.u32(static_cast<std::uint32_t>(key.sizes().n_public));
  writer.u32(static_cast<std::uint32_t>(key.sizes().domain_size()));
  writer.write(point_bytes(key.alpha1()));
  writer.write(point_bytes(key.beta1()));
  writer.write(point_bytes(key.beta2()));
  writer.write(point_bytes(key.gamma2()));
  writer.write(point_bytes(key.delta1()));
  writer.write(point_bytes(key.delta2()));
}

// v R^2 mod r: the Montgomery form of the Montgomery form.
template <class C>
typename C::Fr::Integer stored_form(const typename C::Fr& coefficient) {
  return C::Fr::from_uint(coefficient.limbs()).limbs();
}

template <class C>
void write_coefficients(ContainerWriter& writer, const ConstraintSystem<C>& system, std::uint32_t count) {
  std::vector<typename C::Fr::Integer> stored;
  stored.reserve(system.dictionary().size());
  for (const auto& coefficient : system.dictionary()) stored.push_back(stored_form<C>(coefficient));

  writer.section(zkey::kCoefficients, zkey::kCountBytes + count * zkey::kRecordBytes);
  writer.u32(count);
  for (std::uint64_t row = 0; row < system.n_rows(); ++row) {
    for (const MatrixId matrix : {MatrixId::a, MatrixId::b}) {
      system.matrix(matrix).for_each_term(row, [&](std::uint32_t wire, std::uint32_t coefficient) {
        writer.u32(static_cast<std::uint32_t>(matrix));
        writer.u32(static_cast<std::uint32_t>(row));
        writer.u32(wire);
        std::array<std::byte, kScalarBytes> value;
        stored[coefficient].to_le_bytes(value);
        writer.write(value);
      });
    }
  }
}

template <class Point>
void write_points(ContainerWriter& writer, std::uint32_t id, std::span<const Point> points) {
  writer.section(id, points.size() * kPointBytes<Point>);
  writer.write(point_bytes(points));
}

void write_empty_transcript(ContainerWriter& writer) {
  writer.section(zkey::kTranscript, zkey::kEmptyTranscriptBytes);
  writer.write(std::array<std::byte, 64>{});
  writer.u32(0);
}

}  // namespace

template <class C>
Result<void> write_zkey(ByteSink& sink, const ProvingKey<C>& key, const ConstraintSystem<C>& system) {
  if (Result<void> together = check_belong_together(key, system); !together) return together;
  if (key.basis() != HBasis::odd_coset_lagrange || key.root() != DomainRoot::five) {
    return failure(ErrorCode::malformed, "zkey.basis", "a .zkey holds H in the odd-coset Lagrange basis of the root 5");
  }
  const std::uint64_t count = system.matrix(MatrixId::a).n_terms() + system.matrix(MatrixId::b).n_terms();
  if (count > std::numeric_limits<std::uint32_t>::max()) {
    return failure(ErrorCode::too_large, "zkey.coefficient_count",
                   fmt::format("{} coefficients, a .zkey holds at most 2^32 - 1", count));
  }
  const bool development = (key.warnings() & kKeyDevelopment) != 0;
  ContainerWriter writer(sink, "zkey", 1, development ? 11 : 10);
  write_header(writer, key);
  write_coefficients(writer, system, static_cast<std::uint32_t>(count));
  write_points(writer, zkey::kIc, key.ic());
  write_points(writer, zkey::kH, key.h());
  write_points(writer, zkey::kL, key.l());
  write_points(writer, zkey::kA, key.a());
  write_points(writer, zkey::kB1, key.b1());
  write_points(writer, zkey::kB2, key.b2());
  write_empty_transcript(writer);
  if (development) {
    writer.section(kZkeyDevelopmentSection, kDevelopmentText.size());
    writer.write(std::as_bytes(std::span(kDevelopmentText)));
  }
  return writer.finish();
}

template Result<void> write_zkey(ByteSink&, const ProvingKey<Bn254>&, const ConstraintSystem<Bn254>&);
template Result<void> write_zkey(ByteSink&, const ProvingKey<Bls12_381>&, const ConstraintSystem<Bls12_381>&);

}  // namespace groth16::formats
