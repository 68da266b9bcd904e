// snarkjs's JSON files, and the text form of a call to a Solidity verifier.
#include <catch2/catch.hpp>

#include "groth16/formats/calldata.hpp"
#include "groth16/formats/json_document.hpp"
#include "groth16/formats/snarkjs_json.hpp"
#include "groth16/proof/verify.hpp"
#include "tests/formats/damage.hpp"

using namespace groth16;
using namespace groth16::formats;
using namespace groth16::formats::test;
using nlohmann::json;

namespace {

std::string read_public(std::string_view text, CurveId curve = CurveId::bn254) {
  return error_of(parse_public_json("the.file", text, curve));
}

template <class C>
std::string read_proof(const std::string& text) {
  return error_of(parse_proof_json<C>("the.file", text));
}

std::string read_key(const std::string& text) { return error_of(parse_verification_key_json("the.file", text)); }

// The text with the value at a JSON pointer replaced.
std::string with(const std::string& text, const std::string& pointer, const json& value) {
  json document = json::parse(text);
  document[json::json_pointer(pointer)] = value;
  return document.dump();
}
std::string without(const std::string& text, const std::string& key) {
  json document = json::parse(text);
  document.erase(key);
  return document.dump();
}

const json kInfinity1 = json::array({"0", "1", "0"});
const json kInfinity2 = json::array({json::array({"0", "0"}), json::array({"1", "0"}), json::array({"0", "0"})});

}  // namespace

TEMPLATE_TEST_CASE("a proof, its key and its public signals survive writing and reading", "", Bn254, Bls12_381) {
  const auto& made = sample<TestType>();
  const auto proof = parse_proof_json<TestType>("the.file", proof_json(made.proof));
  REQUIRE(proof);
  CHECK(*proof == made.proof);
  const auto key = parse_verification_key_json("the.file", verification_key_json(made.vk));
  REQUIRE(key);
  CHECK(digest(std::get<VerifyingKey<TestType>>(*key)) == digest(made.vk));
  const auto publics = parse_public_json("the.file", public_json(made.publics), TestType::id);
  REQUIRE(publics);
  CHECK(*publics == made.publics);
  CHECK(verify(std::get<VerifyingKey<TestType>>(*key), std::span<const UInt<4>>(*publics), *proof));
}

TEST_CASE("public signals are canonical decimal strings below r") {
  const std::string r = Bn254::Fr::modulus().to_decimal();
  CHECK(read_public("[\"0\",\"1\"]") == "accepted");
  CHECK(read_public("[]") == "accepted");
  CHECK(read_public("[\n]") == "accepted");
  CHECK(read_public("[\"" + r + "\"]") == "public.not_canonical");
  CHECK(read_public("[\"" + r + "\"]", CurveId::bls12_381) == "accepted");  // below the larger r of the other curve
  CHECK(read_public("[\"" + (Bn254::Fr::modulus() + UInt<4>::from_u64(45)).to_decimal() + "\"]") ==
        "public.not_canonical");
  for (const char* text : {"01", "-1", "+1", " 1", "1 ", "", "0x1", "1e3", "1.0", "00", "\\u0031x", "\\u0000"}) {
    INFO(text);
    CHECK(read_public("[\"" + std::string(text) + "\"]") == "public.decimal");
  }
  CHECK(read_public("[\"" + std::string(79, '9') + "\"]") == "public.decimal");  // above 2^256
  CHECK(read_public("[\"" + std::string(100000, '9') + "\"]") == "public.decimal");
  for (const char* text : {"[1]", "[null]", "[[\"1\"]]", "[true]", "[1.5]", "null", "{}", "\"1\"", "{\"0\":\"1\"}"}) {
    INFO(text);
    CHECK(read_public(text) == "public.shape");
  }
}

TEST_CASE("texts that are not JSON are refused without an exception") {
  for (const std::string text : {"", " ", "[", "[\"1\"", "[\"1\"]]", "[\"1\",]", "[\"1\"]x", "\xff\xfe",
                                 "[\"\xc3\x28\"]", "{\"a\":}", "nul", "'1'", "[1e99999]"}) {
    INFO(text);
    CHECK(read_public(text) == "json.syntax");
  }
  CHECK(read_public(std::string("[\"1\"]\0 garbage", 14)) == "json.nul");
  CHECK(read_public(std::string("[\"1\0\"]", 6)) == "json.nul");
  CHECK(read_public(std::string(1000000, '[')) == "json.depth");
  CHECK(read_public("[{\"a\":1,\"a\":2}]") == "json.duplicate_key");
  CHECK(error_of(parse_json("the.file", "[1]", {.max_bytes = 2})) == "json.too_large");
  CHECK(read_proof<Bn254>("{\"padding\": \"" + std::string(64 << 10, ' ') + "\"}") == "json.too_large");
}

