// The two rules of the search. Rows are small: a row with more wires than the rules can use is passed over at once.
#include "groth16/proof/boolean_search.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace groth16 {

namespace {

constexpr std::size_t kMaxRowWires = 5;  // distinct wires of a row without wire 0: four known bits and the new one
constexpr std::uint32_t kNoWire = 0;

// The combination constant + sum of coefficient * wire over the row's wires, its repeated terms added up.
template <class Fr>
struct Combination {
  Fr constant = Fr::zero();
  std::array<Fr, kMaxRowWires> coefficient{};

  bool is_zero() const {
    return constant.is_zero() && std::ranges::all_of(coefficient, [](const Fr& c) { return c.is_zero(); });
  }
  // The only wire with a coefficient, as an index; nothing when there are none or several.
  std::optional<std::size_t> only_wire() const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < kMaxRowWires; ++i) {
      if (coefficient[i].is_zero()) continue;
      if (found) return std::nullopt;
      found = i;
    }
    return found;
  }
  Fr at(unsigned bits) const {
    Fr sum = constant;
    for (std::size_t i = 0; i < kMaxRowWires; ++i) {
      if ((bits >> i) & 1) sum += coefficient[i];
    }
    return sum;
  }
};

// A row over its few distinct wires.
template <class C>
struct SmallRow {
  using Fr = typename C::Fr;

  std::array<std::uint32_t, kMaxRowWires> wires{};  // kNoWire behind the last
  std::array<Combination<Fr>, 3> combinations{};

  // Nothing when the row has more wires than a rule can use: without C, one.
  static std::optional<SmallRow> read(const ConstraintSystem<C>& system, std::uint64_t row) {
    const auto wires = wires_of(system, row);
    if (!wires) return std::nullopt;
    SmallRow small{*wires, {}};
    for (std::size_t matrix = 0; matrix < n_matrices(system); ++matrix) {
      const SparseMatrix& terms = system.matrix(static_cast<MatrixId>(matrix));
      const std::uint64_t end = terms.start(row + 1);
      for (std::uint64_t term = terms.start(row); term < end; ++term) {
        const Fr& coefficient = system.dictionary()[terms.coefficient_index(term)];
        if (terms.wire(term) == 0) {
          small.combinations[matrix].constant += coefficient;
          continue;
        }
        const auto place = std::ranges::find(small.wires, terms.wire(term)) - small.wires.begin();
        small.combinations[matrix].coefficient[static_cast<std::size_t>(place)] += coefficient;
      }
    }
    return small;
  }

  const Combination<Fr>& a() const { return combinations[0]; }
  const Combination<Fr>& b() const { return combinations[1]; }
  const Combination<Fr>& c() const { return combinations[2]; }

 private:
  static std::size_t n_matrices(const ConstraintSystem<C>& system) { return system.has_c() ? 3 : 2; }

  // Before anything is added up: most rows end here, at their second wire.
  static std::optional<std::array<std::uint32_t, kMaxRowWires>> wires_of(const ConstraintSystem<C>& system,
                                                                         std::uint64_t row) {
    const std::size_t most = system.has_c() ? kMaxRowWires : 1;
    std::array<std::uint32_t, kMaxRowWires> wires{};
    std::size_t count = 0;
    for (std::size_t matrix = 0; matrix < n_matrices(system); ++matrix) {
      const SparseMatrix& terms = system.matrix(static_cast<MatrixId>(matrix));
      const std::uint64_t end = terms.start(row + 1);
      for (std::uint64_t term = terms.start(row); term < end; ++term) {
        const std::uint32_t wire = terms.wire(term);
        const auto known = wires.begin() + static_cast<std::ptrdiff_t>(count);
        if (wire == 0 || std::find(wires.begin(), known, wire) != known) continue;
        if (count == most) return std::nullopt;
        wires[count++] = wire;
      }
    }
    return wires;
  }
};

// Rule 1: x (x - 1) = 0 up to factors. The wire, or kNoWire.
template <class C>
std::uint32_t wire_of_bit_row(const SmallRow<C>& row) {
  const auto in_a = row.a().only_wire(), in_b = row.b().only_wire();
  if (!in_a || in_a != in_b || !row.c().is_zero()) return kNoWire;
  const auto multiple_of_x = [](const auto& combination) { return combination.constant.is_zero(); };
  const auto multiple_of_x_minus_1 = [&](const auto& combination) {
    return (combination.constant + combination.coefficient[*in_a]).is_zero();
  };
  const bool found = (multiple_of_x(row.a()) && multiple_of_x_minus_1(row.b())) ||
                     (multiple_of_x(row.b()) && multiple_of_x_minus_1(row.a()));
  return found ? row.wires[*in_a] : kNoWire;
}

// Rule 2: the one unknown wire of the row, when it occurs in C only and is 0 or 1 for all choices of the others; or
// kNoWire. c_z z = A B - C', so z is a bit when the right side is always 0 or c_z.
template <class C, class IsKnown>
std::uint32_t wire_of_derived_bit(const SmallRow<C>& row, IsKnown&& is_known) {
  using Fr = typename C::Fr;
  std::optional<std::size_t> unknown;
  std::size_t n_wires = 0;
  for (; n_wires < kMaxRowWires && row.wires[n_wires] != kNoWire; ++n_wires) {
    if (is_known(row.wires[n_wires])) continue;
    if (unknown) return kNoWire;
    unknown = n_wires;
  }
  if (!unknown) return kNoWire;
  const Fr factor = row.c().coefficient[*unknown];
  if (factor.is_zero() || !row.a().coefficient[*unknown].is_zero() || !row.b().coefficient[*unknown].is_zero()) {
    return kNoWire;
  }
  for (unsigned bits = 0; bits < (1u << n_wires); ++bits) {
    if ((bits >> *unknown) & 1) continue;
    const Fr rest = row.a().at(bits) * row.b().at(bits) - row.c().at(bits);
    if (!rest.is_zero() && !(rest == factor)) return kNoWire;
  }
  return row.wires[*unknown];
}

}  // namespace

template <class C>
void find_boolean_wires(const ConstraintSystem<C>& system, std::span<std::uint64_t> bitmap) {
  const auto is_known = [&](std::uint32_t wire) { return ((bitmap[wire / 64] >> (wire % 64)) & 1) != 0; };
  for (std::uint64_t row = 0; row < system.n_constraints(); ++row) {
    const auto small = SmallRow<C>::read(system, row);
    if (!small) continue;
    std::uint32_t wire = wire_of_bit_row(*small);
    if (wire == kNoWire && system.has_c()) wire = wire_of_derived_bit(*small, is_known);
    if (wire > system.n_public()) bitmap[wire / 64] |= std::uint64_t{1} << (wire % 64);
  }
}

template void find_boolean_wires(const ConstraintSystem<Bn254>&, std::span<std::uint64_t>);
template void find_boolean_wires(const ConstraintSystem<Bls12_381>&, std::span<std::uint64_t>);

}  // namespace groth16
