#include "groth16/circuits/circuit_builder.hpp"

namespace groth16::circuits {

Variable CircuitBuilder::alloc_public(const Fr& value) {
  for (CircuitSink* sink : sinks_) sink->on_public(value);
  return Variable::public_number(n_public_++);
}

Variable CircuitBuilder::alloc(const Fr& value, Storage storage) {
  for (CircuitSink* sink : sinks_) sink->on_private(value, storage);
  return Variable::private_number(n_private_++);
}

void CircuitBuilder::enforce(LinearCombination a, LinearCombination b, LinearCombination c) {
  a.normalise();
  b.normalise();
  c.normalise();
  for (CircuitSink* sink : sinks_) sink->on_row({a.terms(), b.terms(), c.terms()});
}

}  // namespace groth16::circuits
