#include "tests/circuits/stacked_expectation.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "groth16/circuits/stacked_circuit.hpp"
#include "groth16/circuits/system_assembly.hpp"
#include "tests/circuits/described.hpp"

namespace groth16::circuits::test {

const StackedExpectation& expectation(const std::string& name) {
  static const std::map<std::string, StackedExpectation> published{
      {"2KiB",
       {40,
        2'685'673,
        2'687'921,
        2'674'908,
        685'521,
        {6'420'965, 2'689'006, 5'824'682},
        "2c120b1125bd531d5a62b11932b2ae0e0cb47f455cea582994f97534e296bb42"}},
      {"4KiB",
       {40,
        2'786'423,
        2'788'733,
        2'773'158,
        716'039,
        {6'697'351, 2'789'942, 6'030'908},
        "d5a90de3471d6cb4e52b8c98d4b87433e1d9f5dbf44a0afea62d4a4287097029"}},
      {"16KiB",
       {40,
        2'974'867,
        2'977'173,
        2'959'930,
        766'963,
        {7'162'827, 2'978'726, 6'427'232},
        "6825ed63d62c7afbb8b1fb2d25691c057e124fd150b78ffca3eeb6f3b12eda6a"}},
      {"32KiB",
       {40,
        3'075'617,
        3'077'985,
        3'058'180,
        797'481,
        {7'439'213, 3'079'662, 6'633'458},
        "98076e135128c2457e7463f283a92ccc597eaddac7dc439a5532d1f4fcb4009b"}},
      {"8MiB",
       {40,
        3'842'449,
        3'844'929,
        3'814'996,
        1'011'289,
        {9'388'413, 3'847'886, 8'234'882},
        "b1fe5a4629fb8fc6684d6c90d6f8d6d32e5bccf6bc9439e4e8a9758e579328db"}},
      {"512MiB",
       {40,
        4'420'837,
        4'423'433,
        4'385'040,
        1'174'173,
        {10'872'137, 4'427'326, 9'439'982},
        "c7ade8c93707968e967cce4507669258eab20ff010e6dc1827d55544ee671cbb"}},
      {"32GiB-1",
       {22,
        7'232'200,
        7'238'236,
        7'208'979,
        1'840'033,
        {17'191'638, 7'240'948, 15'703'749},
        "5d477993ad4d9f61d0bb3309e06fd6659635ddd6007f0b3fdf81feb9d4ed5ef6"}},
      {"64GiB-1",
       {22,
        7'282'575,
        7'288'642,
        7'258'104,
        1'855'292,
        {17'329'831, 7'291'416, 15'806'862},
        "f76ab217216b44c128deeefe2982423a61a43517655eac6e7090da1ac0d52e3d"}},
      {"32GiB",
       {328,
        130'169'893,
        130'278'541,
        129'753'292,
        33'112'281,
        {309'404'723, 130'327'340, 282'656'500},
        "a790207ea0435359e7d5f286563586e3f9a3a286c97af2440f65a4a18063d9cb"}},
      {"64GiB",
       {328,
        131'076'643,
        131'185'849,
        130'637'542,
        33'386'943,
        {311'892'197, 131'235'764, 284'512'534},
        "7686117961498d7849ede7429233254b20e3b149011eca8674ca8e9ab0655af6"}}};
  return published.at(name);
}

namespace {

// tell(census, hash) tells both sinks the circuit.
template <class Tell>
void check_told(const SystemSizes& sizes, const StackedExpectation& expected, Tell&& tell) {
  CHECK(sizes.n_public + 1 == expected.n_inputs);
  CHECK(sizes.n_private() == expected.n_private);
  CHECK(sizes.n_constraints == expected.n_rows);

  SystemCensus census;
  SystemHash hash(sizes);
  tell(census, hash);
  CHECK(census.sizes() == sizes);
  CHECK(census.n_terms() == expected.n_terms);
  CHECK(census.a_private_density() == expected.a_density);
  CHECK(census.b_private_density() == expected.b_density);
  CHECK(census.b_public_density() == 1);
  const auto finished = hash.finish();
  REQUIRE(finished);
  CHECK(*finished == expected.hash);
}

}  // namespace

void check(const SectorShape& shape, const StackedExpectation& expected) {
  check_told(shape.system_sizes(), expected, [&](SystemCensus& census, SystemHash& hash) {
    CircuitBuilder builder{&census, &hash};
    describe_stacked_circuit(builder, shape, blank_input(shape));
  });
}

void check_flat(const ConstraintSystem<Bls12_381>& system, const StackedExpectation& expected) {
  check_told(system.sizes(), expected, [&](SystemCensus& census, SystemHash& hash) {
    tell_system(system, census);
    tell_system(system, hash);
  });
}

}  // namespace groth16::circuits::test
