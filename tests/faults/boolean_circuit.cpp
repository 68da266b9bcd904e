#include "tests/faults/boolean_circuit.hpp"

namespace groth16d::faults {

namespace formats = groth16::formats;

e2e::CircuitFiles make_boolean_circuit(const std::filesystem::path& folder, groth16::CurveId curve,
                                       std::uint32_t domain_log2, std::uint32_t n) {
  const demo::BooleanCircuit circuit(domain_log2);
  return e2e::make_circuit_of(
      folder, [&](formats::ByteSink& sink) { return circuit.write_r1cs(curve, sink); },
      [&](std::uint64_t seed, formats::ByteSink& sink) { return circuit.write_witness(curve, seed, sink); }, n);
}

}  // namespace groth16d::faults
