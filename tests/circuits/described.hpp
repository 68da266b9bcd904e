// What the tests ask of a description: its counts, its hash, its slow evaluation.
#pragma once

#include <string>

#include "groth16/circuits/circuit_builder.hpp"
#include "groth16/circuits/slow_witness.hpp"
#include "groth16/circuits/system_assembly.hpp"
#include "groth16/circuits/system_census.hpp"
#include "groth16/circuits/system_hash.hpp"

namespace groth16::circuits::test {

// describe(builder) describes the same circuit each time.
template <class Describe>
SystemCensus census_of(Describe&& describe) {
  SystemCensus census;
  CircuitBuilder builder{&census};
  describe(builder);
  return census;
}

// The hash, or the error's name.
template <class Describe>
std::string hash_of(const SystemSizes& sizes, Describe&& describe) {
  SystemHash hash(sizes);
  CircuitBuilder builder{&hash};
  describe(builder);
  const auto finished = hash.finish();
  return finished ? *finished : finished.error().name;
}

template <class Describe>
SlowWitness evaluate(Describe&& describe) {
  SlowWitness witness;
  CircuitBuilder builder{&witness};
  describe(builder);
  return witness;
}

}  // namespace groth16::circuits::test
