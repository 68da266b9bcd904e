#include "groth16/circuits/system_census.hpp"

#include <algorithm>

namespace groth16::circuits {

void SystemCensus::Occurrences::add(std::uint32_t number) {
  if (number >= seen.size()) seen.resize(std::max<std::size_t>(2 * seen.size(), std::size_t{number} + 1));
  if (seen[number]) return;
  seen[number] = true;
  ++count;
}

void SystemCensus::on_private(const Fr&, Storage storage) {
  ++n_private_;
  if (storage == Storage::bit) ++n_bits_;
}

void SystemCensus::on_row(const Row& row) {
  ++n_rows_;
  n_terms_[0] += row.a.size();
  n_terms_[1] += row.b.size();
  n_terms_[2] += row.c.size();
  for (const Term& term : row.a) {
    if (term.variable.is_private()) a_private_.add(term.variable.number());
  }
  for (const Term& term : row.b) {
    (term.variable.is_private() ? b_private_ : b_public_).add(term.variable.number());
  }
}

SystemSizes SystemCensus::sizes() const {
  SystemSizes sizes{1 + n_public_ + n_private_, n_public_, n_rows_, 0};
  sizes.domain_log2 = smallest_domain_log2(sizes.n_rows());
  return sizes;
}

}  // namespace groth16::circuits
