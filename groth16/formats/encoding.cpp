// Primes in headers.
#include "groth16/formats/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace groth16::formats {

using groth16d::Result;

std::optional<CurveId> curve_of_scalar_prime(Bytes prime) {
  for (const CurveId id : {CurveId::bn254, CurveId::bls12_381}) {
    const bool same =
        with_curve(id, [&]<class C>() { return std::ranges::equal(prime, prime_bytes<typename C::Fr>()); });
    if (same) return id;
  }
  return std::nullopt;
}

std::string prime_text(Bytes prime) {
  if (prime.size() > 64) return fmt::format("a number of {} bytes", prime.size());
  std::array<std::byte, 64> wide{};
  std::copy(prime.begin(), prime.end(), wide.begin());
  return UInt<8>::from_le_bytes(wide).to_decimal();
}

Result<CurveId> read_scalar_field(const Container& container, const Section& section, ByteReader& reader) {
  const std::uint64_t at = reader.offset();
  const std::uint32_t n8 = reader.u32();
  if (n8 != kScalarBytes) {
    return container.fail(section, at, "field_size",
                          fmt::format("scalars of {} bytes, expected 32 (bn128 or bls12381)", n8));
  }
  const std::uint64_t prime_at = reader.offset();
  const Bytes prime = reader.take(kScalarBytes);
  if (reader.overrun()) return container.fail(section, prime_at, "section_length", "the header ends inside the prime");
  if (const std::optional<CurveId> curve = curve_of_scalar_prime(prime)) return *curve;
  return container.fail(
      section, prime_at, "prime",
      fmt::format("the prime {} is the scalar field of neither bn128 nor bls12381", prime_text(prime)));
}

}  // namespace groth16::formats
