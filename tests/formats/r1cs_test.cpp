// Constraint system files.
#include "groth16/formats/r1cs.hpp"

#include <catch2/catch.hpp>

#include "groth16/formats/r1cs_system.hpp"
#include "tests/formats/damage.hpp"

using namespace groth16;
using namespace groth16::formats;
using namespace groth16::formats::test;

namespace {

constexpr std::uint32_t kHeader = 1, kConstraints = 2, kLabels = 3;
constexpr std::size_t kWires = 36, kOutputs = 40, kInputs = 44, kPrivate = 48, kCount = 60;  // offsets in the header

// Parses the file and all its rows.
template <class C = Bn254>
std::string read(const FileBytes& bytes) {
  const auto file = R1csFile::parse("the.file", bytes);
  if (!file) return error_of(file);
  auto rows = file->rows<C>();
  R1csRow<C> row;
  while (true) {
    const auto more = rows.next(row);
    if (!more) return error_of(more);
    if (!*more) return "accepted";
  }
}

// A file with these rows and the sample's header.
template <class C>
FileBytes file_of(const std::vector<R1csRow<C>>& rows) {
  R1csWriter<C> writer;
  for (const auto& row : rows) writer.add_row(row);
  R1csHeader header = R1csFile::parse("sample", sample<C>().r1cs)->header();
  MemorySink sink;
  REQUIRE(writer.write(sink, header, FileBytes(header.n_wires * 8)));
  return sink.bytes();
}

template <class C>
std::vector<R1csRow<C>> rows_of(const FileBytes& bytes) {
  const auto file = R1csFile::parse("the.file", bytes);
  std::vector<R1csRow<C>> all;
  auto rows = file->template rows<C>();
  for (R1csRow<C> row; *rows.next(row);) all.push_back(row);
  return all;
}

template <class C>
FileBytes system_of(const FileBytes& bytes) {
  const auto file = R1csFile::parse("the.file", bytes);
  REQUIRE(file);
  ConstraintSystemBuilder<C> builder(*system_sizes(*file), true);
  REQUIRE(collect(*file, builder));
  FileBytes out(builder.serialized_bytes());
  builder.write(out);
  return out;
}

// The result of comparing the systems of two files.
template <class C>
groth16d::Result<void> compare(const FileBytes& x, const FileBytes& y) {
  const FileBytes system_x = system_of<C>(x), system_y = system_of<C>(y);
  return check_same_circuit(*ConstraintSystem<C>::open(system_x), "the.file", *ConstraintSystem<C>::open(system_y),
                            "other.r1cs", Compute(2));
}

}  // namespace

TEMPLATE_TEST_CASE("an r1cs gives its header and rows back, and writes the same bytes again", "", Bn254, Bls12_381) {
  using Fr = typename TestType::Fr;
  const auto& good = sample<TestType>().r1cs;
  const auto file = R1csFile::parse("the.file", good);
  REQUIRE(file);
  CHECK(file->header().curve == TestType::id);
  CHECK(file->header().n_wires == 5);
  CHECK(file->header().n_public() == 1);
  CHECK(file->header().n_constraints == 3);
  const auto rows = rows_of<TestType>(good);
  REQUIRE(rows.size() == 3);
  REQUIRE(rows[1].b.size() == 2);
  CHECK(rows[1].b[0].wire == 0);
  CHECK(rows[1].b[0].coefficient == -Fr::one());

  R1csWriter<TestType> writer;
  for (const auto& row : rows) writer.add_row(row);
  MemorySink sink;
  REQUIRE(writer.write(sink, file->header(), file->labels()));
  CHECK(sink.bytes() == good);
}

TEST_CASE("wires and coefficients outside their bounds are refused") {
  const auto& good = sample<Bn254>().r1cs;  // row 0: A at 0 is 1 term: wire at 4, coefficient at 8
  CHECK(read(Image(good).put(kConstraints, 4, std::uint32_t{4}).bytes()) == "accepted");
  CHECK(read(Image(good).put(kConstraints, 4, std::uint32_t{5}).bytes()) == "r1cs.wire");
  CHECK(read(Image(good).put(kConstraints, 4, std::uint32_t{0xffffffff}).bytes()) == "r1cs.wire");
  CHECK(read(Image(good).put(kConstraints, 8, Bn254::Fr::modulus()).bytes()) == "r1cs.coefficient");
}

TEST_CASE("counts of terms and constraints are compared with the bytes that are there") {
  const auto& good = sample<Bn254>().r1cs;
  for (const std::uint32_t terms : {200u, 0x10000000u, 0xffffffffu}) {
    CHECK(read(Image(good).put(kConstraints, 0, terms).bytes()) == "r1cs.terms");
  }
  CHECK(read(Image(good).put(kHeader, kCount, std::uint32_t{0xffffffff}).bytes()) == "r1cs.constraint_count");
  CHECK(read(Image(good).put(kHeader, kCount, std::uint32_t{4}).bytes()) == "r1cs.terms");
  CHECK(read(Image(good).put(kHeader, kCount, std::uint32_t{2}).bytes()) == "r1cs.section_length");
  CHECK(read(Image(good).resize(kConstraints, Image(good).size_of(kConstraints) + 1).bytes()) == "r1cs.section_length");
  CHECK(read(Image(good).resize(kConstraints, Image(good).size_of(kConstraints) - 1).bytes()) == "r1cs.terms");
}

