#include "workers/load/inspect_input.hpp"

#include <vector>

#include <fmt/format.h>

#include "groth16/formats/snarkjs_json.hpp"
#include "groth16/formats/wtns.hpp"
#include "workers/statement.hpp"

namespace groth16d::worker {

namespace {

using groth16::UInt;
using groth16::formats::WitnessFile;

// The declared signals, found equal to those of the witness.
Result<std::string> statement_of(const WitnessFile& witness, const InputExpectation& expected) {
  if (expected.declared_public_json.empty()) return std::string();
  const Result<std::vector<UInt<4>>> declared =
      groth16::formats::parse_public_json("the declared public signals", expected.declared_public_json, expected.curve);
  if (!declared) return tl::unexpected(declared.error());
  std::vector<UInt<4>> actual;
  for (std::uint64_t i = 1; i <= expected.n_public; ++i) actual.push_back(witness.value(static_cast<std::uint32_t>(i)));
  std::string statement = statement_of_publics(expected.curve, *declared);
  if (Result<void> same = check_statement(statement, expected.curve, actual); !same) {
    return failure(same.error().code, same.error().name, fmt::format("{}: {}", witness.file(), same.error().text));
  }
  return statement;
}

Result<v1::InputFacts> inspect(const GuardedFile& input, const InputExpectation& expected) {
  const Result<WitnessFile> witness = WitnessFile::parse(input.name(), input.bytes());
  if (!witness) return tl::unexpected(witness.error());
  if (Result<void> fits = witness->check_fits(expected.curve, expected.n_vars); !fits)
    return tl::unexpected(fits.error());
  if (expected.n_public >= expected.n_vars) {
    return failure(ErrorCode::internal, "input.circuit",
                   fmt::format("a circuit of {} wires cannot have {} public ones", expected.n_vars, expected.n_public));
  }
  Result<std::string> statement = statement_of(*witness, expected);
  if (!statement) return tl::unexpected(statement.error());
  v1::InputFacts facts;
  facts.set_partitions(1);
  facts.set_input_bytes(input.bytes().size());
  facts.set_statement(std::move(*statement));
  return facts;
}

}  // namespace

Result<v1::InputFacts> inspect_input(const GuardedFile& input, const InputExpectation& expected) {
  Result<v1::InputFacts> facts = inspect(input, expected);
  // A file that was shortened explains every other complaint about it.
  if (Result<void> whole = input.check_unchanged(); !whole) return tl::unexpected(whole.error());
  return facts;
}

}  // namespace groth16d::worker
