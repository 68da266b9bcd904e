// The rows of the circuit that the tests and the judge write as .r1cs files.
//
//   wires 0: 1, 1: out (public), 2: x, 3: y, 4: unused     x x = y,  y (2x - 1) = out,  (x + 3) 1 = x + 3 (linear)
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "groth16/formats/byte_sink.hpp"
#include "groth16/formats/r1cs_system.hpp"

namespace groth16::formats::test {

// n_labels: what the header declares; snarkjs writes at least one a wire.
template <class C>
groth16d::Result<void> write_sample_r1cs(ByteSink& sink, std::uint64_t n_labels) {
  using Fr = typename C::Fr;
  const Fr one = Fr::one(), two = Fr::from_u64(2), three = Fr::from_u64(3);
  R1csWriter<C> writer;
  writer.add_row({{{2, one}}, {{2, one}}, {{3, one}}});
  writer.add_row({{{3, one}}, {{0, -one}, {2, two}}, {{1, one}}});
  writer.add_row({{{0, three}, {2, one}}, {{0, one}}, {{0, three}, {2, one}}});
  R1csHeader header;
  header.curve = C::id;
  header.n_wires = 5;
  header.n_public_outputs = 1;
  header.n_private_inputs = 1;
  header.n_labels = n_labels;
  return writer.write(sink, header, std::vector<std::byte>(5 * 8));
}

}  // namespace groth16::formats::test
