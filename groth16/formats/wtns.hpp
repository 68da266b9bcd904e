// .wtns: the values of all wires of one circuit, as circom's witness generators write them.
//
//   section 1   u32 n8 = 32 | prime r | u32 count
//   section 2   count x 32 bytes, plain little-endian, canonical; wire 0 is the constant 1
//
// Versions 1 and 2 are the same bytes and both are read; version 2 is written.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "common/error.hpp"
#include "groth16/algebra/curve_id.hpp"
#include "groth16/algebra/uint.hpp"
#include "groth16/formats/binfile.hpp"

namespace groth16::formats {

// A witness file that has been checked in full. It refers to the bytes it was parsed from.
class WitnessFile {
 public:
  // Errors: those of the container, wtns.section_length, wtns.field_size, wtns.prime, wtns.empty_witness,
  // wtns.value (a value not below r; the wire is named, the value is not), wtns.one (wire 0 is not 1).
  static groth16d::Result<WitnessFile> parse(std::string file, Bytes bytes);

  CurveId curve() const { return curve_; }
  std::uint32_t size() const { return size_; }
  std::uint64_t trailing_bytes() const { return trailing_bytes_; }  // after the last section; worth a warning
  const std::string& file() const { return file_; }

  // The value of a wire, below r. wire < size().
  UInt<4> value(std::uint32_t wire) const;

  // All values in order, 32 bytes each, plain little-endian, at any alignment.
  Bytes values() const { return values_; }

  // All values in order; out.size() is size().
  void copy_to(std::span<UInt<4>> out) const;

  // Whether this witness can belong to a circuit of n_wires wires. Errors (mismatch): wtns.curve, wtns.count.
  groth16d::Result<void> check_fits(CurveId circuit_curve, std::uint64_t n_wires) const;

 private:
  WitnessFile(std::string file, CurveId curve, std::uint32_t size, Bytes values, std::uint64_t trailing_bytes)
      : file_(std::move(file)), curve_(curve), size_(size), values_(values), trailing_bytes_(trailing_bytes) {}

  std::string file_;
  CurveId curve_;
  std::uint32_t size_;
  Bytes values_;
  std::uint64_t trailing_bytes_;
};

// Writes values as snarkjs does. Each value is below r.
groth16d::Result<void> write_wtns(ByteSink& sink, CurveId curve, std::span<const UInt<4>> values);

}  // namespace groth16::formats
