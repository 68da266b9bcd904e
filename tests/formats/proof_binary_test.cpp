// The two compressed forms of a proof, against encodings and proofs that other projects published.
#include "groth16/formats/proof_binary.hpp"

#include <catch2/catch.hpp>

#include "groth16/proof/verify.hpp"
#include "tests/formats/damage.hpp"

using groth16d::Result;
using namespace groth16;
using namespace groth16::formats;
using namespace groth16::formats::test;

namespace {

// BLS12-381's generators in the ZCash form (draft-irtf-cfrg-pairing-friendly-curves, appendix C; zkcrypto/bls12_381).
const std::string kBlsG1 =
    "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb";
const std::string kBlsG2 =
    "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
    "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8";

// BN254's generators as gnark writes them (gnark-crypto, ecc/bn254).
const std::string kBnG1 = "8000000000000000000000000000000000000000000000000000000000000001";
const std::string kBnG2 =
    "998e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2"
    "1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed";

// A verification key, a proof and its public input that bellman made (the test data of groth16-verifier-bls12381, which
// gnark's bellman test uses too).
const std::string kAlpha1 =
    "87093cf37814953282c97600e975996bc1fdff1288619689d3112cd0ce6140e331886a71a1cb97ffc99a48399e0a4ddb";
const std::string kBeta2 =
    "a3956268305d3bb641c4084b49ee64ff94c54321792efeca376b4b2a7c20a1632a075e8e2fc59d6de3c8c130ae3ed24d"
    "0052a84d9ca52c36d27f4da472431c6500cf17d88687e242f7d3e2a3be2f0e9c13123531e6d43df60350c3150bb73b6c";
const std::string kGamma2 =
    "a8346c3e712f2af2e6b311edf0b4150641019b63c124563e3977f530d5b4db5be20c1a51d74997e1643acebb062f92f4"
    "198e1cc1fe2d95b87e39b8adf8b9cdfd24139d111ff1f3e974a675b1afee8b7a468bc94c4fa8a8e03ed48e5c31d91742";
const std::string kDelta2 =
    "90117e8ac7cc7fbec70841ac640370d214ab3b6146835e12976eb12c022885d696f0eee011a6a0f09755019dce54b779"
    "0dfd4d919044afbe775dbf16c1a5ec26313bab1c0834bd4a76a038f848985b879d6fbf9af5b6c178e3ed6faed9c6616a";
const std::string kIc0 =
    "8324cd4bfe286f16a17b33648e4d34cadb30b04360fff11ee9d581259c8b1fe406b1a5368cefd6e16bd1c9986628a3dd";
const std::string kIc1 =
    "8a93a18b3e1196b7765d882c7c7b1f59fe6fe063932fed77641db8756d7f9b7f67db0a09fafebce9f5db356f395cffeb";
const std::string kBellmanProof =
    "96f40b53f2aa80586c2e4b7fe42fec72ab3b9d647e798b723dd5a22d506ec7d19b953e0084760c74283041f48972e76f"
    "b2057a7d7a0af8351246027ef8daadf96bdbec6958947a710b2b10873dba4d3bbc372a3bce99953c7f76f946266ef6d0"
    "092bd7d81856b6f91f1e6a83563992210e1150c7debde0352996d27fdf7d344e2a28af03a3ef285dc9933382d9566875"
    "ae5caace721d1573cdef1de90f813481bebfcbaf71b5630286ff7ae7814c834e5b01db9e2adf6e0380447006e991d1c5";
const std::string kPublic = "2dc313dce3a59072f32412822a38f3cd5320fabf85560779d8b96164f0784458";
const std::string kOtherPublic = "726cd509c4559dc930dd050f8661b8064a697a0e0ae74a0343043d107f85ab5b";

template <class C>
Result<Proof<C>> read(const std::string& hex) {
  return decompress<C>(bytes_of_hex(hex));
}

// The error's name; the texts of this format name the point and no file.
template <class C>
std::string error_name(const std::string& hex) {
  const auto proof = read<C>(hex);
  return proof ? "accepted" : proof.error().name;
}

UInt<4> big_endian(const std::string& hex) {
  const auto bytes = bytes_of_hex(hex);
  return UInt<4>::from_be_bytes(std::span<const std::byte, 32>(bytes.data(), 32));
}

}  // namespace

TEST_CASE("the generators have the published encodings") {
  const Proof<Bls12_381> bls{Bls12_381::generator_g1(), Bls12_381::generator_g2(), Bls12_381::generator_g1()};
  CHECK(hex_of_bytes(compress(bls)) == kBlsG1 + kBlsG2 + kBlsG1);
  CHECK(read<Bls12_381>(kBlsG1 + kBlsG2 + kBlsG1).value() == bls);

  const Proof<Bn254> bn{Bn254::generator_g1(), Bn254::generator_g2(), Bn254::generator_g1()};
  CHECK(hex_of_bytes(compress(bn)) == kBnG1 + kBnG2 + kBnG1);
  CHECK(read<Bn254>(kBnG1 + kBnG2 + kBnG1).value() == bn);
}

