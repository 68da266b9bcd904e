// .r1cs: the constraint system that circom writes: rows <A,w> * <B,w> = <C,w>.
//
//   section 1   u32 n8 = 32 | prime r | u32 nWires | u32 nPubOut | u32 nPubIn | u32 nPrvIn | u64 nLabels | u32
//   nConstraints section 2   for each row A, B, C, each: u32 nTerms | nTerms x { u32 wire | 32 bytes coefficient,
//   plain, below r } section 3   nWires x u64 label (optional) 4, 5        custom gates of PLONK: they are no
//   constraints, so any gate in them is refused
//
// Wire 0 is the constant 1, then come the public outputs, public inputs, private inputs, and the rest. Terms may be
// unsorted, repeated or zero; combinations may be empty.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "groth16/algebra/curves.hpp"
#include "groth16/formats/binfile.hpp"

namespace groth16::formats {

struct R1csHeader {
  CurveId curve = CurveId::bn254;
  std::uint32_t n_wires = 0;
  std::uint32_t n_public_outputs = 0;
  std::uint32_t n_public_inputs = 0;
  std::uint32_t n_private_inputs = 0;
  std::uint64_t n_labels = 0;
  std::uint32_t n_constraints = 0;

  // Public signals are the wires 1 .. n_public().
  std::uint32_t n_public() const { return n_public_outputs + n_public_inputs; }
};

template <class C>
struct R1csTerm {
  std::uint32_t wire;
  typename C::Fr coefficient;
};

template <class C>
struct R1csRow {
  std::vector<R1csTerm<C>> a, b, c;
};

// An .r1cs whose header and sections have been checked; its rows are checked as they are read. It refers to the bytes
// it was parsed from.
class R1csFile {
 public:
  // Errors: those of the container, r1cs.section_length, r1cs.field_size, r1cs.prime, r1cs.wire_count,
  // r1cs.constraint_count, r1cs.custom_gates.
  static groth16d::Result<R1csFile> parse(std::string file, Bytes bytes);

  const R1csHeader& header() const { return header_; }
  const std::string& file() const { return container_.file(); }
  std::uint64_t trailing_bytes() const { return container_.trailing_bytes(); }

  // The label of each wire, 8 bytes little-endian each; empty when the file has none.
  Bytes labels() const;

  // A cursor over the rows, from the first.
  template <class C>
  class Rows;
  template <class C>
  Rows<C> rows() const;

 private:
  R1csFile(Container container, R1csHeader header) : container_(std::move(container)), header_(header) {}

  Container container_;
  R1csHeader header_;
};

template <class C>
class R1csFile::Rows {
 public:
  // Reads the next row into row, reusing its memory; false after the last row, when the section has been consumed
  // exactly. Errors: r1cs.terms (more terms than bytes), r1cs.wire, r1cs.coefficient, r1cs.section_length.
  groth16d::Result<bool> next(R1csRow<C>& row);

 private:
  friend class R1csFile;
  Rows(const R1csFile& file, Section section)
      : file_(file), section_(section), reader_(section.payload, section.offset) {}
  groth16d::Result<void> read_combination(char matrix, std::vector<R1csTerm<C>>& terms);

  const R1csFile& file_;
  Section section_;
  ByteReader reader_;
  std::uint32_t row_ = 0;
};

// Collects rows and writes them with circom's order of sections (2, 1, 3).
template <class C>
class R1csWriter {
 public:
  void add_row(const R1csRow<C>& row);

  // header.n_constraints is replaced by the number of rows added. labels: the bytes of section 3, 8 for each wire.
  groth16d::Result<void> write(ByteSink& sink, R1csHeader header, Bytes labels) const;

 private:
  std::vector<std::byte> rows_;
  std::uint32_t count_ = 0;
};

extern template class R1csFile::Rows<Bn254>;
extern template class R1csFile::Rows<Bls12_381>;
extern template class R1csWriter<Bn254>;
extern template class R1csWriter<Bls12_381>;

}  // namespace groth16::formats
