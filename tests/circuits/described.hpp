// What the tests ask of a description: its counts, its hash, its slow evaluation.
#pragma once

#include <string>

#include "groth16/circuits/circuit_builder.hpp"
#include "groth16/circuits/slow_witness.hpp"
#include "groth16/circuits/system_census.hpp"
#include "groth16/circuits/system_hash.hpp"

namespace groth16::circuits::test {

// What a sink has been told. describe(builder) describes the same circuit each time.
template <class Sink, class Describe>
Sink told(Sink sink, Describe&& describe) {
  CircuitBuilder builder{&sink};
  describe(builder);
  return sink;
}

template <class Describe>
SystemCensus census_of(Describe&& describe) {
  return told(SystemCensus(), describe);
}

// The hash, or the error's name.
template <class Describe>
std::string hash_of(const SystemSizes& sizes, Describe&& describe) {
  const auto finished = told(SystemHash(sizes), describe).finish();
  return finished ? *finished : finished.error().name;
}

template <class Describe>
SlowWitness evaluate(Describe&& describe) {
  return told(SlowWitness(), describe);
}

}  // namespace groth16::circuits::test
