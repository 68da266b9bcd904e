#include "workers/statement.hpp"

#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace groth16d::worker {

namespace {

using groth16::CurveId;
using groth16::UInt;

constexpr std::uint32_t kPublicSignals = 1;

struct StatementHeader {
  std::uint32_t form;
  std::uint32_t curve;
  std::uint64_t count;
};
static_assert(sizeof(StatementHeader) == 16);
constexpr std::size_t kValueBytes = UInt<4>::kBytes;

tl::unexpected<Error> malformed_statement() {
  return failure(ErrorCode::internal, "statement.form", "the statement is not one that intake made for this curve");
}

}  // namespace

std::string statement_of_publics(CurveId curve, std::span<const UInt<4>> values) {
  const StatementHeader header{kPublicSignals, static_cast<std::uint32_t>(curve), values.size()};
  std::string statement(sizeof header + values.size() * kValueBytes, '\0');
  std::memcpy(statement.data(), &header, sizeof header);
  std::span<std::byte> rest = std::as_writable_bytes(std::span(statement)).subspan(sizeof header);
  for (const UInt<4>& value : values) {
    value.to_le_bytes(rest.first<kValueBytes>());
    rest = rest.subspan(kValueBytes);
  }
  return statement;
}

Result<void> check_statement(std::string_view statement, CurveId curve, std::span<const UInt<4>> public_inputs) {
  if (statement.empty()) return {};
  StatementHeader header;
  if (statement.size() < sizeof header) return malformed_statement();
  std::memcpy(&header, statement.data(), sizeof header);
  std::span<const std::byte> rest = std::as_bytes(std::span(statement)).subspan(sizeof header);
  if (header.form != kPublicSignals || header.curve != static_cast<std::uint32_t>(curve) ||
      rest.size() % kValueBytes != 0 || header.count != rest.size() / kValueBytes) {
    return malformed_statement();
  }
  if (header.count != public_inputs.size()) {
    return failure(
        ErrorCode::mismatch, "witness.statement",
        fmt::format("{} public signals were declared, the circuit has {}", header.count, public_inputs.size()));
  }
  for (std::size_t i = 0; i < public_inputs.size(); ++i, rest = rest.subspan(kValueBytes)) {
    if (UInt<4>::from_le_bytes(rest.first<kValueBytes>()) == public_inputs[i]) continue;
    return failure(ErrorCode::mismatch, "witness.statement",
                   fmt::format("public signal {} of {} of the witness is not the declared one", i + 1, header.count));
  }
  return {};
}

}  // namespace groth16d::worker
