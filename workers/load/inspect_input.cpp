#include "workers/load/inspect_input.hpp"

#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "groth16/circuits/builtin_circuit.hpp"
#include "groth16/formats/snarkjs_json.hpp"
#include "groth16/formats/wtns.hpp"
#include "workers/statement.hpp"

namespace groth16d::worker {

namespace {

using groth16::UInt;
using groth16::circuits::SectorShape;
using groth16::formats::WitnessFile;

// The declared signals, found equal to the actual ones, which `publics()` gives. name: of the input.
template <class Publics>
Result<std::string> statement_of(const std::string& name, const InputExpectation& expected, Publics&& publics) {
  if (expected.declared_public_json.empty()) return std::string();
  const Result<std::vector<UInt<4>>> declared =
      groth16::formats::parse_public_json("the declared public signals", expected.declared_public_json, expected.curve);
  if (!declared) return tl::unexpected(declared.error());
  const std::vector<UInt<4>> actual = publics();
  std::string statement = statement_of_publics(expected.curve, *declared);
  if (Result<void> same = check_statement(statement, expected.curve, actual); !same) {
    return failure(same.error().code, same.error().name, fmt::format("{}: {}", name, same.error().text));
  }
  return statement;
}

v1::InputFacts facts_of(const GuardedFile& input, std::string statement) {
  v1::InputFacts facts;
  facts.set_partitions(1);
  facts.set_input_bytes(input.bytes().size());
  facts.set_statement(std::move(statement));
  return facts;
}

Result<void> check_circuit(const groth16::circuits::BuiltinCircuit& circuit, const std::string& name,
                           const InputExpectation& expected) {
  const groth16::SystemSizes sizes = circuit.sizes();
  if (expected.curve == groth16::CurveId::bls12_381 && sizes.n_vars == expected.n_vars &&
      sizes.n_public == expected.n_public) {
    return {};
  }
  return failure(ErrorCode::mismatch, "input.circuit",
                 fmt::format("{}: is for {} with {} variables, the job's circuit has {}", name, circuit.name(),
                             sizes.n_vars, expected.n_vars));
}

// A built-in circuit's statement is its public inputs, declared or not.
Result<std::string> builtin_statement(const std::string& name, const InputExpectation& expected,
                                      const std::vector<UInt<4>>& publics) {
  if (expected.declared_public_json.empty()) return statement_of_publics(expected.curve, publics);
  return statement_of(name, expected, [&] { return publics; });
}

// The flat input of a built-in circuit's partition.
Result<v1::InputFacts> inspect_builtin(const groth16::circuits::BuiltinCircuit& circuit, const GuardedFile& input,
                                       const InputExpectation& expected) {
  if (auto fits = check_circuit(circuit, input.name(), expected); !fits) return tl::unexpected(fits.error());
  const auto publics = circuit.public_inputs(input.bytes());
  if (!publics) {
    return failure(publics.error().code, publics.error().name,
                   fmt::format("{}: {}", input.name(), publics.error().text));
  }
  return builtin_statement(input.name(), expected, *publics).map([&](std::string statement) {
    return facts_of(input, std::move(statement));
  });
}

// The sector whose replication the job's circuit proves.
std::optional<SectorShape> sector_of(const InputExpectation& expected) {
  if (expected.curve != groth16::CurveId::bls12_381) return std::nullopt;
  for (const SectorShape& sector : groth16::circuits::known_sectors()) {
    const groth16::SystemSizes sizes = sector.system_sizes();
    if (sizes.n_vars == expected.n_vars && sizes.n_public == expected.n_public) return sector;
  }
  return std::nullopt;
}

// One partition of a C1.
Result<v1::InputFacts> inspect_c1(const GuardedFile& file, const SectorShape& sector, const InputExpectation& expected,
                                  C1Shelf& shelf) {
  const auto c1 = shelf.read(file, sector);
  if (!c1) return tl::unexpected(c1.error());
  const std::uint64_t sector_bytes = (*c1)->statement.proof.sector.sector_bytes();
  if (sector_bytes != sector.sector_bytes()) {
    return failure(ErrorCode::mismatch, "input.circuit",
                   fmt::format("{}: is of a sector of {} bytes, the job's circuit is for {}", file.name(), sector_bytes,
                               sector.sector_bytes()));
  }
  if ((*c1)->partitions.size() != expected.n_partitions || expected.partition >= expected.n_partitions) {
    return failure(ErrorCode::mismatch, "c1.partitions",
                   fmt::format("{}: has {} partitions, the job has {}", file.name(), (*c1)->partitions.size(),
                               expected.n_partitions));
  }
  const auto cut = cut_partition(**c1, expected.partition, file.name());
  if (!cut) return tl::unexpected(cut.error());
  return builtin_statement(file.name(), expected, cut->publics).map([&](std::string statement) {
    v1::InputFacts facts = facts_of(file, std::move(statement));
    facts.set_input_bytes(cut->input.size());
    facts.set_cut_input(cut->input.data(), cut->input.size());
    return facts;
  });
}

Result<v1::InputFacts> inspect_witness(const GuardedFile& input, const InputExpectation& expected) {
  const Result<WitnessFile> witness = WitnessFile::parse(input.name(), input.bytes());
  if (!witness) return tl::unexpected(witness.error());
  if (Result<void> fits = witness->check_fits(expected.curve, expected.n_vars); !fits)
    return tl::unexpected(fits.error());
  if (expected.n_public >= expected.n_vars) {
    return failure(ErrorCode::internal, "input.circuit",
                   fmt::format("a circuit of {} wires cannot have {} public ones", expected.n_vars, expected.n_public));
  }
  return statement_of(input.name(), expected,
                      [&] {
                        std::vector<UInt<4>> actual;
                        for (std::uint64_t i = 1; i <= expected.n_public; ++i)
                          actual.push_back(witness->value(static_cast<std::uint32_t>(i)));
                        return actual;
                      })
      .map([&](std::string statement) { return facts_of(input, std::move(statement)); });
}

bool is_witness(const GuardedFile& input) {
  constexpr std::string_view kMagic = "wtns";
  const std::string_view text(reinterpret_cast<const char*>(input.bytes().data()), input.bytes().size());
  return text.starts_with(kMagic);
}

Result<v1::InputFacts> inspect(const GuardedFile& input, const InputExpectation& expected, C1Shelf& shelf) {
  if (const auto circuit = groth16::circuits::builtin_circuit_of_input(input.bytes())) {
    return inspect_builtin(*circuit, input, expected);
  }
  const auto sector = sector_of(expected);
  if (sector && !is_witness(input)) return inspect_c1(input, *sector, expected, shelf);
  return inspect_witness(input, expected);
}

}  // namespace

Result<v1::InputFacts> inspect_input(const GuardedFile& input, const InputExpectation& expected, C1Shelf& shelf) {
  Result<v1::InputFacts> facts = inspect(input, expected, shelf);
  // A file that was shortened explains every other complaint about it.
  if (Result<void> whole = input.check_unchanged(); !whole) return tl::unexpected(whole.error());
  return facts;
}

}  // namespace groth16d::worker
