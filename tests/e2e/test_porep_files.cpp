// groth16ctl and Filecoin's files, without a daemon: circuits by name, sectors that were never sealed, C1 files, and
// proofs that others made.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/digest.hpp"
#include "common/posix.hpp"
#include "groth16/formats/snarkjs_json.hpp"
#include "tests/e2e/run_program.hpp"
#include "tests/e2e/scene.hpp"

using namespace groth16d;
using namespace groth16d::e2e;
using Json = nlohmann::json;

namespace {

constexpr char kSealed[] = "tests/circuits/data/c1_2kib_v1_1.json";

std::string text_of(const fs::path& file) {
  const auto text = read_text_file(file, std::uint64_t{1} << 27);
  REQUIRE(text.has_value());
  return *text;
}

fs::path write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

// The public sets of GROTH16D_TEST_DATA, none where that is not set.
std::vector<Json> public_sets() {
  const char* folder = std::getenv("GROTH16D_TEST_DATA");
  if (folder == nullptr) {
    WARN("skipped: GROTH16D_TEST_DATA is not set");
    return {};
  }
  return Json::parse(text_of(fs::path(folder) / "golden/porep_2kib_public_proofs.json")).get<std::vector<Json>>();
}

std::string public_json_of(const Json& set) {
  std::vector<groth16::UInt<4>> values;
  for (const auto& text : set["inputs"].get<std::vector<std::string>>()) {
    values.push_back(groth16::UInt<4>::parse(text).value());
  }
  return groth16::formats::public_json(values);
}

}  // namespace

