// A circuit of bits (client/demo/boolean_circuit.hpp) as files of a test.
#pragma once

#include "client/demo/boolean_circuit.hpp"
#include "tests/e2e/scene.hpp"

namespace groth16d::faults {

// Circuit, key of e2e::kToxicSeed and n witnesses in `folder`.
e2e::CircuitFiles make_boolean_circuit(const std::filesystem::path& folder, groth16::CurveId curve,
                                       std::uint32_t domain_log2, std::uint32_t n);

}  // namespace groth16d::faults
