// Proofs that others made of the published circuit: our verifier accepts them with public inputs that we derive from
// their statements, and refuses each of them when one bit of proof or statement is changed.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "groth16/circuits/parameter_files.hpp"
#include "groth16/circuits/porep_statement.hpp"
#include "groth16/formats/bellperson_vk.hpp"
#include "groth16/formats/proof_binary.hpp"
#include "groth16/proof/verify.hpp"
#include "tests/formats/sample.hpp"

namespace groth16::circuits {
namespace {

using formats::test::bytes_of_hex;
using nlohmann::json;

Bytes32 filled(std::uint8_t value) {
  Bytes32 bytes;
  bytes.fill(value);
  return bytes;
}

Bytes32 digest_of_hex(const std::string& hex) {
  const auto bytes = bytes_of_hex(hex);
  Bytes32 out;
  REQUIRE(bytes.size() == out.size());
  std::memcpy(out.data(), bytes.data(), out.size());
  return out;
}

// What the owner of the sector signed for, and the proof of it.
struct Claim {
  Bytes32 prover_id{}, ticket = filled(12), seed = filled(13), comm_d{}, comm_r{};
  std::uint64_t sector_id = 77;
  std::vector<std::byte> proof;

  PorepStatement statement() const {
    PorepStatement statement;
    statement.proof = registered_proof_of_name("StackedDrg2KiBV1_1").value();
    statement.proof.porep_id = {};
    statement.comm_d = comm_d;
    statement.comm_r = comm_r;
    statement.seed = seed;
    statement.replica_id = replica_id(prover_id, sector_id, ticket, comm_d, statement.proof.porep_id);
    return statement;
  }

  bool is_proven(const VerifyingKey<Bls12_381>& key) const {
    const PorepStatement claimed = statement();
    if (!check_statement(claimed)) return false;
    const auto read = formats::decompress<Bls12_381>(proof);
    return read && verify<Bls12_381>(key, public_inputs(claimed, 0), *read).has_value();
  }
};

std::vector<json> public_sets(const std::string& file) {
  const std::string folder = formats::test::test_data();
  if (folder.empty()) return {};
  return json::parse(formats::test::read_text(folder + "/golden/" + file)).get<std::vector<json>>();
}

formats::BellpersonVk key_of(const json& set) {
  const auto bytes = bytes_of_hex(set["vk"].get<std::string>());
  const bool is_compressed = bytes.size() == 2'356 || bytes.size() == 1'540;
  auto key = formats::read_bellperson_vk(
      "vk", bytes, is_compressed ? formats::PointForm::compressed : formats::PointForm::uncompressed);
  INFO((key ? "" : key.error().text));
  REQUIRE(key);
  return *key;
}

Claim claim_of(const json& set) {
  Claim claim;
  claim.comm_d = digest_of_hex(set["comm_d"]);
  claim.comm_r = digest_of_hex(set["comm_r"]);
  claim.proof = bytes_of_hex(set["proof"].get<std::string>());
  return claim;
}

TEST_CASE("the digests of published parameters are those of parameters.json") {
  const std::string folder = formats::test::test_data();
  if (folder.empty()) return;
  std::size_t count = 0;
  const json published = json::parse(formats::test::read_text(folder + "/golden/parameters.json"));
  for (const auto& [name, entry] : published.items()) {
    if (!name.starts_with("v28-stacked-proof-of-replication-")) continue;
    INFO(name);
    CHECK(published_digest(name) == entry["digest"].get<std::string>());
    ++count;
  }
  CHECK(count == 10);
}

TEST_CASE("public proofs of the 2 KiB replication circuit are valid for the inputs that we derive") {
  for (const json& set : public_sets("porep_2kib_public_proofs.json")) {
    const Claim claim = claim_of(set);
    const PorepStatement statement = claim.statement();
    CHECK(groth16d::to_hex(statement.replica_id) == set["replica_id"].get<std::string>());
    CHECK(challenges(statement, 0) == set["challenges"].get<std::vector<std::uint64_t>>());
    const auto inputs = public_inputs(statement, 0);
    const auto expected = set["inputs"].get<std::vector<std::string>>();
    REQUIRE(inputs.size() == expected.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) CHECK(inputs[i] == Scalar::parse(expected[i]));
    CHECK(claim.is_proven(key_of(set).key));
  }
}

TEST_CASE("a public proof with one bit changed, in the proof or in what it claims, is refused") {
  for (const json& set : public_sets("porep_2kib_public_proofs.json")) {
    const auto key = key_of(set).key;
    const Claim claim = claim_of(set);
    const auto refused = [&](auto&& change) {
      Claim changed = claim;
      change(changed);
      CHECK_FALSE(changed.is_proven(key));
    };
    for (std::size_t byte = 0; byte < claim.proof.size(); byte += 3) {
      refused([&](Claim& c) { c.proof[byte] ^= std::byte{1} << (byte % 8); });
    }
    for (std::size_t bit = 0; bit < 256; bit += 37) {
      const auto flip = [bit](Bytes32& bytes) { bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8)); };
      refused([&](Claim& c) { flip(c.comm_r); });
      refused([&](Claim& c) { flip(c.comm_d); });
      refused([&](Claim& c) { flip(c.seed); });
      refused([&](Claim& c) { flip(c.ticket); });
      refused([&](Claim& c) { flip(c.prover_id); });
      refused([&](Claim& c) { c.sector_id ^= std::uint64_t{1} << (bit % 64); });
    }
    Claim truncated = claim;
    truncated.proof.pop_back();
    CHECK_FALSE(truncated.is_proven(key));
  }
}

TEST_CASE("a verifying key with one bit changed, or cut short, is refused") {
  for (const json& set : public_sets("porep_2kib_public_proofs.json")) {
    const auto good = bytes_of_hex(set["vk"].get<std::string>());
    const auto form = good.size() == 2'356 ? formats::PointForm::compressed : formats::PointForm::uncompressed;
    for (std::size_t byte = 0; byte < good.size(); byte += 331) {
      auto changed = good;
      changed[byte] ^= std::byte{4};
      const auto read = formats::read_bellperson_vk("vk", changed, form);
      REQUIRE_FALSE(read);
      CHECK(read.error().name.starts_with("bellperson_vk."));
      const auto cut = formats::read_bellperson_vk("vk", std::span(good).first(byte), form);
      REQUIRE_FALSE(cut);
      CHECK(cut.error().name == "bellperson_vk.length");
    }
    auto longer = good;
    longer.push_back(std::byte{0});
    CHECK(formats::read_bellperson_vk("vk", longer, form).error().name == "bellperson_vk.length");
  }
}

TEST_CASE("a public proof of the 2 KiB window circuit is valid for its inputs and no others") {
  for (const json& set : public_sets("post_2kib_public_proof.json")) {
    std::vector<Scalar> inputs;
    for (const auto& text : set["inputs"].get<std::vector<std::string>>()) inputs.push_back(*Scalar::parse(text));
    const auto proof = formats::decompress<Bls12_381>(bytes_of_hex(set["proof"].get<std::string>())).value();
    const auto key = key_of(set).key;
    CHECK(verify<Bls12_381>(key, inputs, proof));
    inputs[5].limb[0] ^= 1;
    CHECK_FALSE(verify<Bls12_381>(key, inputs, proof));
  }
}

}  // namespace
}  // namespace groth16::circuits
