// The files of the formats' sample circuit, and variants of them that something is wrong with.
#pragma once

#include <span>
#include <vector>

#include "common/error.hpp"
#include "groth16/formats/byte_sink.hpp"
#include "groth16/formats/wtns.hpp"
#include "tests/formats/sample.hpp"

namespace groth16d::worker::test {

using FileBytes = std::vector<std::byte>;
using groth16::formats::test::sample;

template <class C>
FileBytes witness_file(std::span<const groth16::UInt<4>> values) {
  groth16::formats::MemorySink sink;
  const Result<void> written = groth16::formats::write_wtns(sink, C::id, values);
  return written ? sink.bytes() : FileBytes();
}

// Well-formed, of the right length, and x x = y does not hold: row 0 fails.
template <class C>
FileBytes unsatisfying_witness_file() {
  std::vector<groth16::UInt<4>> values = sample<C>().values;
  values[2] = groth16::UInt<4>::from_u64(4);
  return witness_file<C>(values);
}

}  // namespace groth16d::worker::test
