// bellperson's parameters, a proving key of BLS12-381, as Filecoin's .params files hold it (47 GB for 32 GiB sectors):
//
//   a verifying key (bellperson_vk.hpp); then five arrays, each after its u32 count:         all big-endian
//   h     domain - 1 of G1: [tau^i Z(tau) / delta]                 l     of G1, one a private variable
//   a     of G1, one a variable that occurs in A                   b_g1, b_g2   one a variable that occurs in B
//
// Public variables come before private ones, and the public rows, which a file does not mention, make every public
// variable occur in A. No point is infinity. A file does not say which variables occur: the circuit does. Such keys
// have the H basis monomial and the domain root seven.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "common/error.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/formats/bellperson_vk.hpp"
#include "groth16/formats/point_section.hpp"
#include "groth16/proof/constraint_system.hpp"
#include "groth16/proof/proving_key.hpp"

namespace groth16::formats {

struct ParamsLoadOptions {
  // Loads a key whose toxic values a program knew, or that anyone can forge for; it then carries the warning.
  bool allow_insecure = false;
  // Also checks that every point of the five arrays has order r. Without it a point outside the subgroup is found by
  // the check of the proof. The verifying key is always checked.
  PointCheck check = PointCheck::on_curve;
  // SHA-256 of the file, for the key's header; nullptr: the digest of the key's points.
  const Digest* file_digest = nullptr;
};

// A file whose verifying key and counts have been checked: cheap, whatever the file's size. Refers to the bytes it was
// parsed from.
class BellpersonParams {
 public:
  // Errors (malformed): those of read_bellperson_vk; bellperson_params.length (an array ends behind the file),
  // .trailing.
  static groth16d::Result<BellpersonParams> parse(std::string file, Bytes bytes);

  const BellpersonVk& vk() const { return vk_; }
  const std::string& file() const { return file_; }

  // Variables of the circuit that it is for, by its counts; inputs with the constant one.
  std::uint64_t n_inputs() const { return vk_.key.ic.size(); }
  std::uint64_t n_private() const { return arrays_[1].count; }

  // kKeyForgeable | kKeyDevelopment.
  std::uint32_t warnings() const { return warnings_of(vk_); }
  // Error (malformed): bellperson_params.insecure.
  groth16d::Result<void> refuse_insecure() const;

  // The bytes that load_key fills.
  static std::uint64_t key_bytes(const SystemSizes& sizes);

  // Whether the file can be the circuit's by what the sizes say alone. Errors (mismatch): bellperson_params.ic_count,
  // .h_count, .l_count.
  groth16d::Result<void> check_sizes(const SystemSizes& sizes) const;

  // Writes the key's flat form into out (key_bytes, aligned to 8), for a system with these sizes, checking every
  // point's coordinates and curve equation, and that B is the same in both groups at both ends. Errors:
  // bellperson_params.insecure, those of check_sizes, .a_count, .b_g1_count, .b_g2_count (mismatch); .flags, .infinity,
  // .coordinate, .not_on_curve, .not_in_subgroup, .pairing (malformed); those of begin_key; cancelled.
  groth16d::Result<void> load_key(const ConstraintSystem<Bls12_381>& system, std::span<std::byte> out,
                                  const ParamsLoadOptions& options, const Compute& compute) const;

 private:
  // Where the points of an array lie.
  struct Extent {
    std::uint64_t offset = 0, count = 0;
  };
  static constexpr std::size_t kArrays = 5;

  BellpersonParams(std::string file, Bytes bytes, BellpersonVk vk)
      : file_(std::move(file)), bytes_(bytes), vk_(std::move(vk)) {}

  groth16d::Result<void> check_count(std::size_t array, std::uint64_t expected) const;
  groth16d::Result<void> check_pairing(bool first) const;

  std::string file_;
  Bytes bytes_;
  BellpersonVk vk_;
  std::array<Extent, kArrays> arrays_{};
};

}  // namespace groth16::formats
