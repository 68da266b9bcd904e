#include "groth16/circuits/system_assembly.hpp"

namespace groth16::circuits {

namespace {

// Calls fn(matrix, term) for each term of a row.
template <class Fn>
void for_each_term(const Row& row, Fn&& fn) {
  for (const Term& term : row.a) fn(MatrixId::a, term);
  for (const Term& term : row.b) fn(MatrixId::b, term);
  for (const Term& term : row.c) fn(MatrixId::c, term);
}

}  // namespace

void SystemPlanning::on_row(const Row& row) {
  for_each_term(row, [&](MatrixId matrix, const Term& term) { plan_.count(matrix, term.coefficient); });
}

void SystemAssembly::on_private(const Fr&, Storage storage) {
  const std::uint64_t wire = sizes_.n_public + 1 + n_private_++;
  if (storage == Storage::bit) writer_.mark_boolean(wire);
}

void SystemAssembly::on_row(const Row& row) {
  for_each_term(row, [&](MatrixId matrix, const Term& term) {
    const std::uint64_t first = term.variable.is_private() ? sizes_.n_public + 1 : 0;
    writer_.add(matrix, first + term.variable.number(), term.coefficient);
  });
  writer_.end_row();
}

void tell_system(const ConstraintSystem<Bls12_381>& system, CircuitSink& sink) {
  const std::uint64_t first_private = system.n_public() + 1;
  for (std::uint64_t wire = 1; wire < first_private; ++wire) sink.on_public(Fr::zero());
  for (std::uint64_t wire = first_private; wire < system.n_vars(); ++wire) {
    sink.on_private(Fr::zero(), system.is_boolean(wire) ? Storage::bit : Storage::full);
  }
  std::array<std::vector<Term>, 3> terms;
  for (std::uint64_t row = 0; row < system.n_constraints(); ++row) {
    for (std::size_t matrix = 0; matrix < 3; ++matrix) {
      terms[matrix].clear();
      system.matrix(static_cast<MatrixId>(matrix)).for_each_term(row, [&](std::uint32_t wire, std::uint32_t index) {
        const Variable variable = wire < first_private
                                      ? Variable::public_number(wire)
                                      : Variable::private_number(static_cast<std::uint32_t>(wire - first_private));
        terms[matrix].push_back({variable, system.dictionary()[index]});
      });
    }
    sink.on_row({terms[0], terms[1], terms[2]});
  }
}

}  // namespace groth16::circuits
