// Filling a builder from an .r1cs, and comparing two systems.
#include "groth16/formats/r1cs_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace groth16::formats {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

Result<SystemSizes> system_sizes(const R1csFile& file) {
  const R1csHeader& header = file.header();
  SystemSizes sizes;
  sizes.n_vars = header.n_wires;
  sizes.n_public = header.n_public();
  sizes.n_constraints = header.n_constraints;
  sizes.domain_log2 = smallest_domain_log2(sizes.n_rows());
  const unsigned largest = with_curve(header.curve, []<class C>() { return C::two_adicity - 1; });
  if (sizes.domain_log2 <= largest) return sizes;
  return failure(
      ErrorCode::too_large, "r1cs.domain",
      fmt::format("{}: {} constraints and {} public signals need a domain of 2^{}, the largest of {} is 2^{}",
                  file.file(), header.n_constraints, sizes.n_public, sizes.domain_log2, curve_name(header.curve),
                  largest));
}

template <class C>
Result<void> collect(const R1csFile& file, ConstraintSystemBuilder<C>& builder) {
  auto rows = file.rows<C>();
  R1csRow<C> row;
  const auto add = [&](MatrixId matrix, std::uint64_t index, const std::vector<R1csTerm<C>>& terms) {
    for (const R1csTerm<C>& term : terms) builder.add(matrix, index, term.wire, term.coefficient);
  };
  for (std::uint64_t index = 0;; ++index) {
    const Result<bool> more = rows.next(row);
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    add(MatrixId::a, index, row.a);
    add(MatrixId::b, index, row.b);
    add(MatrixId::c, index, row.c);
  }
  builder.add_public_rows();
  return {};
}

namespace {

// One row as a sorted list of wires with the sums of their coefficients, without zeros: equal rows give equal lists.
template <class C>
class CanonicalRow {
 public:
  void load(const ConstraintSystem<C>& system, MatrixId matrix, std::uint64_t row) {
    terms_.clear();
    system.matrix(matrix).for_each_term(row, [&](std::uint32_t wire, std::uint32_t coefficient) {
      terms_.push_back({wire, system.dictionary()[coefficient]});
    });
    std::ranges::stable_sort(terms_, {}, &Term::wire);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < terms_.size();) {
      Term sum = terms_[i++];
      for (; i < terms_.size() && terms_[i].wire == sum.wire; ++i) sum.coefficient += terms_[i].coefficient;
      if (!sum.coefficient.is_zero()) terms_[kept++] = sum;
    }
    terms_.resize(kept);
  }

  friend bool operator==(const CanonicalRow& x, const CanonicalRow& y) { return x.terms_ == y.terms_; }

 private:
  struct Term {
    std::uint32_t wire;
    typename C::Fr coefficient;
    friend bool operator==(const Term& x, const Term& y) { return x.wire == y.wire && x.coefficient == y.coefficient; }
  };
  std::vector<Term> terms_;
};

// The first row of a matrix that differs, or n_rows.
template <class C>
std::uint64_t first_difference(const ConstraintSystem<C>& x, const ConstraintSystem<C>& y, MatrixId matrix,
                               const Compute& compute) {
  std::atomic<std::uint64_t> first{x.n_rows()};
  compute.parallel_for(
      x.n_rows(),
      [&](std::size_t begin, std::size_t end) {
        CanonicalRow<C> row_x, row_y;
        for (std::size_t row = begin; row < end; ++row) {
          row_x.load(x, matrix, row);
          row_y.load(y, matrix, row);
          if (row_x == row_y) continue;
          std::uint64_t known = first.load();
          while (row < known && !first.compare_exchange_weak(known, row)) {
          }
          return;
        }
      },
      1024);
  return first.load();
}

std::string describe(const SystemSizes& sizes) {
  return fmt::format("{} wires, {} public, {} constraints, domain 2^{}", sizes.n_vars, sizes.n_public,
                     sizes.n_constraints, sizes.domain_log2);
}

}  // namespace

template <class C>
Result<void> check_same_circuit(const ConstraintSystem<C>& of_key, const std::string& key_file,
                                const ConstraintSystem<C>& of_r1cs, const std::string& r1cs_file,
                                const Compute& compute) {
  const auto mismatch = [&](const std::string& text) {
    return failure(ErrorCode::mismatch, "r1cs.other_circuit",
                   fmt::format("{} and {} are not of one circuit: {}", key_file, r1cs_file, text));
  };
  if (of_key.sizes() != of_r1cs.sizes()) {
    return mismatch(
        fmt::format("the key has {}; the .r1cs has {}", describe(of_key.sizes()), describe(of_r1cs.sizes())));
  }
  for (const MatrixId matrix : {MatrixId::a, MatrixId::b}) {
    const std::uint64_t row = first_difference(of_key, of_r1cs, matrix, compute);
    if (compute.cancelled()) return failure(ErrorCode::cancelled, "cancelled", "the comparison was cancelled");
    if (row != of_key.n_rows()) {
      return mismatch(fmt::format("they differ in row {} of {}", row, matrix == MatrixId::a ? "A" : "B"));
    }
  }
  return {};
}

#define GROTH16_DEFINE_R1CS_SYSTEM(C)                                                                                  \
  template Result<void> collect(const R1csFile&, ConstraintSystemBuilder<C>&);                                         \
  template Result<void> check_same_circuit(const ConstraintSystem<C>&, const std::string&, const ConstraintSystem<C>&, \
                                           const std::string&, const Compute&);
GROTH16_DEFINE_R1CS_SYSTEM(Bn254)
GROTH16_DEFINE_R1CS_SYSTEM(Bls12_381)

}  // namespace groth16::formats
