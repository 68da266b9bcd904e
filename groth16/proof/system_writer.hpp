// SystemWriter: writes a constraint system in its flat form row by row, straight to its place. For circuits that can be
// described twice: first to plan, which counts terms and collects coefficients, then to write. Beside the flat form
// nothing takes memory, and a part of the circuit that occurs again with fresh variables is written once and repeated.
//
//   SystemPlan<C> plan{sizes};   plan.count(matrix, coefficient); ... ++plan.n_boolean; plan.count_public_rows();
//   auto writer = SystemWriter<C>::create(plan, out);     // out: plan.bytes()
//   writer->add(matrix, wire, coefficient); ... writer->end_row(); ... writer->finish();
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/error.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/proof/coefficient_dictionary.hpp"
#include "groth16/proof/constraint_system.hpp"

namespace groth16 {

// What must be known of a system, which has C, before its first row is written.
template <class C>
struct SystemPlan {
  SystemSizes sizes;
  std::array<std::uint64_t, 3> n_terms{};  // of A, B, C, the public rows included
  std::uint64_t n_boolean = 0;
  CoefficientDictionary<typename C::Fr> dictionary;

  void count(MatrixId matrix, const typename C::Fr& coefficient) {
    ++n_terms[static_cast<std::size_t>(matrix)];
    dictionary.index_of(coefficient);
  }
  void count_public_rows() { n_terms[0] += sizes.n_public + 1; }

  SystemHeader header() const { return system_header(C::id, sizes, {n_terms, dictionary.values().size(), true}); }
  std::uint64_t bytes() const { return header().total_bytes; }
};

// A part of a circuit that follows itself `times` more times: its rows, and the wires that each repetition has of its
// own, those of the k-th being n_public k and n_private k behind the first's. Its other wires are the same in all.
struct Repetition {
  std::uint64_t first_row = 0, n_rows = 0;
  std::uint32_t first_public = 0, n_public = 0;
  std::uint32_t first_private = 0, n_private = 0;  // wires
  std::uint64_t times = 0;
};

// The arrays of one matrix in a flat system, and how far they are filled. The caller keeps inside them.
class MatrixWriter {
 public:
  MatrixWriter() = default;
  // index: of the matrix in the header's arrays; out: the system's bytes, long enough for the header.
  MatrixWriter(std::span<std::byte> out, const SystemHeader& header, std::size_t index);

  void add(std::uint32_t wire, std::uint32_t coefficient_index);
  // Says that n_rows rows end with the terms so far.
  void end_row(std::uint64_t n_rows) { set_start(n_rows, n_terms_); }
  void repeat(const Repetition& part, const Compute& compute);

  std::uint64_t n_terms() const { return n_terms_; }
  std::uint64_t capacity() const { return wires_.size(); }
  std::uint64_t start(std::uint64_t row) const;

 private:
  void set_start(std::uint64_t row, std::uint64_t term);

  std::byte* starts_ = nullptr;
  std::uint32_t start_bytes_ = 4;
  std::span<std::uint32_t> wires_;
  std::byte* indices_ = nullptr;
  std::uint32_t index_bytes_ = 2;
  std::uint64_t n_terms_ = 0;
};

template <class C>
class SystemWriter {
 public:
  using Fr = typename C::Fr;

  // out has plan.bytes() bytes and is aligned to 8. The plan may go. Error (internal): system.length.
  static groth16d::Result<SystemWriter> create(const SystemPlan<C>& plan, std::span<std::byte> out);

  // Says that a private wire is stored as one bit.
  void mark_boolean(std::uint64_t wire);

  // Adds a term, whose coefficient is not zero, to the row that is being written. What does not fit the plan is not
  // written, and fails in finish().
  void add(MatrixId matrix, std::uint64_t wire, const Fr& coefficient);
  void end_row();

  // The part is the end of what has been written, and its boolean wires are marked.
  void repeat(const Repetition& part, const Compute& compute);

  // Appends the public rows. Error (internal): system.plan, the circuit was not as planned.
  groth16d::Result<void> finish();

 private:
  bool fits(const Repetition& part) const;
  void repeat_booleans(const Repetition& part);

  std::span<std::byte> out_;
  SystemHeader header_{};
  CoefficientDictionary<Fr> dictionary_;
  std::array<MatrixWriter, 3> matrices_;
  std::span<std::uint64_t> bitmap_;
  std::uint64_t n_rows_ = 0;
  bool is_as_planned_ = true;
};

extern template class SystemWriter<Bn254>;
extern template class SystemWriter<Bls12_381>;

}  // namespace groth16
