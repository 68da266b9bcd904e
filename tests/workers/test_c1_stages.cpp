// A C1 from intake to the packed witness: cut into partitions, each with the statement that follows from seed and
// replica, and synthesised from the cut alone. No process is started.
#include <sys/mman.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <fstream>

#include "common/posix.hpp"
#include "groth16/circuits/partition_input.hpp"
#include "groth16/circuits/stacked_system.hpp"
#include "groth16/formats/snarkjs_json.hpp"
#include "groth16/proof/packed_witness.hpp"
#include "workers/load/inspect_input.hpp"
#include "workers/statement.hpp"
#include "workers/synth/synthesize.hpp"

namespace groth16d::worker::test {

namespace {

namespace circuits = groth16::circuits;
using groth16::Compute;
using groth16::CurveId;

std::string text_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string sealed_c1() { return text_of("tests/circuits/data/c1_2kib_v1_1.json"); }
std::string sealed_bincode() { return text_of("tests/fuzz/corpus/c1_bincode/sealed_2kib"); }

circuits::C1 parsed(const std::string& text) {
  return circuits::read_c1_json("c1", std::as_bytes(std::span(text))).value();
}

InputExpectation expectation(const char* sector, std::uint32_t n_partitions = 1) {
  const groth16::SystemSizes sizes = circuits::sector_of_name(sector)->system_sizes();
  return {CurveId::bls12_381, sizes.n_vars, sizes.n_public, "", 0, n_partitions};
}

Result<v1::InputFacts> inspected(std::string_view content, const InputExpectation& expected, C1Shelf& shelf) {
  const UniqueFd fd(::memfd_create("test", MFD_CLOEXEC));
  REQUIRE(write_all(fd.get(), std::as_bytes(std::span(content)), "test file"));
  const auto file = GuardedFile::open(fd.get(), "the.file");
  REQUIRE(file);
  return inspect_input(*file, expected, shelf);
}
Result<v1::InputFacts> inspected(std::string_view content, const InputExpectation& expected) {
  C1Shelf shelf;
  return inspected(content, expected, shelf);
}

std::string error_of(const Result<v1::InputFacts>& facts) { return facts ? "accepted" : facts.error().name; }

}  // namespace

TEST_CASE("a C1 is cut into partitions whose statement follows from seed and replica") {
  const circuits::C1 c1 = parsed(sealed_c1());
  const auto publics = circuits::public_inputs(c1.statement, 0);
  const auto facts = inspected(sealed_c1(), expectation("2KiB"));
  REQUIRE(facts);
  CHECK(facts->input_bytes() == facts->cut_input().size());
  CHECK(facts->cut_input().size() == circuits::partition_input_bytes(c1.statement.proof.sector));
  CHECK(check_statement(facts->statement(), CurveId::bls12_381, publics));
  auto other = publics;
  other[5].limb[0] ^= 1;
  CHECK(check_statement(facts->statement(), CurveId::bls12_381, other).error().name == "witness.statement");

  // The cut is an input by itself, with the same statement: after a restart nothing else may be left.
  const auto again = inspected(facts->cut_input(), expectation("2KiB"));
  REQUIRE(again);
  CHECK(again->statement() == facts->statement());
  CHECK(again->cut_input().empty());

  // Declared public inputs are held against it.
  InputExpectation declared = expectation("2KiB");
  declared.declared_public_json = groth16::formats::public_json(publics);
  CHECK(error_of(inspected(sealed_c1(), declared)) == "accepted");
  declared.declared_public_json = groth16::formats::public_json(other);
  CHECK(error_of(inspected(sealed_c1(), declared)) == "witness.statement");
  CHECK(error_of(inspected(facts->cut_input(), declared)) == "witness.statement");
}

TEST_CASE("a C1 in bincode gives the same cut and the same statement, with nothing but the circuit to say what it is") {
  const auto facts = inspected(sealed_bincode(), expectation("2KiB"));
  REQUIRE(facts);
  const auto of_json = inspected(sealed_c1(), expectation("2KiB"));
  CHECK(facts->cut_input() == of_json->cut_input());
  CHECK(facts->statement() == of_json->statement());

  CHECK(error_of(inspected(sealed_bincode(), expectation("8MiB"))).starts_with("c1."));
  CHECK(error_of(inspected(sealed_bincode().substr(0, 20'000), expectation("2KiB"))) == "c1.truncated");
  CHECK(error_of(inspected(sealed_bincode() + '\0', expectation("2KiB"))) == "c1.trailing");
}

TEST_CASE("a C1 that does not fit its job is refused by name") {
  CHECK(error_of(inspected(sealed_c1(), expectation("2KiB", 2))) == "c1.partitions");
  CHECK(error_of(inspected(sealed_bincode(), expectation("2KiB", 2))) == "c1.partitions");
  CHECK(error_of(inspected(sealed_c1(), expectation("8MiB"))) == "input.circuit");
  CHECK(error_of(inspected(sealed_c1().substr(0, 1000), expectation("2KiB"))).starts_with("c1."));
  CHECK(error_of(inspected("{}", expectation("2KiB"))) == "c1.missing_key");

  // Another seed asks for other nodes than the vanilla proofs are of.
  std::string text = text_of("tests/circuits/data/synth_c1_2kib.inner.json");
  const std::size_t seed = text.find("\"seed\":[1,");
  REQUIRE(seed != std::string::npos);
  text[seed + 8] = '2';
  CHECK(error_of(inspected(text, expectation("2KiB"))) == "c1.challenges");
}

TEST_CASE("the file that was read last is parsed once, and another one is not taken for it") {
  C1Shelf shelf;
  const UniqueFd fd(::memfd_create("test", MFD_CLOEXEC));
  const std::string text = sealed_c1();
  REQUIRE(write_all(fd.get(), std::as_bytes(std::span(text)), "test file"));
  const auto file = GuardedFile::open(fd.get(), "the.file");
  REQUIRE(file);
  const circuits::SectorShape sector = circuits::sector_of_name("2KiB").value();
  const auto first = shelf.read(*file, sector), second = shelf.read(*file, sector);
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->get() == second->get());
  CHECK(error_of(inspected("{}", expectation("2KiB"), shelf)) == "c1.missing_key");
}

TEST_CASE("synthesis makes the witness from the cut, and refuses one of another circuit") {
  const circuits::SectorShape shape = circuits::sector_of_name("2KiB").value();
  const auto r1cs = circuits::stacked_system(shape, Compute(2)).value();
  const auto system = groth16::ConstraintSystem<groth16::Bls12_381>::open(r1cs).value();
  const std::string cut = inspected(sealed_c1(), expectation("2KiB"))->cut_input();
  std::vector<std::byte> witness(groth16::packed_witness_bytes(system));
  const auto used = synthesize({std::as_bytes(std::span(cut)), "the.file", r1cs}, {witness, {}}, Compute(1));
  REQUIRE(used);
  CHECK(*used == witness.size());
  const auto packed = groth16::PackedWitness<groth16::Bls12_381>::open(witness, system);
  REQUIRE(packed);
  CHECK(std::ranges::equal(packed->public_inputs(), circuits::public_inputs(parsed(sealed_c1()).statement, 0)));

  const circuits::SectorShape other = circuits::sector_of_name("8MiB").value();
  std::vector<std::byte> input(circuits::partition_input_bytes(other));
  circuits::write_partition_input(other, circuits::blank_input(other), input);
  CHECK(synthesize({input, "the.file", r1cs}, {witness, {}}, Compute(1)).error().name == "circuit.mismatch");
}

}  // namespace groth16d::worker::test
