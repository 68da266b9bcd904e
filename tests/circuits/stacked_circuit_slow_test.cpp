// The circuits of large sectors: one challenge of each shape, and whole partitions of 130 million rows.
#include <catch2/catch.hpp>

#include "groth16/circuits/stacked_system.hpp"
#include "tests/circuits/stacked_expectation.hpp"

namespace groth16::circuits {
namespace {

TEST_CASE("the replication circuit of 512 MiB is the published one") {
  test::check(sector_of_name("512MiB").value(), test::expectation("512MiB"));
}

TEST_CASE("one challenge of 32 and of 64 GiB is the published one") {
  for (const std::string name : {"32GiB", "64GiB"}) {
    INFO(name);
    SectorShape shape = sector_of_name(name).value();
    shape.challenges = 1;
    test::check(shape, test::expectation(name + "-1"));
  }
}

TEST_CASE("a whole partition of 32 GiB is the published one", "[partition]") {
  test::check(sector_of_name("32GiB").value(), test::expectation("32GiB"));
}

TEST_CASE("a whole partition of 64 GiB is the published one", "[partition]") {
  test::check(sector_of_name("64GiB").value(), test::expectation("64GiB"));
}

void check_flat(const char* name) {
  const auto bytes = stacked_system(sector_of_name(name).value(), Compute(2)).value();
  test::check_flat(ConstraintSystem<Bls12_381>::open(bytes).value(), test::expectation(name));
}

TEST_CASE("the flat system of 32 KiB, with trees of three arities, is the published one") { check_flat("32KiB"); }

TEST_CASE("the flat system of a whole partition of 32 GiB is the published one", "[partition]") { check_flat("32GiB"); }

TEST_CASE("the flat system of a whole partition of 64 GiB is the published one", "[partition]") { check_flat("64GiB"); }

}  // namespace
}  // namespace groth16::circuits
