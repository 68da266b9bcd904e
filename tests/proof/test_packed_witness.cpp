// Packing changes no value, whatever the witness holds, and bounds what it cannot pack.
#include <catch2/catch.hpp>

#include "groth16/proof/flat_array.hpp"
#include "tests/proof/sample_circuit.hpp"

namespace groth16 {
namespace {

using test::Circuit;
using test::FlatBytes;
using test::packed;

TEMPLATE_TEST_CASE("every value comes back out of a packed witness", "", Bn254, Bls12_381) {
  const std::uint64_t n_public = GENERATE(0, 1, 63, 64, 70);
  const bool with_c = GENERATE(true, false);
  const auto sample = test::mixed_circuit<TestType>(900, n_public, 8).build(with_c);
  const auto system = sample.system();
  const auto bytes = packed(sample, system);
  REQUIRE(bytes);
  const auto witness = PackedWitness<TestType>::open(bytes->bytes(), system);
  REQUIRE(witness);
  for (std::uint64_t wire = 0; wire < system.n_vars(); ++wire) REQUIRE(witness->value(wire) == sample.values[wire]);
  CHECK(witness->public_inputs().size() == n_public);
  CHECK(witness->exceptions().empty());
}

TEMPLATE_TEST_CASE("bits by wire and full values together are the witness", "", Bn254, Bls12_381) {
  using Scalar = typename TestType::Scalar;
  auto sample = test::mixed_circuit<TestType>(700, 66, 2).build();
  const auto system = sample.system();
  std::uint64_t spoiled = 0;
  for (std::uint64_t wire = 0; wire < system.n_vars() && spoiled < 20; ++wire) {
    if (system.is_boolean(wire)) sample.values[wire] = Scalar::from_u64(2 + spoiled++);
  }
  const auto bytes = packed(sample, system);
  REQUIRE(bytes);
  const auto witness = PackedWitness<TestType>::open(bytes->bytes(), system).value();
  CHECK(witness.exceptions().size() == 20);

  std::vector<Scalar> rebuilt(system.n_vars(), Scalar::zero());
  const auto bits = witness.wire_bits(Compute(2));
  REQUIRE(bits.size() == (system.n_vars() + 63) / 64);
  for (std::uint64_t wire = 0; wire < system.n_vars(); ++wire)
    rebuilt[wire].limb[0] = (bits[wire / 64] >> (wire % 64)) & 1;
  witness.for_each_full_value([&](std::uint32_t wire, const Scalar& value) {
    REQUIRE(rebuilt[wire].is_zero());
    rebuilt[wire] = value;
    return true;
  });
  CHECK(rebuilt == sample.values);
  for (std::uint64_t wire = 0; wire < system.n_vars(); ++wire) REQUIRE(witness.value(wire) == sample.values[wire]);
}

// n bits that all hold 2.
Circuit<Bn254> spoiled_bits(std::uint64_t n) {
  Circuit<Bn254> circuit;
  for (std::uint64_t i = 0; i < n; ++i)
    circuit.set_value(circuit.bit(true, Bn254::Fr::one(), false), Bn254::Fr::from_u64(2));
  return circuit;
}

TEST_CASE("too many values that are no bits are an unsatisfied witness, with their number") {
  const auto few = spoiled_bits(1024).build();
  const auto few_system = few.system();
  CHECK(packed(few, few_system));

  const auto many = spoiled_bits(1025).build();
  const auto many_system = many.system();
  const auto refused = packed(many, many_system);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == groth16d::ErrorCode::unsatisfied);
  CHECK(refused.error().name == "witness.booleans");
  CHECK(refused.error().text.find("1025 boolean constraints are violated") != std::string::npos);
}

TEST_CASE("without C every boolean candidate may hold any value") {
  const auto sample = spoiled_bits(3000).build(false);
  const auto system = sample.system();
  const auto bytes = packed(sample, system);
  REQUIRE(bytes);
  const auto witness = PackedWitness<Bn254>::open(bytes->bytes(), system).value();
  for (std::uint64_t wire = 0; wire < system.n_vars(); ++wire) REQUIRE(witness.value(wire) == sample.values[wire]);
}

TEST_CASE("values of the wrong number, range or start are refused by name") {
  const auto good = test::mixed_circuit<Bls12_381>(30, 2, 5).build();
  const auto system = good.system();
  const auto refused = [&](auto&& change, const std::string& name) {
    auto sample = good;
    change(sample.values);
    const auto result = packed(sample, system);
    REQUIRE_FALSE(result);
    CHECK(result.error().name == name);
  };
  refused([](auto& values) { values.pop_back(); }, "witness.count");
  refused([](auto& values) { values.push_back(values[0]); }, "witness.count");
  refused([](auto& values) { values[4] = Bls12_381::Fr::modulus(); }, "witness.not_canonical");
  refused([](auto& values) { values[0] = Bls12_381::Scalar::from_u64(2); }, "witness.one");
}

TEST_CASE("values are packed from bytes at any alignment") {
  const auto sample = test::mixed_circuit<Bn254>(40, 1, 6).build();
  const auto system = sample.system();
  const auto values = std::as_bytes(std::span(sample.values));
  std::vector<std::byte> shifted(values.size() + 1);
  std::copy(values.begin(), values.end(), shifted.begin() + 1);
  FlatBytes bytes(packed_witness_bytes(system));
  REQUIRE(pack_witness<Bn254>(std::span<const std::byte>(shifted).subspan(1), system, bytes.bytes()));
  const auto expected = packed(sample, system).value();
  CHECK(std::ranges::equal(bytes.bytes(), expected.bytes()));
}

TEST_CASE("a malformed packed witness is refused by the name of its fault") {
  auto sample = test::mixed_circuit<Bn254>(60, 2, 7).build();
  const auto system = sample.system();
  for (std::uint64_t wire = 0, n = 0; n < 2; ++wire) {
    if (system.is_boolean(wire)) sample.values[wire] = Bn254::Scalar::from_u64(5 + n++);
  }
  const auto good = packed(sample, system).value();
  const auto refused = [&](auto&& change, const std::string& name) {
    FlatBytes bytes = good;
    auto header = load_flat<WitnessHeader>(bytes.bytes());
    change(header, bytes.bytes());
    store_flat(bytes.bytes(), header);
    const auto opened = PackedWitness<Bn254>::open(bytes.bytes(), system);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().name == name);
  };
  using Bytes = std::span<std::byte>;
  refused([](WitnessHeader& h, Bytes) { h.magic[3] = '?'; }, "witness.magic");
  refused([](WitnessHeader& h, Bytes) { h.layout_version += 1; }, "witness.version");
  refused([](WitnessHeader& h, Bytes) { h.curve = 2; }, "witness.curve");
  refused([](WitnessHeader& h, Bytes) { h.n_vars += 1; }, "witness.sizes");
  refused([](WitnessHeader& h, Bytes) { h.full_offset += 8; }, "witness.sizes");
  refused([](WitnessHeader& h, Bytes) { h.n_exceptions = h.exception_capacity + 1; }, "witness.length");
  refused([](WitnessHeader& h, Bytes b) { b[h.public_offset] = std::byte{3}; }, "witness.one");
  refused([](WitnessHeader& h, Bytes b) { b[h.exception_offset] = std::byte{0}; }, "witness.exceptions");
  refused([](WitnessHeader& h, Bytes b) { store_flat(b.subspan(h.exception_offset), 0xffffffffu); },
          "witness.exceptions");
  for (std::size_t size = 0; size < good.bytes().size(); size += 5) {
    FlatBytes cut(size);
    std::copy_n(good.bytes().begin(), size, cut.bytes().begin());
    REQUIRE_FALSE(PackedWitness<Bn254>::open(cut.bytes(), system));
  }
}

TEST_CASE("a witness of bits takes one bit a wire and the fixed parts") {
  constexpr std::uint64_t kBits = 100000;
  Circuit<Bn254> circuit;
  for (std::uint64_t i = 0; i < kBits; ++i) circuit.bit(i % 3 == 0, Bn254::Fr::one(), false);
  const auto sample = circuit.build();
  CHECK(packed_witness_bytes(sample.system()) <
        kBits / 8 + 64 + sizeof(WitnessHeader) + 32 + 1024 * sizeof(WitnessException));
}

TEST_CASE("the bound on a packed witness holds for bits and for numbers") {
  for (const auto& sample : {test::mixed_circuit<Bn254>(1, 0, 1).build(), test::mixed_circuit<Bn254>(800, 3, 1).build(),
                             spoiled_bits(5000).build(), spoiled_bits(5000).build(false)}) {
    const auto system = sample.system();
    CHECK(packed_witness_bytes(system) <= packed_witness_bytes_bound(system.sizes()));
  }
}

}  // namespace
}  // namespace groth16
