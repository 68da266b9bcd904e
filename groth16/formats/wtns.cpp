// Reading and writing .wtns.
#include "groth16/formats/wtns.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "groth16/formats/encoding.hpp"

namespace groth16::formats {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

constexpr std::uint32_t kWtnsHeader = 1, kValues = 2;
constexpr std::array kWtnsRequired{kWtnsHeader, kValues};
constexpr ContainerRules kWtnsRules{"wtns", 1, 2, kWtnsRequired, {}};
constexpr std::uint64_t kHeaderBytes = 4 + kScalarBytes + 4;

// The first wire whose value is not below r, or size when there is none.
template <class C>
std::uint32_t first_not_canonical(Bytes values, std::uint32_t size) {
  for (std::uint32_t wire = 0; wire < size; ++wire) {
    const auto value = load_integer<typename C::Fr>(values.data() + std::uint64_t{wire} * kScalarBytes);
    if (!C::Fr::is_canonical(value)) return wire;
  }
  return size;
}

}  // namespace

Result<WitnessFile> WitnessFile::parse(std::string file, Bytes bytes) {
  const Result<Container> container = Container::parse(std::move(file), bytes, kWtnsRules);
  if (!container) return tl::unexpected(container.error());

  const Section header = container->section(kWtnsHeader);
  ByteReader reader(header.payload, header.offset);
  const Result<CurveId> curve = read_scalar_field(*container, header, reader);
  if (!curve) return tl::unexpected(curve.error());
  if (Result<void> length = container->expect_length(header, kHeaderBytes, "n8, prime, count"); !length) {
    return tl::unexpected(length.error());
  }
  const std::uint32_t size = reader.u32();
  if (size == 0) return container->fail(header, header.offset + 36, "empty_witness", "0 values, expected at least 1");

  const Section section = container->section(kValues);
  const Result<void> length = container->expect_length(section, std::uint64_t{size} * kScalarBytes,
                                                       fmt::format("{} values x {}", size, kScalarBytes));
  if (!length) return tl::unexpected(length.error());

  const std::uint32_t bad =
      with_curve(*curve, [&]<class C>() { return first_not_canonical<C>(section.payload, size); });
  if (bad != size) {
    return container->fail(section, section.offset + std::uint64_t{bad} * kScalarBytes, "value",
                           fmt::format("the value of wire {} is not below the prime of {}", bad, curve_name(*curve)));
  }
  WitnessFile witness(container->file(), *curve, size, section.payload, container->trailing_bytes());
  if (!(witness.value(0) == UInt<4>::from_u64(1))) {
    return container->fail(section, section.offset, "one", "wire 0 is not 1");
  }
  return witness;
}

UInt<4> WitnessFile::value(std::uint32_t wire) const {
  UInt<4> value;
  std::memcpy(value.limb, values_.data() + std::uint64_t{wire} * kScalarBytes, kScalarBytes);
  return value;
}

void WitnessFile::copy_to(std::span<UInt<4>> out) const { std::memcpy(out.data(), values_.data(), values_.size()); }

Result<void> WitnessFile::check_fits(CurveId circuit_curve, std::uint64_t n_wires) const {
  if (curve_ != circuit_curve) {
    return failure(ErrorCode::mismatch, "wtns.curve",
                   fmt::format("{}: the witness is for {}, the circuit for {}", file_, curve_name(curve_),
                               curve_name(circuit_curve)));
  }
  if (size_ != n_wires) {
    return failure(ErrorCode::mismatch, "wtns.count",
                   fmt::format("{}: Invalid witness length. Circuit: {}, witness: {} (is it from the same compilation, "
                               "with the same -O level?)",
                               file_, n_wires, size_));
  }
  return {};
}

Result<void> write_wtns(ByteSink& sink, CurveId curve, std::span<const UInt<4>> values) {
  if (values.size() > std::numeric_limits<std::uint32_t>::max()) {
    return failure(ErrorCode::too_large, "wtns.count", "a .wtns holds at most 2^32 - 1 values");
  }
  ContainerWriter writer(sink, "wtns", 2, 2);
  writer.section(kWtnsHeader, kHeaderBytes);
  writer.u32(kScalarBytes);
  with_curve(curve, [&]<class C>() { writer.write(prime_bytes<typename C::Fr>()); });
  writer.u32(static_cast<std::uint32_t>(values.size()));
  writer.section(kValues, values.size() * kScalarBytes);
  writer.write(std::as_bytes(values));
  return writer.finish();
}

}  // namespace groth16::formats
