// SystemHash: a sink that makes the fingerprint of a constraint system, the one of bellperson's test constraint system:
//
//   BLAKE2s-256( u64 public variables, the constant one included; u64 private variables; u64 rows; then for each row,
//     for A, B, C: u64 number of terms, then for each term, public variables first, by number:
//       'I' (public) or 'A' (private), u64 number, the coefficient in 32 bytes )                all big-endian
//
// It covers every coefficient and the order of all rows, and no value.
#pragma once

#include <string>
#include <vector>

#include "common/blake2.hpp"
#include "common/error.hpp"
#include "groth16/circuits/circuit_builder.hpp"
#include "groth16/proof/constraint_system.hpp"

namespace groth16::circuits {

class SystemHash final : public CircuitSink {
 public:
  // The sizes are hashed before the first row: they come from a census of the same circuit or from a formula.
  explicit SystemHash(const SystemSizes& sizes);

  void on_public(const Fr&) override { ++n_public_; }
  void on_private(const Fr&, Storage) override { ++n_private_; }
  void on_row(const Row& row) override;

  // 64 hexadecimal digits. Error (internal): circuit.sizes, the circuit had other sizes than those announced.
  groth16d::Result<std::string> finish();

 private:
  void put(std::span<const Term> terms);
  void put_u64(std::uint64_t value);
  void flush();

  SystemSizes announced_;
  std::uint64_t n_public_ = 0, n_private_ = 0, n_rows_ = 0;
  std::vector<std::byte> pending_;
  groth16d::Blake2s256 hash_;
};

}  // namespace groth16::circuits
