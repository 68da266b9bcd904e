#include "groth16/circuits/system_assembly.hpp"

#include <string>

namespace groth16::circuits {

using groth16d::ErrorCode;
using groth16d::failure;

void SystemAssembly::on_private(const Fr&, Storage storage) {
  const std::uint64_t wire = announced_.n_public + 1 + n_private_++;
  if (storage == Storage::bit && wire < announced_.n_vars) builder_.mark_boolean(static_cast<std::uint32_t>(wire));
}

void SystemAssembly::on_row(const Row& row) {
  if (n_rows_ < announced_.n_constraints) {
    add(MatrixId::a, row.a);
    add(MatrixId::b, row.b);
    add(MatrixId::c, row.c);
  }
  ++n_rows_;
}

// A row speaks of variables that were told before it; those beyond the announced sizes fail in finish().
void SystemAssembly::add(MatrixId matrix, std::span<const Term> terms) {
  for (const Term& term : terms) {
    const std::uint64_t first = term.variable.is_private() ? announced_.n_public + 1 : 0;
    const std::uint64_t wire = first + term.variable.number();
    if (wire < announced_.n_vars) builder_.add(matrix, n_rows_, static_cast<std::uint32_t>(wire), term.coefficient);
  }
}

groth16d::Result<std::vector<std::byte>> SystemAssembly::finish() {
  if (n_public_ != announced_.n_public || n_private_ != announced_.n_private() || n_rows_ != announced_.n_constraints) {
    return failure(ErrorCode::internal, "circuit.sizes",
                   "circuit: " + std::to_string(n_public_) + " public and " + std::to_string(n_private_) +
                       " private variables, " + std::to_string(n_rows_) + " rows; announced were " +
                       std::to_string(announced_.n_public) + ", " + std::to_string(announced_.n_private()) + ", " +
                       std::to_string(announced_.n_constraints));
  }
  builder_.add_public_rows();
  builder_.marks_are_complete();
  std::vector<std::byte> bytes(builder_.serialized_bytes());
  builder_.write(bytes);
  return bytes;
}

}  // namespace groth16::circuits
