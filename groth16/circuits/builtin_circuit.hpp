// BuiltinCircuit: a circuit that goes by a name alone, "porep-32GiB", and all that a program does with one. The table
// of families is in builtin_circuit.cpp; another family of Filecoin's circuits is another entry there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/circuits/circuit_builder.hpp"
#include "groth16/proof/system_writer.hpp"

namespace groth16::circuits {

class BuiltinCircuit {
 public:
  virtual ~BuiltinCircuit() = default;

  virtual std::string name() const = 0;
  virtual SystemSizes sizes() const = 0;

  // Tells all variables, their values 0, and all rows.
  virtual void describe(CircuitBuilder& builder) const = 0;

  // The flat constraint system: what it takes, then its bytes (plan.bytes(), aligned to 8). Errors: those of
  // SystemWriter; cancelled.
  virtual SystemPlan<Bls12_381> plan() const = 0;
  virtual groth16d::Result<void> write_system(const SystemPlan<Bls12_381>& plan, std::span<std::byte> out,
                                              const Compute& compute) const = 0;

  // The flat input of one partition, and the packed witness from it (packed_witness_bytes(system) bytes, aligned to
  // 8). Errors: those of the circuit's input; circuit.mismatch, the system is another circuit's.
  virtual std::uint64_t input_bytes() const = 0;
  virtual groth16d::Result<void> write_witness(std::span<const std::byte> input,
                                               const ConstraintSystem<Bls12_381>& system,
                                               std::span<std::byte> out) const = 0;

  // x_1 ... x_n of the witness that an input gives, without making it. Errors: those of the circuit's input.
  virtual groth16d::Result<std::vector<Scalar>> public_inputs(std::span<const std::byte> input) const = 0;

  // The published name of its parameters (parameter_files.hpp).
  virtual std::string parameter_stem() const = 0;

  // Whether anyone but a test proves with it: a key made without a ceremony is then of no use.
  virtual bool is_for_production() const = 0;
};

// Error (not_found): circuit.name.
groth16d::Result<std::unique_ptr<const BuiltinCircuit>> builtin_circuit(std::string_view name);

// The circuit with these numbers of variables, n_inputs with the constant one: no two have the same. A key does not say
// which circuit it is for. Error (not_found): circuit.sizes.
groth16d::Result<std::unique_ptr<const BuiltinCircuit>> builtin_circuit_of_sizes(std::uint64_t n_inputs,
                                                                                 std::uint64_t n_private);

// Whether any has so many inputs.
bool has_builtin_circuit(std::uint64_t n_inputs);

// The circuit that a flat input says it is for, by its first bytes; nothing for bytes that are no such input.
std::unique_ptr<const BuiltinCircuit> builtin_circuit_of_input(std::span<const std::byte> input);

}  // namespace groth16::circuits
