// The circuits of small sectors, whole: hash, sizes, densities and non-zeros are those of the published circuit.
#include <catch2/catch.hpp>

#include "groth16/circuits/stacked_circuit.hpp"
#include "groth16/circuits/stacked_system.hpp"
#include "groth16/proof/packed_witness.hpp"
#include "tests/circuits/described.hpp"
#include "tests/circuits/stacked_expectation.hpp"

namespace groth16::circuits {
namespace {

TEST_CASE("the replication circuit of 2 KiB, 4, 16 and 32 KiB and of 8 MiB is the published one") {
  for (const char* name : {"2KiB", "4KiB", "16KiB", "32KiB", "8MiB"}) {
    INFO(name);
    test::check(sector_of_name(name).value(), test::expectation(name));
  }
}

TEST_CASE("the flat system, whose second challenge is a repetition, is the published one, bits and indices too") {
  const SectorShape shape = sector_of_name("2KiB").value();
  const SystemPlan<Bls12_381> plan = plan_stacked_system(shape);
  const auto bytes = stacked_system(shape, Compute(1)).value();
  CHECK(bytes.size() == plan.bytes());
  const auto system = ConstraintSystem<Bls12_381>::open(bytes, SpanCheck::all);
  REQUIRE(system);
  test::check_flat(*system, test::expectation("2KiB"));
  SystemCensus census;
  CircuitBuilder builder{&census};
  describe_stacked_circuit(builder, shape, blank_input(shape));
  CHECK(system->n_boolean() == census.n_bits());
  CHECK(packed_witness_bytes(plan.sizes, plan.n_boolean, true) == packed_witness_bytes(*system));
  CHECK(plan_stacked_system(sector_of_name("32GiB").value()).bytes() < std::uint64_t{6} << 30);
}

TEST_CASE("two trees of no real sector: 8 and 64 nodes, one challenge") {
  const auto check_hash = [](const SectorShape& shape, std::uint64_t n_private, const std::string& hash) {
    const auto describe = [&](CircuitBuilder& builder) {
      describe_stacked_circuit(builder, shape, blank_input(shape));
    };
    CHECK(shape.system_sizes().n_private() == n_private);
    CHECK(test::hash_of(shape.system_sizes(), describe) == hash);
  };
  check_hash({8, {8, 0, 0}, 2, 1}, 1'198'525, "b9e22ee377bc73c4e08f679252c4f87948f5812be8c95358a6bf87a7279a785f");
  check_hash({64, {8, 4, 2}, 2, 1}, 1'345'810, "c9b69c85139ae04bac789fecb881052900c660c6337ab4b520eaa0c9f7293f75");
}

TEST_CASE("the sizes of all sectors follow from the formula") {
  const auto rows = [](const char* name) { return sector_of_name(name)->system_sizes().n_constraints; };
  CHECK(rows("512MiB") == 4'423'433);
  CHECK(rows("32GiB") == 130'278'541);
  CHECK(rows("64GiB") == 131'185'849);
  CHECK(sector_of_name("32GiB")->system_sizes().n_private() == 130'169'893);
  CHECK(sector_of_name("32GiB")->system_sizes().n_public == 327);
  CHECK(sector_of_name("32GiB")->system_sizes().domain_log2 == 27);
  CHECK(sector_of_name("64GiB")->system_sizes().n_private() == 131'076'643);
  CHECK(SectorShape{8, {2, 0, 0}, 2, 1}.system_sizes().n_constraints == 1'206'212);
  CHECK(SectorShape{32, {8, 4, 0}, 2, 1}.system_sizes().n_constraints == 1'296'576);
}

TEST_CASE("a size or name that is no sector's is refused") {
  CHECK(sector_of_bytes(2049).error().name == "sector.size");
  CHECK(sector_of_name("2 KiB").error().name == "sector.size");
  for (const SectorShape& shape : known_sectors()) {
    CHECK(sector_of_name(sector_name(shape.sector_bytes()))->nodes == shape.nodes);
  }
}

}  // namespace
}  // namespace groth16::circuits