TEMPLATE_TEST_CASE("a proof is refused when a point is not what it says", "", Bn254, Bls12_381) {
  using Fq = typename TestType::Fq;
  const std::string good = proof_json(sample<TestType>().proof);
  CHECK(read_proof<TestType>(good) == "accepted");
  const std::string q = Fq::modulus().to_decimal();
  for (const std::string at : {"/pi_a/0", "/pi_a/1", "/pi_b/0/0", "/pi_b/0/1", "/pi_b/1/0", "/pi_b/1/1", "/pi_c/0"}) {
    INFO(at);
    CHECK(read_proof<TestType>(with(good, at, q)) == "proof.coordinate");
    const std::string old = json::parse(good)[json::json_pointer(at)];
    const auto plus_q = UInt<8>::parse(old).value() + Fq::modulus().template resized<8>();
    const std::string alias = read_proof<TestType>(with(good, at, plus_q.to_decimal()));
    CHECK((alias == "proof.coordinate" || alias == "proof.decimal"));
    CHECK(read_proof<TestType>(with(good, at, "0" + old)) == "proof.decimal");
    CHECK(read_proof<TestType>(with(good, at, 5)) == "proof.shape");
    CHECK(read_proof<TestType>(with(good, at, "5")) == "proof.not_on_curve");
  }
  CHECK(read_proof<TestType>(with(good, "/pi_a/2", "2")) == "proof.z");
  CHECK(read_proof<TestType>(with(good, "/pi_b/2/1", "1")) == "proof.z");
  CHECK(read_proof<TestType>(with(good, "/pi_a/2", "0")) == "proof.z");
  CHECK(read_proof<TestType>(with(good, "/pi_a", {"0", "0", "1"})) == "proof.not_on_curve");
  CHECK(read_proof<TestType>(with(good, "/pi_a", {"0", "0", "0"})) == "proof.z");
  CHECK(read_proof<TestType>(with(good, "/pi_a", {"1", "2"})) == "proof.shape");
  CHECK(read_proof<TestType>(with(good, "/pi_b", kInfinity1)) == "proof.shape");
  CHECK(read_proof<TestType>(without(good, "pi_c")) == "proof.missing_key");
  CHECK(read_proof<TestType>(without(good, "protocol")) == "proof.missing_key");
  CHECK(read_proof<TestType>(with(good, "/protocol", "plonk")) == "proof.protocol");
  CHECK(read_proof<TestType>(with(good, "/curve", "secp256k1")) == "proof.curve");
  CHECK(read_proof<TestType>(with(good, "/curve", TestType::id == CurveId::bn254 ? "bls12381" : "bn128")) ==
        "proof.curve");
  CHECK(read_proof<TestType>("[]") == "proof.shape");
}

TEMPLATE_TEST_CASE("a proof in another layout is the same proof", "", Bn254, Bls12_381) {
  const auto& made = sample<TestType>();
  const std::string good = proof_json(made.proof);
  const std::string rapidsnark = without(json::parse(good).dump(), "curve");  // one line, sorted keys, no curve
  const auto proof = parse_proof_json<TestType>("the.file", rapidsnark);
  REQUIRE(proof);
  CHECK(*proof == made.proof);
  CHECK(read_proof<TestType>(with(good, "/comment", "ignored")) == "accepted");
}

TEMPLATE_TEST_CASE("infinity is read as such, and verify refuses it in a proof", "", Bn254, Bls12_381) {
  const auto& made = sample<TestType>();
  const std::string good = proof_json(made.proof);
  for (const auto& [at, value] : {std::pair{"/pi_a", kInfinity1}, {"/pi_b", kInfinity2}, {"/pi_c", kInfinity1}}) {
    const auto proof = parse_proof_json<TestType>("the.file", with(good, at, value));
    REQUIRE(proof);
    CHECK(!verify(made.vk, std::span<const UInt<4>>(made.publics), *proof));
    CHECK(json::parse(proof_json(*proof)) == json::parse(with(good, at, value)));
  }
}

