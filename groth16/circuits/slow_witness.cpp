#include "groth16/circuits/slow_witness.hpp"

#include "common/blake2.hpp"

namespace groth16::circuits {

void SlowWitness::on_private(const Fr& value, Storage storage) {
  privates_.push_back(value);
  is_bit_.push_back(storage == Storage::bit);
}

void SlowWitness::on_row(const Row& row) {
  const std::uint64_t number = n_rows_++;
  if (first_unsatisfied_) return;
  if (!(evaluate(row.a) * evaluate(row.b) == evaluate(row.c))) first_unsatisfied_ = number;
}

Fr SlowWitness::evaluate(std::span<const Term> terms) const {
  Fr sum = Fr::zero();
  for (const Term& term : terms) {
    const auto& values = term.variable.is_private() ? privates_ : publics_;
    sum += term.coefficient * values[term.variable.number()];
  }
  return sum;
}

std::vector<Scalar> SlowWitness::wires() const {
  std::vector<Scalar> values;
  values.reserve(publics_.size() + privates_.size());
  for (const Fr& value : publics_) values.push_back(value.to_uint());
  for (const Fr& value : privates_) values.push_back(value.to_uint());
  return values;
}

std::string SlowWitness::hash() const {
  groth16d::Blake2s256 hash;
  const std::vector<Scalar> values = wires();
  hash.update(std::as_bytes(std::span(values)));
  return groth16d::to_hex(hash.finish());
}

}  // namespace groth16::circuits