TEST_CASE("the opposite points differ in the flag alone") {
  const Proof<Bls12_381> bls{-Bls12_381::generator_g1(), -Bls12_381::generator_g2(), Bls12_381::generator_g1()};
  CHECK(hex_of_bytes(compress(bls)) == "b7" + kBlsG1.substr(2) + "b3" + kBlsG2.substr(2) + kBlsG1);
  const Proof<Bn254> bn{-Bn254::generator_g1(), -Bn254::generator_g2(), Bn254::generator_g1()};
  CHECK(hex_of_bytes(compress(bn)) == "c0" + kBnG1.substr(2) + "d9" + kBnG2.substr(2) + kBnG1);
}

TEST_CASE("a proof that bellman made is read and verifies, for its own input only") {
  const auto proof = read<Bls12_381>(kBellmanProof);
  REQUIRE(proof);
  CHECK(hex_of_bytes(compress(*proof)) == kBellmanProof);
  // The key's points have the same encoding, so they are read as parts of proofs.
  const auto with_beta = read<Bls12_381>(kAlpha1 + kBeta2 + kIc0);
  const auto with_gamma = read<Bls12_381>(kAlpha1 + kGamma2 + kIc1);
  const auto with_delta = read<Bls12_381>(kAlpha1 + kDelta2 + kIc1);
  REQUIRE((with_beta && with_gamma && with_delta));
  const VerifyingKey<Bls12_381> key{
      with_beta->a, with_beta->b, with_gamma->b, with_delta->b, {with_beta->c, with_gamma->c}};
  CHECK(verify(key, std::vector{big_endian(kPublic)}, *proof));
  CHECK(!verify(key, std::vector{big_endian(kOtherPublic)}, *proof));
}

TEMPLATE_TEST_CASE("a proof survives compression, points at infinity included", "", Bn254, Bls12_381) {
  const auto& proof = sample<TestType>().proof;
  CHECK(decompress<TestType>(compress(proof)).value() == proof);
  const Proof<TestType> infinity{TestType::G1::infinity(), TestType::G2::infinity(), TestType::G1::infinity()};
  CHECK(decompress<TestType>(compress(infinity)).value() == infinity);
}

TEST_CASE("flags that mean nothing in a compressed point are refused") {
  for (const std::string first : {"17", "37", "57", "77", "f7"}) {  // BLS12-381: not compressed, or both flags
    INFO(first);
    CHECK(error_name<Bls12_381>(first + kBlsG1.substr(2) + kBlsG2 + kBlsG1) == "proof_binary.flags");
  }
  CHECK(error_name<Bn254>("00" + kBnG1.substr(2) + kBnG2 + kBnG1) == "proof_binary.flags");
  CHECK(error_name<Bls12_381>("d7" + kBlsG1.substr(2) + kBlsG2 + kBlsG1) == "proof_binary.infinity");
  CHECK(error_name<Bn254>("40" + kBnG1.substr(2) + kBnG2 + kBnG1) == "proof_binary.infinity");
}

TEST_CASE("a coordinate that is not below q is refused") {
  const std::string q = Bls12_381::Fq::modulus().to_hex();
  CHECK(error_name<Bls12_381>("9" + q.substr(1) + kBlsG2 + kBlsG1) == "proof_binary.coordinate");  // 0x1a.. | 0x80
  const std::string q_bn = Bn254::Fq::modulus().to_hex();                                          // 0x30..
  CHECK(error_name<Bn254>("b" + q_bn.substr(1) + kBnG2 + kBnG1) == "proof_binary.coordinate");
  CHECK(error_name<Bn254>(kBnG1 + kBnG2.substr(0, 64) + q_bn + kBnG1) == "proof_binary.coordinate");
}

TEST_CASE("points that gnark refuses are refused: outside the subgroup, and an x without a point") {
  CHECK(error_name<Bn254>(kBnG1 + "8" + kBnG2.substr(1) + kBnG1) == "proof_binary.not_in_subgroup");
  CHECK(error_name<Bn254>(kBnG1 + kBnG2.substr(0, 124) + "ffff" + kBnG1) == "proof_binary.not_on_curve");
}

TEMPLATE_TEST_CASE("only the exact length is a proof", "", Bn254, Bls12_381) {
  const auto good = compress(sample<TestType>().proof);
  std::vector<std::byte> bytes(good.begin(), good.end());
  CHECK(decompress<TestType>(bytes));
  bytes.push_back(std::byte{0});
  CHECK(decompress<TestType>(bytes).error().name == "proof_binary.length");
  CHECK(decompress<TestType>(Bytes(bytes).first(good.size() - 1)).error().name == "proof_binary.length");
  CHECK(decompress<TestType>({}).error().name == "proof_binary.length");
}