TEMPLATE_TEST_CASE("a verification key is refused when it contradicts itself", "", Bn254, Bls12_381) {
  const std::string good = verification_key_json(sample<TestType>().vk);
  CHECK(read_key(good) == "accepted");
  CHECK(read_key(with(good, "/nPublic", 2)) == "vk.public_count");
  CHECK(read_key(with(good, "/nPublic", 0)) == "vk.public_count");
  CHECK(read_key(with(good, "/nPublic", -1)) == "vk.shape");
  CHECK(read_key(with(good, "/nPublic", 1.5)) == "vk.shape");
  CHECK(read_key(with(good, "/nPublic", "1")) == "vk.shape");
  CHECK(read_key(with(good, "/nPublic", std::uint64_t{0xffffffffffffffff})) == "vk.public_count");
  CHECK(read_key(with(good, "/IC", json::array())) == "vk.public_count");
  CHECK(read_key(with(good, "/IC", 5)) == "vk.shape");
  CHECK(read_key(with(good, "/IC/1/1", "5")) == "vk.not_on_curve");
  CHECK(read_key(with(good, "/IC/1", kInfinity1)) == "accepted");  // a public signal that the circuit does not use
  CHECK(read_key(with(good, "/vk_alpha_1", kInfinity1)) == "vk.infinity");
  for (const std::string key : {"vk_beta_2", "vk_gamma_2", "vk_delta_2"}) {
    CHECK(read_key(with(good, "/" + key, kInfinity2)) == "vk.infinity");
    CHECK(read_key(with(good, "/" + key + "/0/0", "7")) == "vk.not_on_curve");
    CHECK(read_key(without(good, key)) == "vk.missing_key");
  }
  CHECK(read_key(without(good, "curve")) == "vk.missing_key");
  CHECK(read_key(with(good, "/curve", 5)) == "vk.curve");
  CHECK(read_key(with(good, "/curve", "bn158")) == "vk.curve");
  CHECK(read_key(with(good, "/protocol", "fflonk")) == "vk.protocol");
  CHECK(read_key(without(good, "vk_alphabeta_12")) == "accepted");
}

TEST_CASE("the curve may be called what tools call it") {
  const std::string bn = verification_key_json(sample<Bn254>().vk);
  for (const char* name : {"bn128", "BN254", "alt_bn128", "ALTBN128", "Bn-128"})
    CHECK(read_key(with(bn, "/curve", name)) == "accepted");
  const std::string bls = verification_key_json(sample<Bls12_381>().vk);
  for (const char* name : {"bls12381", "bls12-381", "BLS12_381"})
    CHECK(read_key(with(bls, "/curve", name)) == "accepted");
}

TEMPLATE_TEST_CASE("points outside the subgroup are refused", "", Bn254, Bls12_381) {
  using Field = typename TestType::Fq2;
  Field x = Field::zero(), y = Field::zero();
  for (std::uint64_t i = 1;; ++i) {
    x = Field::from_u64(i);
    if (const auto root = (x.square() * x + TestType::b_g2()).sqrt()) {
      y = *root;
      if (!TestType::in_subgroup(typename TestType::G2{x, y})) break;
    }
  }
  const auto pair = [](const Field& value) {
    return json::array({value.c0.to_uint().to_decimal(), value.c1.to_uint().to_decimal()});
  };
  const json outside = json::array({pair(x), pair(y), json::array({"1", "0"})});
  CHECK(read_proof<TestType>(with(proof_json(sample<TestType>().proof), "/pi_b", outside)) == "proof.not_in_subgroup");
  CHECK(read_key(with(verification_key_json(sample<TestType>().vk), "/vk_delta_2", outside)) == "vk.not_in_subgroup");
}

TEST_CASE("no public signals are written as snarkjs writes them") { CHECK(public_json({}) == "[\n]"); }

TEST_CASE("calldata swaps the coordinates of G2 and pads every number to 32 bytes") {
  const Proof<Bn254> proof{Bn254::generator_g1(), Bn254::generator_g2(), Bn254::generator_g1()};
  const std::string one = "\"0x" + std::string(63, '0') + "1\"", two = "\"0x" + std::string(63, '0') + "2\"";
  CHECK(solidity_calldata(proof, std::vector{UInt<4>::from_u64(2), UInt<4>::from_u64(1)}) ==
        "[" + one + ", " + two + "]," +
            "[[\"0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2\", "
            "\"0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed\"],"
            "[\"0x090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b\", "
            "\"0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa\"]],[" +
            one + ", " + two + "],[" + two + "," + one + "]");
  CHECK(solidity_calldata(proof, {}).ends_with(",[]"));
}
