// SystemCensus: a sink that counts: variables, rows, non-zero coefficients, and the densities that decide which points
// a proving key holds.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "groth16/circuits/circuit_builder.hpp"
#include "groth16/proof/constraint_system.hpp"

namespace groth16::circuits {

class SystemCensus final : public CircuitSink {
 public:
  void on_public(const Fr&) override { ++n_public_; }
  void on_private(const Fr&, Storage storage) override;
  void on_row(const Row& row) override;

  // Of the circuit so far, the domain being the smallest that holds its rows and the public rows.
  SystemSizes sizes() const;
  std::uint64_t n_bits() const { return n_bits_; }

  // Non-zero coefficients of A, B, C, without the public rows.
  const std::array<std::uint64_t, 3>& n_terms() const { return n_terms_; }

  // Private variables that occur in some row's A (B), and public ones, the constant one included, in some row's B.
  std::uint64_t a_private_density() const { return a_private_.count; }
  std::uint64_t b_private_density() const { return b_private_.count; }
  std::uint64_t b_public_density() const { return b_public_.count; }

 private:
  struct Occurrences {
    std::vector<bool> seen;
    std::uint64_t count = 0;
    void add(std::uint32_t number);
  };

  std::uint64_t n_public_ = 0, n_private_ = 0, n_bits_ = 0, n_rows_ = 0;
  std::array<std::uint64_t, 3> n_terms_{};
  Occurrences a_private_, b_private_, b_public_;
};

}  // namespace groth16::circuits
