// A circuit of any size for demonstrations and tests: knowledge of a key under which a public plaintext becomes a
// public ciphertext. The permutation is of MiMC's shape (Albrecht et al. 2016): rounds x -> (x + k + c_i)^5 with c_i =
// i^3 + 7, and the key added once more at the end. It shows proofs at work; it is no cipher to rely on.
//
// Wires: 0 one, 1 ciphertext (output), 2 plaintext (public input), 3 key (private), then three a round: square, fourth
// power, fifth power. The last round has no wire for its fifth power: it is ciphertext - key. Three constraints a
// round, with s = x + k + c_i:   s * s = square    square * square = fourth    fourth * s = fifth.
#pragma once

#include <cstdint>
#include <vector>

#include "common/error.hpp"
#include "groth16/algebra/curves.hpp"
#include "groth16/formats/byte_sink.hpp"

namespace groth16d::demo {

class FifthPowerCircuit {
 public:
  // rounds >= 1.
  explicit FifthPowerCircuit(std::uint32_t rounds) : rounds_(rounds) {}

  // The most rounds that a domain of 2^domain_log2 rows holds, with the three public rows; domain_log2 >= 3.
  static std::uint32_t rounds_that_fill(std::uint32_t domain_log2);

  std::uint32_t n_constraints() const { return 3 * rounds_; }
  std::uint32_t n_wires() const { return 3 + 3 * rounds_; }

  // The circuit's .r1cs. Errors of the sink.
  Result<void> write_r1cs(groth16::CurveId curve, groth16::formats::ByteSink& sink) const;

  // The .wtns of one plaintext and key. Errors of the sink.
  Result<void> write_witness(groth16::CurveId curve, std::uint64_t plaintext, std::uint64_t key,
                             groth16::formats::ByteSink& sink) const;

 private:
  template <class C>
  Result<void> write_r1cs_of(groth16::formats::ByteSink& sink) const;
  template <class C>
  std::vector<typename C::Scalar> witness(std::uint64_t plaintext, std::uint64_t key) const;

  std::uint32_t rounds_;
};

}  // namespace groth16d::demo
