// Poseidon as a circuit, in the form of neptune's first circuit, which Filecoin's published keys are made for: an
// element becomes a variable only when an S-box needs it, so in the partial rounds the other elements grow as linear
// combinations.
#pragma once

#include <span>

#include "groth16/circuits/number.hpp"

namespace groth16::circuits {

// The node above inputs.size() children (2, 4, 8, 11 or 16). 8 width + partial rounds - 1 S-boxes of three rows, the
// first width - 1 of them without a row for their input, and one row for the result.
Number poseidon(CircuitBuilder& builder, std::span<const Number> inputs);

}  // namespace groth16::circuits
