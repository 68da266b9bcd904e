// The fuzzers' corpora, seeds and past finds, replayed in every build.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "tests/fuzz/targets.hpp"

using namespace groth16::fuzz;

TEST_CASE("every file of the fuzzers' corpora is handled") {
  const std::pair<const char*, void (*)(Input)> targets[] = {
      {"r1cs", r1cs},
      {"wtns", wtns},
      {"zkey", zkey},
      {"ptau", ptau},
      {"verification_key_json", verification_key_json},
      {"proof_json", proof_json},
      {"public_json", public_json},
      {"proof_binary", proof_binary},
      {"cached_circuit", cached_circuit},
      {"bellperson_vk", bellperson_vk},
      {"bellperson_params", bellperson_params},
      {"c1_json", c1_json},
      {"c1_bincode", c1_bincode},
  };
  for (const auto& [name, target] : targets) {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(GROTH16D_FUZZ_CORPUS) + "/" + name)) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      INFO(entry.path());
      target(std::as_bytes(std::span(bytes)));
      ++count;
    }
    INFO(name);
    CHECK(count > 0);
  }
}
