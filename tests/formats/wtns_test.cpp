// Witness files.
#include "groth16/formats/wtns.hpp"

#include <catch2/catch.hpp>

#include "tests/formats/damage.hpp"

using namespace groth16;
using namespace groth16::formats;
using namespace groth16::formats::test;

namespace {

constexpr std::uint32_t kHeader = 1, kValues = 2;

std::string read(const FileBytes& bytes) { return error_of(WitnessFile::parse("the.file", bytes)); }

template <class C>
UInt<4> r_plus(std::uint64_t value) {
  return C::Fr::modulus() + UInt<4>::from_u64(value);
}

constexpr UInt<4> kAllOnes{{~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}}};

}  // namespace

TEMPLATE_TEST_CASE("a witness file gives its values back", "", Bn254, Bls12_381) {
  const auto& made = sample<TestType>();
  const auto witness = WitnessFile::parse("the.file", made.wtns);
  REQUIRE(witness);
  CHECK(witness->curve() == TestType::id);
  REQUIRE(witness->size() == made.values.size());
  for (std::uint32_t wire = 0; wire < witness->size(); ++wire) CHECK(witness->value(wire) == made.values[wire]);
  std::vector<UInt<4>> copied(witness->size());
  witness->copy_to(copied);
  CHECK(copied == made.values);
}

TEST_CASE("a witness may lie at any address") {
  FileBytes shifted(1);
  const auto& good = sample<Bn254>().wtns;
  shifted.insert(shifted.end(), good.begin(), good.end());
  const auto witness = WitnessFile::parse("the.file", Bytes(shifted).subspan(1));
  REQUIRE(witness);
  CHECK(witness->value(1) == UInt<4>::from_u64(45));
}

TEMPLATE_TEST_CASE("a value that is not below r is refused, by the wire and without the value", "", Bn254, Bls12_381) {
  const auto& good = sample<TestType>().wtns;
  for (const UInt<4>& value : {r_plus<TestType>(0), r_plus<TestType>(1), r_plus<TestType>(9), kAllOnes}) {
    const auto witness = WitnessFile::parse("the.file", Image(good).put(kValues, 3 * 32, value).bytes());
    CHECK(error_of(witness) == "wtns.value");
    CHECK(witness.error().text.find("wire 3") != std::string::npos);
    CHECK(witness.error().text.find(value.to_decimal()) == std::string::npos);
  }
  const UInt<4> largest = TestType::Fr::modulus() - UInt<4>::from_u64(1);
  CHECK(read(Image(good).put(kValues, 3 * 32, largest).bytes()) == "accepted");
}

TEST_CASE("wire 0 is 1") {
  const auto& good = sample<Bn254>().wtns;
  CHECK(read(Image(good).put(kValues, 0, UInt<4>::from_u64(2)).bytes()) == "wtns.one");
  CHECK(read(Image(good).put(kValues, 0, UInt<4>::from_u64(0)).bytes()) == "wtns.one");
}

TEST_CASE("the values' section has exactly the announced values") {
  const auto& good = sample<Bn254>().wtns;
  const std::size_t size = Image(good).size_of(kValues);
  CHECK(read(Image(good).resize(kValues, size - 1).bytes()) == "wtns.section_length");
  CHECK(read(Image(good).resize(kValues, size - 32).bytes()) == "wtns.section_length");
  CHECK(read(Image(good).resize(kValues, size + 32).bytes()) == "wtns.section_length");
  for (const std::uint32_t count : {1u, 4u, 6u, 1000000u, 0xffffffffu}) {
    CHECK(read(Image(good).put(kHeader, 36, count).bytes()) == "wtns.section_length");
  }
  CHECK(read(Image(good).put(kHeader, 36, std::uint32_t{0}).bytes()) == "wtns.empty_witness");
}

TEST_CASE("a witness header of another field is refused") {
  const auto& good = sample<Bn254>().wtns;
  for (const std::uint32_t n8 : {0u, 8u, 31u, 33u, 48u, 0xffffffffu}) {
    CHECK(read(Image(good).put(kHeader, 0, n8).bytes()) == "wtns.field_size");
  }
  CHECK(read(Image(good).flip(kHeader, 4).bytes()) == "wtns.prime");
  CHECK(read(Image(good).put(kHeader, 4, Bn254::Fq::modulus()).bytes()) == "wtns.prime");
  CHECK(read(Image(good).resize(kHeader, 3).bytes()) == "wtns.field_size");
  CHECK(read(Image(good).resize(kHeader, 20).bytes()) == "wtns.section_length");
  CHECK(read(Image(good).resize(kHeader, 41).bytes()) == "wtns.section_length");
}

TEST_CASE("a witness of another curve or length does not fit a circuit, and the error has both") {
  const auto witness = WitnessFile::parse("the.file", sample<Bn254>().wtns);
  REQUIRE(witness);
  CHECK(witness->check_fits(CurveId::bn254, 5));
  CHECK(error_of(witness->check_fits(CurveId::bls12_381, 5)) == "wtns.curve");
  const auto other = witness->check_fits(CurveId::bn254, 4);
  CHECK(error_of(other) == "wtns.count");
  CHECK(other.error().text.find("Invalid witness length. Circuit: 4, witness: 5") != std::string::npos);
  CHECK(other.error().code == groth16d::ErrorCode::mismatch);
}

TEST_CASE("a witness is written as snarkjs writes it") {
  const std::string data = test_data();
  if (data.empty()) return;
  for (const std::string curve : {"bn128", "bls12381"}) {
    for (const std::string circuit : {"mult2", "nopub", "merkle20", "semaphore20"}) {
      const FileBytes file = read_file(data + "/fixtures/" + circuit + "-" + curve + "/witness.wtns");
      const auto witness = WitnessFile::parse("the.file", file);
      REQUIRE(witness);
      std::vector<UInt<4>> values(witness->size());
      witness->copy_to(values);
      MemorySink sink;
      REQUIRE(write_wtns(sink, witness->curve(), values));
      INFO(circuit << " " << curve);
      CHECK(sink.bytes() == file);
    }
  }
}