TEST_CASE("an r1cs header that contradicts itself is refused") {
  const auto& good = sample<Bn254>().r1cs;
  CHECK(read(Image(good).put(kHeader, kWires, std::uint32_t{2}).bytes()) == "r1cs.wire_count");
  CHECK(read(Image(good).put(kHeader, kOutputs, std::uint32_t{0xffffffff}).bytes()) == "r1cs.wire_count");
  CHECK(read(Image(good).put(kHeader, kInputs, std::uint32_t{0xffffffff}).bytes()) == "r1cs.wire_count");
  CHECK(read(Image(good).put(kHeader, kPrivate, std::uint32_t{5}).bytes()) == "r1cs.wire_count");
  CHECK(read(Image(good).put(kHeader, kWires, std::uint32_t{6}).bytes()) == "r1cs.section_length");  // of the labels
  CHECK(read(Image(good).put(kHeader, 0, std::uint32_t{48}).bytes()) == "r1cs.field_size");
  CHECK(read(Image(good).put(kHeader, 0, std::uint32_t{8}).bytes()) == "r1cs.field_size");
  CHECK(read(Image(good).flip(kHeader, 10).bytes()) == "r1cs.prime");
  CHECK(read(Image(good).resize(kHeader, 65).bytes()) == "r1cs.section_length");
  CHECK(read(Image(good).resize(kLabels, 8).bytes()) == "r1cs.section_length");
}

TEST_CASE("custom gates are refused, empty lists of them are not") {
  const auto& good = sample<Bn254>().r1cs;
  const FileBytes none(4);
  FileBytes one(4);
  one[0] = std::byte{1};
  CHECK(read(Image(good).add(4, none).add(5, none).bytes()) == "accepted");
  CHECK(read(Image(good).add(4, one).add(5, none).bytes()) == "r1cs.custom_gates");
  CHECK(read(Image(good).add(4, none).add(5, one).bytes()) == "r1cs.custom_gates");
  CHECK(read(Image(good).add(5, FileBytes(3)).bytes()) == "r1cs.section_length");
}

TEST_CASE("files of other compilers mean the same: no labels, split, shuffled and zero terms, p - c") {
  using Fr = Bn254::Fr;
  const auto& good = sample<Bn254>().r1cs;
  CHECK(read(Image(good).drop(kLabels).bytes()) == "accepted");
  CHECK(read(Image(good).drop(kLabels).put(kHeader, kWires, std::uint32_t{0x10000}).bytes()) == "accepted");
  CHECK(read(Image(good).drop(kLabels).put(kHeader, kWires, std::uint32_t{0xffffffff}).bytes()) == "r1cs.wire_count");

  auto rows = rows_of<Bn254>(good);
  auto& b = rows[1].b;  // 2x - 1
  b = {{2, Fr::from_u64(5)}, {4, Fr::zero()}, {0, -Fr::one()}, {2, -Fr::from_u64(3)}};
  rows[0].a = {{2, Fr::from_u64(2).inverse()}, {2, Fr::from_u64(2).inverse()}};
  CHECK(compare<Bn254>(good, file_of(rows)));
}

TEST_CASE("a row of 0 * 0 = 0 is a row") {
  auto rows = rows_of<Bn254>(sample<Bn254>().r1cs);
  rows.push_back({});
  CHECK(read(file_of(rows)) == "accepted");
}

TEMPLATE_TEST_CASE("two circuits of one shape are told apart by the row that differs", "", Bn254, Bls12_381) {
  using Fr = typename TestType::Fr;
  const auto& good = sample<TestType>().r1cs;
  CHECK(compare<TestType>(good, good));

  auto other_coefficient = rows_of<TestType>(good);
  other_coefficient[1].b[1].coefficient += Fr::one();
  const auto differs = compare<TestType>(good, file_of(other_coefficient));
  REQUIRE(!differs);
  CHECK(differs.error().name == "r1cs.other_circuit");
  CHECK(differs.error().text.find("row 1 of B") != std::string::npos);

  auto other_wire = rows_of<TestType>(good);
  other_wire[0].a[0].wire = 4;
  CHECK(compare<TestType>(good, file_of(other_wire)).error().text.find("row 0 of A") != std::string::npos);

  auto longer = rows_of<TestType>(good);
  longer.push_back({});
  CHECK(compare<TestType>(good, file_of(longer)).error().text.find("4 constraints") != std::string::npos);
}

TEST_CASE("circom's files are read and written again byte for byte") {
  const std::string data = test_data();
  if (data.empty()) return;
  for (const std::string circuit : {"mult2", "nopub", "merkle20", "semaphore20"}) {
    const FileBytes bytes = read_file(data + "/fixtures/" + circuit + "-bls12381/circuit.r1cs");
    const auto file = R1csFile::parse("the.file", bytes);
    REQUIRE(file);
    R1csWriter<Bls12_381> writer;
    auto rows = file->rows<Bls12_381>();
    for (R1csRow<Bls12_381> row; *rows.next(row);) writer.add_row(row);
    MemorySink sink;
    REQUIRE(writer.write(sink, file->header(), file->labels()));
    INFO(circuit);
    CHECK(sink.bytes() == bytes);
  }
}
