// ConstraintSystemBuilder: collects the terms of A, B and C, in any order, and writes the flat form of a constraint
// system.
//
//   ConstraintSystemBuilder<C> builder({n_vars, n_public, n_constraints, domain_log2}, has_c);
//   builder.add(MatrixId::a, row, wire, coefficient); ...
//   builder.add_public_rows();                       // unless the source lists them itself, as a zkey does
//   std::vector<std::byte> bytes(builder.serialized_bytes());
//   builder.write(bytes);                            // finds the boolean wires; the builder is empty after
//
// Memory while collecting: 8 bytes a term, 12 for a matrix whose rows did not come in rising order, 4 bytes a row and
// matrix, and the dictionary. Each matrix's terms are freed as soon as they are written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/error.hpp"
#include "groth16/proof/coefficient_dictionary.hpp"
#include "groth16/proof/constraint_system.hpp"

namespace groth16 {

// Terms of one matrix in the order of their arrival, in blocks so that growing copies nothing.
class TermList {
 public:
  struct Term {
    std::uint32_t wire;
    std::uint32_t coefficient;  // index into the dictionary
  };

  explicit TermList(std::uint64_t n_rows = 0) : counts_(n_rows, 0) {}

  void add(std::uint64_t row, Term term);
  std::uint64_t size() const { return size_; }
  std::span<const std::uint32_t> row_counts() const { return counts_; }

  // Calls fn(row, term) in the order of arrival, freeing the blocks on the way.
  template <class Fn>
  void drain(Fn&& fn);

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 16;
  void start_recording_rows();

  std::uint64_t size_ = 0;
  std::uint64_t last_row_ = 0;
  bool in_order_ = true;                                      // then the rows follow from counts_
  std::vector<std::uint32_t> counts_;                         // terms of each row
  std::vector<std::unique_ptr<Term[]>> blocks_;               // kBlock terms each
  std::vector<std::unique_ptr<std::uint32_t[]>> row_blocks_;  // their rows, once out of order
};

template <class C>
class ConstraintSystemBuilder {
 public:
  using Fr = typename C::Fr;

  // sizes are consistent: n_public < n_vars < 2^32, n_rows() <= 2^domain_log2; see check_sizes.
  ConstraintSystemBuilder(const SystemSizes& sizes, bool has_c);

  // Errors (malformed): system.sizes. For sizes that came from a file, before a builder is made of them.
  static groth16d::Result<void> check_sizes(const SystemSizes& sizes);

  // Adds coefficient * w[wire] to a row of a matrix. Terms of one (row, wire) add up; zero coefficients are dropped.
  // Rows are below n_rows() and wires below n_vars: the caller has checked what comes from a file.
  void add(MatrixId matrix, std::uint64_t row, std::uint32_t wire, const Fr& coefficient);

  // The same in two steps, for a caller that knows coefficients again: the number of one that is not zero, and a term.
  std::uint32_t number_of(const Fr& coefficient) { return dictionary_.index_of(coefficient); }
  void add_numbered(MatrixId matrix, std::uint64_t row, std::uint32_t wire, std::uint32_t number) {
    terms_[static_cast<std::size_t>(matrix)].add(row, {wire, number});
  }

  // The n_public + 1 rows "w_s * 0 = 0" behind the constraints.
  void add_public_rows();

  // Says that a private wire is a bit in every satisfying witness, where the search would not see it.
  void mark_boolean(std::uint32_t wire);

  // Says that every wire to be stored as a bit is marked: write() does not search for others.
  void marks_are_complete() { search_booleans_ = false; }

  std::uint64_t serialized_bytes() const;

  // out has serialized_bytes() bytes and is aligned to 8. The builder is empty afterwards.
  void write(std::span<std::byte> out);

  const SystemSizes& sizes() const { return sizes_; }

 private:
  SystemHeader header() const;
  void write_matrix(std::span<std::byte> out, const SystemHeader& header, std::size_t matrix);

  SystemSizes sizes_;
  bool has_c_;
  std::array<TermList, 3> terms_;
  CoefficientDictionary<Fr> dictionary_;
  std::vector<std::uint64_t> marked_;  // a bitmap of wires, empty until the first mark
  bool search_booleans_ = true;
};

extern template class ConstraintSystemBuilder<Bn254>;
extern template class ConstraintSystemBuilder<Bls12_381>;

}  // namespace groth16
