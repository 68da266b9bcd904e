// Circuits by name, and the names and digests of their published parameters.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "groth16/circuits/builtin_circuit.hpp"
#include "groth16/circuits/parameter_files.hpp"
#include "groth16/circuits/partition_input.hpp"

namespace groth16::circuits {
namespace {

TEST_CASE("every size of sector has a circuit by name, and no other name has one") {
  for (const SectorShape& shape : known_sectors()) {
    const auto circuit = builtin_circuit("porep-" + sector_name(shape.sector_bytes())).value();
    CHECK(circuit->name() == "porep-" + sector_name(shape.sector_bytes()));
    CHECK(circuit->sizes() == shape.system_sizes());
    CHECK(circuit->parameter_stem() == porep_parameter_stem(shape));
    CHECK(circuit->is_for_production() == (shape.sector_bytes() > (std::uint64_t{512} << 20)));
  }
  for (const char* name : {"", "porep", "porep-", "porep-3KiB", "post-2KiB", "porep-2KiB "}) {
    CHECK(builtin_circuit(name).error().name == "circuit.name");
  }
}

TEST_CASE("a circuit is found by its numbers of variables, and by an input") {
  for (const SectorShape& shape : known_sectors()) {
    const SystemSizes sizes = shape.system_sizes();
    const auto found = builtin_circuit_of_sizes(sizes.n_public + 1, sizes.n_private());
    REQUIRE(found);
    CHECK((*found)->name() == "porep-" + sector_name(shape.sector_bytes()));

    std::vector<std::byte> input((*found)->input_bytes());
    write_partition_input(shape, blank_input(shape), input);
    REQUIRE(builtin_circuit_of_input(input));
    CHECK(builtin_circuit_of_input(input)->name() == (*found)->name());
    CHECK((*found)->public_inputs(input)->size() == sizes.n_public);
    input[0] ^= std::byte{1};
    CHECK_FALSE(builtin_circuit_of_input(input));
  }
  CHECK(builtin_circuit_of_sizes(40, 1).error().name == "circuit.sizes");
  CHECK_FALSE(builtin_circuit_of_input({}));
}

TEST_CASE("the names of parameters are the published ones") {
  const auto stem = [](const char* sector) { return porep_parameter_stem(sector_of_name(sector).value()); };
  CHECK(stem("2KiB") ==
        "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-0-0-sha256_hasher-"
        "032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f");
  CHECK(stem("32GiB") ==
        "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-8-0-sha256_hasher-"
        "82a357d2f2ca81dc61bb45f4a762807aedee1b0a53fd6c4e77b46a01bfef7820");
  CHECK(stem("64GiB") ==
        "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-8-2-sha256_hasher-"
        "96f1b4a04c5c51e4759bbf224bbc2ef5a42c7100f16ec0637123f16a845ddfb2");
  const auto digits = [&](const char* sector) { return stem(sector).substr(stem(sector).size() - 64, 8); };
  CHECK(digits("8MiB") == "ecd68364");
  CHECK(digits("512MiB") == "6babf46c");
  CHECK(digits("4KiB") == "71fadf77");
  CHECK(digits("16KiB") == "5d6414be");
  CHECK(digits("32KiB") == "2a21b24b");
}

TEST_CASE("parameters are those that were published, or refused") {
  const std::string stem = porep_parameter_stem(sector_of_name("2KiB").value());
  CHECK(published_digest(stem + ".vk") == "dc1ade9929ade1708238f155343044ac");
  CHECK(published_digest(stem + ".params") == "434fb1338ecfaf0f59256f30dde4968f");
  CHECK_FALSE(published_digest(stem));
  CHECK_FALSE(published_digest(porep_parameter_stem(sector_of_name("4KiB").value()) + ".vk"));
  const std::string text = "not the key";
  const auto bytes = std::as_bytes(std::span(text));
  CHECK(check_published(stem + ".vk", bytes).error().name == "parameters.digest");
  CHECK(check_published("v28-other.vk", bytes).error().name == "parameters.unpublished");
}

TEST_CASE("the cache is where the environment says") {
  const char* before = std::getenv("FIL_PROOFS_PARAMETER_CACHE");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("FIL_PROOFS_PARAMETER_CACHE", "/data/parameters", 1);
  CHECK(parameter_cache() == "/data/parameters");
  ::setenv("FIL_PROOFS_PARAMETER_CACHE", "", 1);
  CHECK(parameter_cache() == "/var/tmp/filecoin-proof-parameters");
  if (before != nullptr) {
    ::setenv("FIL_PROOFS_PARAMETER_CACHE", kept.c_str(), 1);
  } else {
    ::unsetenv("FIL_PROOFS_PARAMETER_CACHE");
  }
}

}  // namespace
}  // namespace groth16::circuits
