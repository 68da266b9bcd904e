// The circuit of the sample parameters, in its flat form.
//
//   wires 0: 1, 1: out (public), 2: x, 3: y      x x = y,  y (2x - 1) = out
#pragma once

#include <cstddef>
#include <vector>

#include "groth16/proof/constraint_system_builder.hpp"

namespace groth16::formats::test {

inline std::vector<std::byte> bellperson_circuit() {
  using C = Bls12_381;
  ConstraintSystemBuilder<C> builder({4, 1, 2, 2}, true);
  const C::Fr one = C::Fr::one();
  builder.add(MatrixId::a, 0, 2, one);
  builder.add(MatrixId::b, 0, 2, one);
  builder.add(MatrixId::c, 0, 3, one);
  builder.add(MatrixId::a, 1, 3, one);
  builder.add(MatrixId::b, 1, 0, -one);
  builder.add(MatrixId::b, 1, 2, one.doubled());
  builder.add(MatrixId::c, 1, 1, one);
  builder.add_public_rows();
  std::vector<std::byte> bytes(builder.serialized_bytes());
  builder.write(bytes);
  return bytes;
}

}  // namespace groth16::formats::test
