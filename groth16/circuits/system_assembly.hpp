// SystemAssembly: a sink that collects the rows into the flat form of a constraint system (groth16/proof). Wires are
// the public variables by number, then the private ones; a bit of the description is a boolean wire and no other is.
#pragma once

#include <cstdint>
#include <vector>

#include "common/error.hpp"
#include "groth16/circuits/circuit_builder.hpp"
#include "groth16/proof/constraint_system_builder.hpp"

namespace groth16::circuits {

class SystemAssembly final : public CircuitSink {
 public:
  // The sizes come from a census of the same circuit or from a formula.
  explicit SystemAssembly(const SystemSizes& sizes) : builder_(sizes, true), announced_(sizes) {}

  void on_public(const Fr&) override { ++n_public_; }
  void on_private(const Fr&, Storage storage) override;
  void on_row(const Row& row) override;

  // The bytes of the system with its public rows. Error (internal): circuit.sizes, the circuit had other sizes than
  // those announced. The assembly is empty afterwards.
  groth16d::Result<std::vector<std::byte>> finish();

 private:
  void add(MatrixId matrix, std::span<const Term> terms);

  ConstraintSystemBuilder<Bls12_381> builder_;
  SystemSizes announced_;
  std::uint64_t n_public_ = 0, n_private_ = 0, n_rows_ = 0;
};

}  // namespace groth16::circuits
