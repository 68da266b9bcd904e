// What is published of the replication circuits, and the check of a shape against it.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "groth16/algebra/curves.hpp"
#include "groth16/circuits/sector_shape.hpp"
#include "groth16/proof/constraint_system.hpp"

namespace groth16::circuits::test {

struct StackedExpectation {
  std::uint64_t n_inputs, n_private, n_rows;  // inputs: with the constant one; rows: without the public rows
  std::uint64_t a_density, b_density;         // of private variables
  std::array<std::uint64_t, 3> n_terms;       // without the public rows
  std::string hash;
};

// name: "2KiB" ... "64GiB" for whole partitions, "32GiB-1", "64GiB-1" for one challenge of these shapes.
const StackedExpectation& expectation(const std::string& name);

// The description, streamed.
void check(const SectorShape& shape, const StackedExpectation& expected);

// The flat form, whose challenges after the first are repetitions.
void check_flat(const ConstraintSystem<Bls12_381>& system, const StackedExpectation& expected);

}  // namespace groth16::circuits::test
