// A circuit like the large ones of practice: nearly every variable is a bit. 64 bits at a time are packed into one
// number, and the numbers' sum is the one public signal:
//   b (b - 1) = 0 for every bit      (b_0 + 2 b_1 + ... + 2^63 b_63) * 1 = v      (v_0 + v_1 + ...) * 1 = sum
// Wires: 0 one, 1 sum (output), then group by group 64 bits and their number: as many wires as rows, 1.5 % of them
// full-size.
#pragma once

#include <cstdint>

#include "common/error.hpp"
#include "groth16/algebra/curves.hpp"
#include "groth16/formats/byte_sink.hpp"

namespace groth16d::demo {

class BooleanCircuit {
 public:
  static constexpr std::uint32_t kBits = 64;  // of a group

  // As many groups as 2^domain_log2 rows hold; domain_log2 >= 7.
  explicit BooleanCircuit(std::uint32_t domain_log2);

  std::uint32_t n_wires() const { return 2 + groups_ * (kBits + 1); }

  Result<void> write_r1cs(groth16::CurveId curve, groth16::formats::ByteSink& sink) const;
  // One bit in 16 is set, drawn from the seed: b_g2_msm pays for set bits only.
  Result<void> write_witness(groth16::CurveId curve, std::uint64_t seed, groth16::formats::ByteSink& sink) const;

 private:
  template <class C>
  Result<void> write_r1cs_of(groth16::formats::ByteSink& sink) const;

  std::uint32_t groups_;
};

}  // namespace groth16d::demo
