// SystemAssembly: a sink that writes the rows into the flat form of a constraint system (groth16/proof), after
// SystemPlanning, a sink that has heard the same circuit before, has found how much room it takes. Wires are the public
// variables by number, then the private ones; a bit of the description is a boolean wire and no other is.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "groth16/circuits/circuit_builder.hpp"
#include "groth16/proof/system_writer.hpp"

namespace groth16::circuits {

// Counts terms and collects coefficients.
class SystemPlanning final : public CircuitSink {
 public:
  // The sizes come from a census of the same circuit or from a formula.
  explicit SystemPlanning(const SystemSizes& sizes) : plan_{sizes, {}, 0, {}} { plan_.count_public_rows(); }

  void on_public(const Fr&) override {}
  void on_private(const Fr&, Storage storage) override { plan_.n_boolean += storage == Storage::bit ? 1 : 0; }
  void on_row(const Row& row) override;

  const SystemPlan<Bls12_381>& plan() const { return plan_; }

 private:
  SystemPlan<Bls12_381> plan_;
};

class SystemAssembly final : public CircuitSink {
 public:
  // The writer is that of the circuit's plan, and outlives the sink.
  SystemAssembly(SystemWriter<Bls12_381>& writer, const SystemSizes& sizes) : writer_(writer), sizes_(sizes) {}

  void on_public(const Fr&) override { ++n_public_; }
  void on_private(const Fr&, Storage storage) override;
  void on_row(const Row& row) override;

  // Variables told so far, without the constant one.
  std::uint64_t n_public() const { return n_public_; }
  std::uint64_t n_private() const { return n_private_; }

 private:
  SystemWriter<Bls12_381>& writer_;
  SystemSizes sizes_;
  std::uint64_t n_public_ = 0, n_private_ = 0;
};

// The way back: tells a sink the variables of a system, all 0, then its rows without the public ones.
void tell_system(const ConstraintSystem<Bls12_381>& system, CircuitSink& sink);

}  // namespace groth16::circuits
