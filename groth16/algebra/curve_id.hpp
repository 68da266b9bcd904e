// Which curve, which domain root: the names that cross files, segments and processes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace groth16 {

enum class CurveId : std::uint32_t { bn254 = 1, bls12_381 = 2 };

// The non-residue g whose power g^((r-1)/2^s) generates the NTT domains. Both roots of BLS12-381 generate the same
// subgroup in a different order, so a key is bound to one of them; BN254 only knows five.
enum class DomainRoot : std::uint32_t { five = 5, seven = 7 };

// The curve's name in circom's and snarkjs's files: "bn128", "bls12381".
constexpr std::string_view curve_name(CurveId id) { return id == CurveId::bn254 ? "bn128" : "bls12381"; }

// Case and punctuation do not count: "bn128", "BN254", "alt_bn128", "bls12381", "BLS12-381", ...
inline std::optional<CurveId> curve_from_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')) plain.push_back(c);
    if (c >= 'A' && c <= 'Z') plain.push_back(static_cast<char>(c - 'A' + 'a'));
  }
  if (plain == "bn128" || plain == "bn254" || plain == "altbn128") return CurveId::bn254;
  if (plain == "bls12381") return CurveId::bls12_381;
  return std::nullopt;
}

}  // namespace groth16
