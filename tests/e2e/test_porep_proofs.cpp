// A sealed 2 KiB sector through a real daemon: parameters made once and kept, C1 cut at intake, proof verified for the
// statement of C1 and for no other. Minutes the first time; the key is kept in build/parameters.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/posix.hpp"
#include "tests/e2e/run_program.hpp"
#include "tests/e2e/scene.hpp"

using namespace groth16d;
using namespace groth16d::e2e;
using Json = nlohmann::json;

namespace {

constexpr char kSealed[] = "tests/circuits/data/c1_2kib_v1_1.json";
constexpr char kSynthetic[] = "tests/circuits/data/synth_c1_2kib.inner.json";
constexpr char kBincode[] = "tests/fuzz/corpus/c1_bincode/sealed_2kib";

void use_kept_parameters() { ::setenv("FIL_PROOFS_PARAMETER_CACHE", fs::absolute("build/parameters").c_str(), 1); }

int verdict(const char* c1, const fs::path& proof) {
  return ctl({"porep", "verify", "--c1", c1, "--proof", proof}).exit_code;
}

}  // namespace

TEST_CASE("a sealed sector is proven by a private daemon, and the proof is for this sector alone") {
  use_kept_parameters();
  const TemporaryFolder folder;
  const fs::path proof = folder.path() / "proof";
  const auto proven =
      ctl({"porep", "prove", "--private", "--c1", kSealed, "--miner", "t01000", "--out", proof, "--json"});
  INFO(proven.err);
  REQUIRE(proven.exit_code == 0);
  CHECK(proven.err.find("without a ceremony") != std::string::npos);
  CHECK(Json::parse(proven.out)["insecure_key"] == true);
  CHECK(fs::file_size(proof) == 192);
  CHECK(verdict(kSealed, proof) == 0);
  CHECK(verdict(kSynthetic, proof) == 1);
  const fs::path changed = changed_copy(proof, folder.path() / "changed", [](std::string& bytes) { bytes[60] ^= 4; });
  CHECK(verdict(kSealed, changed) == 1);
}

TEST_CASE("a C1 in bincode gives a proof of the same sector, cut by the daemon or by the client") {
  use_kept_parameters();
  const TemporaryFolder folder;
  const fs::path proof = folder.path() / "proof";
  std::vector<std::string> prove{
      "porep", "prove",    "--private", "--c1",  kBincode, "--registered-proof", "StackedDrg2KiBV1_1", "--miner",
      "1000",  "--sector", "1",         "--out", proof};
  for (const bool is_sent : {false, true}) {
    if (is_sent) prove.push_back("--send");
    const auto proven = ctl(prove);
    INFO(proven.err);
    REQUIRE(proven.exit_code == 0);
    CHECK(verdict(kSealed, proof) == 0);
    fs::remove(proof);
  }
}

TEST_CASE("what cannot be proven is refused before a daemon is asked") {
  const TemporaryFolder folder;
  ::setenv("FIL_PROOFS_PARAMETER_CACHE", folder.path().c_str(), 1);
  const fs::path proof = folder.path() / "proof", large = folder.path() / "c1.json";
  const auto stranger = ctl({"porep", "prove", "--c1", kSealed, "--miner", "t01001", "--out", proof});
  CHECK(stranger.err.find("[porep.replica_id]") != std::string::npos);
  const auto onto = ctl({"porep", "prove", "--c1", kSealed, "--miner", "t01000", "--out", kSealed});
  CHECK(onto.err.find("[output.taken]") != std::string::npos);

  REQUIRE(ctl({"porep", "synth-c1", "--sector-size", "32GiB", "--out", large}).exit_code == 0);
  const auto absent = ctl({"porep", "prove", "--c1", large, "--miner", "1000", "--sector", "1", "--out", proof});
  CHECK(absent.exit_code == 1);
  CHECK(absent.err.find("[parameters.absent]") != std::string::npos);
  CHECK_FALSE(fs::exists(proof));
}
