// The choice of arithmetic: what the processor has, lowered by what the environment asks for.
#include <catch2/catch.hpp>

#include "groth16/algebra/cpu_level.hpp"

using groth16::choose_cpu_level;
using groth16::CpuLevel;

TEST_CASE("a level can be lowered and never raised", "[cpu]") {
  CHECK(choose_cpu_level(nullptr, CpuLevel::ifma) == CpuLevel::ifma);
  CHECK(choose_cpu_level("portable", CpuLevel::ifma) == CpuLevel::portable);
  CHECK(choose_cpu_level("adx", CpuLevel::ifma) == CpuLevel::adx);
  CHECK(choose_cpu_level("ifma", CpuLevel::ifma) == CpuLevel::ifma);
  CHECK(choose_cpu_level("ifma", CpuLevel::adx) == CpuLevel::adx);
  CHECK(choose_cpu_level("adx", CpuLevel::portable) == CpuLevel::portable);
}

TEST_CASE("a word that is no level changes nothing", "[cpu]") {
  for (const char* word : {"", "IFMA", "avx512", "portable "}) {
    CHECK(choose_cpu_level(word, CpuLevel::adx) == CpuLevel::adx);
  }
}

TEST_CASE("the level in use is one that the processor has", "[cpu]") {
  CHECK(groth16::cpu_level() <= groth16::best_cpu_level());
}
