// CircuitBuilder: where the description of a circuit tells its variables and rows, in their order; and CircuitSink,
// who hears them. One description serves all: the hash of the constraint system, its counts, its flat form, and the
// evaluation of a witness, since every variable is told with its value. A description asks for no value: which rows
// there are depends on the circuit alone, so any values, zeros too, give its constraint system.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "groth16/circuits/linear_combination.hpp"

namespace groth16::circuits {

// What a packed witness keeps of a private variable: one bit, or all 32 bytes.
enum class Storage { bit, full };

// <a, w> <b, w> = <c, w>, each side normalised.
struct Row {
  std::span<const Term> a, b, c;
};

// Hears a circuit as it arises. The constant one, public variable 0, is not told.
class CircuitSink {
 public:
  virtual ~CircuitSink() = default;
  virtual void on_public(const Fr& value) = 0;
  virtual void on_private(const Fr& value, Storage storage) = 0;
  virtual void on_row(const Row& row) = 0;
};

class CircuitBuilder {
 public:
  // The sinks outlive the builder.
  CircuitBuilder(std::initializer_list<CircuitSink*> sinks) : sinks_(sinks) {}

  Variable alloc_public(const Fr& value);
  Variable alloc(const Fr& value, Storage storage = Storage::full);

  // Appends the row a * b = c.
  void enforce(LinearCombination a, LinearCombination b, LinearCombination c);

 private:
  std::vector<CircuitSink*> sinks_;
  std::uint32_t n_public_ = 1;  // the constant one
  std::uint32_t n_private_ = 0;
};

}  // namespace groth16::circuits
