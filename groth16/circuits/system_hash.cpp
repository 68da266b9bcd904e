#include "groth16/circuits/system_hash.hpp"

#include <array>

namespace groth16::circuits {

namespace {

constexpr std::size_t kPiece_bytes = std::size_t{1} << 16;  // what one call of the hash costs nothing beside

std::array<std::byte, 8> big_endian(std::uint64_t value) {
  std::array<std::byte, 8> bytes;
  for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(value >> (56 - 8 * i));
  return bytes;
}

using ElementBytes = std::array<std::byte, Fr::kBytes>;

ElementBytes big_endian(const Fr& element) {
  ElementBytes bytes;
  element.to_uint().to_be_bytes(bytes);
  return bytes;
}

struct KnownElement {
  explicit KnownElement(const Fr& value) : element(value), bytes(big_endian(value)) {}
  Fr element;
  ElementBytes bytes;
};
const KnownElement kPlusOne(Fr::one()), kMinusOne(-Fr::one());

}  // namespace

SystemHash::SystemHash(const SystemSizes& sizes) : announced_(sizes) {
  put_u64(sizes.n_public + 1);
  put_u64(sizes.n_private());
  put_u64(sizes.n_constraints);
}

void SystemHash::on_row(const Row& row) {
  ++n_rows_;
  put(row.a);
  put(row.b);
  put(row.c);
  if (pending_.size() >= kPiece_bytes) flush();
}

// Most coefficients are 1 or -1: their bytes are made once.
void SystemHash::put(std::span<const Term> terms) {
  put_u64(terms.size());
  for (const Term& term : terms) {
    pending_.push_back(static_cast<std::byte>(term.variable.is_private() ? 'A' : 'I'));
    put_u64(term.variable.number());
    const ElementBytes bytes = term.coefficient == kPlusOne.element    ? kPlusOne.bytes
                               : term.coefficient == kMinusOne.element ? kMinusOne.bytes
                                                                       : big_endian(term.coefficient);
    pending_.insert(pending_.end(), bytes.begin(), bytes.end());
  }
}

void SystemHash::put_u64(std::uint64_t value) {
  const auto bytes = big_endian(value);
  pending_.insert(pending_.end(), bytes.begin(), bytes.end());
}

void SystemHash::flush() {
  hash_.update(pending_);
  pending_.clear();
}

groth16d::Result<std::string> SystemHash::finish() {
  flush();
  if (n_public_ != announced_.n_public || n_private_ != announced_.n_private() || n_rows_ != announced_.n_constraints) {
    return groth16d::failure(groth16d::ErrorCode::internal, "circuit.sizes",
                             "circuit: " + std::to_string(n_public_) + " public and " + std::to_string(n_private_) +
                                 " private variables, " + std::to_string(n_rows_) + " rows; announced were " +
                                 std::to_string(announced_.n_public) + ", " + std::to_string(announced_.n_private()) +
                                 ", " + std::to_string(announced_.n_constraints));
  }
  return groth16d::to_hex(hash_.finish());
}

}  // namespace groth16::circuits