TEST_CASE("circuit hash prints the published fingerprint and counts") {
  const auto said = ctl({"circuit", "hash", "porep-2KiB", "--json"});
  REQUIRE(said.exit_code == 0);
  const Json json = Json::parse(said.out);
  CHECK(json["hash"] == "2c120b1125bd531d5a62b11932b2ae0e0cb47f455cea582994f97534e296bb42");
  CHECK(json["inputs"] == 40);
  CHECK(json["private_variables"] == 2'685'673);
  CHECK(json["rows"] == 2'687'961);
  CHECK(json["domain_log2"] == 22);
  CHECK(json["non_zeros"] == Json{{"a", 6'421'005}, {"b", 2'689'006}, {"c", 5'824'682}});
  CHECK(json["private_densities"] == Json{{"a", 2'674'908}, {"b", 685'521}});
  CHECK(ctl({"circuit", "hash", "porep-3KiB"}).exit_code == 2);
}

TEST_CASE("porep inspect shows a sealed sector, and knows whose it is") {
  const auto said = ctl({"porep", "inspect", kSealed, "--miner", "t01000", "--json"});
  INFO(said.err);
  REQUIRE(said.exit_code == 0);
  const Json json = Json::parse(said.out);
  CHECK(json["circuit"] == "porep-2KiB");
  CHECK(json["sector_number"] == 1);
  CHECK(json["replica_id"] == "75717789502c2fe28c55201a1c49b9099f96785bfbee1811f29226ebc47e6617");
  CHECK(json["nodes"] == Json::parse("[[29,58]]"));

  const auto other = ctl({"porep", "inspect", kSealed, "--miner", "t01001"});
  CHECK(other.exit_code == 1);
  CHECK(other.err.find("[porep.replica_id]") != std::string::npos);
  CHECK(ctl({"porep", "inspect", kSealed, "--miner", "somebody"}).err.find("[porep.miner]") != std::string::npos);
  CHECK(ctl({"porep", "inspect", "no-file"}).exit_code == 1);
}

TEST_CASE("a C1 in bincode needs the name of its registered proof") {
  const std::string bincode = "tests/fuzz/corpus/c1_bincode/sealed_2kib";
  CHECK(ctl({"porep", "inspect", bincode}).err.find("[c1.registered_proof]") != std::string::npos);
  const auto said = ctl({"porep", "inspect", bincode, "--registered-proof", "StackedDrg2KiBV1_1", "--json"});
  REQUIRE(said.exit_code == 0);
  CHECK(Json::parse(said.out)["nodes"] == Json::parse("[[29,58]]"));
  CHECK(ctl({"porep", "inspect", bincode, "--registered-proof", "StackedDrg8MiBV1_1"}).exit_code == 1);
  CHECK(
      ctl({"porep", "inspect", kSealed, "--registered-proof", "StackedDrg2KiBV1"}).err.find("[c1.registered_proof]") !=
      std::string::npos);
}

TEST_CASE("porep synth-c1 writes the published sectors, and others, that inspect accepts") {
  const TemporaryFolder folder;
  const fs::path inner = folder.path() / "c1.json", wrapped = folder.path() / "wrapped.json";
  REQUIRE(ctl({"porep", "synth-c1", "--sector-size", "8MiB", "--out", inner}).exit_code == 0);
  CHECK(to_hex(sha256(text_of(inner))) == "b9e413827ebd2cc4da9fbdaca69605b4ac67b2c45c25053e9d33a213fc04a1b6");

  const auto made = ctl({"porep", "synth-c1", "--sector-size", "8388608", "--wrapper", "--miner", "f01234", "--sector",
                         "7", "--seed", std::string(64, 'a'), "--out", wrapped});
  INFO(made.err);
  REQUIRE(made.exit_code == 0);
  const auto said = ctl({"porep", "inspect", wrapped, "--miner", "1234", "--json"});
  REQUIRE(said.exit_code == 0);
  CHECK(Json::parse(said.out)["sector_number"] == 7);
  CHECK(Json::parse(said.out)["seed"] == std::string(64, 'a'));

  CHECK(ctl({"porep", "synth-c1", "--sector-size", "3KiB", "--out", inner}).err.find("[sector.size]") !=
        std::string::npos);
  CHECK(ctl({"porep", "synth-c1", "--sector-size", "2KiB", "--seed", "zz", "--out", inner}).exit_code == 2);
}

TEST_CASE("porep verify accepts public proofs for their inputs, and none with a bit changed") {
  const TemporaryFolder folder;
  for (const Json& set : public_sets()) {
    const fs::path vk = write(folder.path() / "key.vk", from_hex(set["vk"].get<std::string>()).value());
    const std::string good = from_hex(set["proof"].get<std::string>()).value();
    const fs::path proof = write(folder.path() / "proof", good);
    const fs::path publics = write(folder.path() / "public.json", public_json_of(set));
    const auto verify = [&] { return ctl({"porep", "verify", "--vk", vk, "--public", publics, "--proof", proof}); };
    CHECK(verify().exit_code == 0);

    std::string bad = good;
    bad[100] ^= 1;
    write(proof, bad);
    CHECK(verify().exit_code == 1);
    write(proof, good.substr(1));
    CHECK(verify().err.find("[proof_binary.length]") != std::string::npos);
    write(proof, good);

    std::string changed = text_of(publics);
    changed[changed.rfind('"') - 1] ^= 1;
    write(publics, changed);
    CHECK(verify().exit_code == 1);
    write(publics, "{}");
    CHECK(verify().exit_code == 66);
    CHECK(ctl({"porep", "verify", "--vk", vk, "--c1", kSealed, "--proof", proof}).exit_code == 1);  // another sector's
  }
}

TEST_CASE("porep verify has no verdict without its files") {
  const TemporaryFolder folder;
  const fs::path proof = write(folder.path() / "proof", std::string(192, '\0'));
  ::setenv("FIL_PROOFS_PARAMETER_CACHE", folder.path().c_str(), 1);
  const auto absent = ctl({"porep", "verify", "--c1", kSealed, "--proof", proof});
  CHECK(absent.exit_code == 66);
  CHECK(absent.err.find("[parameters.absent]") != std::string::npos);
  CHECK(ctl({"porep", "verify", "--proof", proof}).exit_code == 2);
  CHECK(ctl({"porep", "verify", "--public", proof, "--proof", proof}).exit_code == 2);
}

TEST_CASE("porep parameters finds the published files in the cache, and knows one that is not what was published") {
  const TemporaryFolder folder;
  ::setenv("FIL_PROOFS_PARAMETER_CACHE", folder.path().c_str(), 1);
  const Json all = Json::parse(ctl({"porep", "parameters", "--json"}).out);
  REQUIRE(all.size() == 10);
  CHECK(all[0]["circuit"] == "porep-2KiB");
  CHECK(all[0]["state"] == "absent");

  const std::string stem =
      "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-8-0-sha256_hasher-"
      "82a357d2f2ca81dc61bb45f4a762807aedee1b0a53fd6c4e77b46a01bfef7820";
  write(folder.path() / (stem + ".vk"), "no key");
  const Json found = Json::parse(ctl({"porep", "parameters", "32GiB", "--json"}).out);
  REQUIRE(found.size() == 2);
  CHECK(found[0]["state"] == "absent");
  CHECK(found[1]["state"] == "present");
  CHECK(found[1]["file"] == (folder.path() / (stem + ".vk")).string());
  const auto checked = ctl({"porep", "parameters", "32GiB", "--check", "--json"});
  CHECK(checked.exit_code == 1);
  CHECK(Json::parse(checked.out)[1]["state"] == "parameters.digest");
  CHECK(ctl({"porep", "parameters", "3KiB"}).exit_code == 2);
}

TEST_CASE("setup of a built-in circuit must be called insecure and have somewhere to go") {
  CHECK(ctl({"setup", "--circuit", "porep-2KiB", "--params", "p"}).exit_code == 2);
  CHECK(ctl({"setup", "--insecure", "--circuit", "porep-2KiB"}).exit_code == 2);
  CHECK(ctl({"setup", "--insecure", "--circuit", "porep-2MiB", "--params", "p"}).exit_code == 2);
}
