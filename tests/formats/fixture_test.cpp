// Files that circom and snarkjs made: read, proved and verified; snarkjs's own proofs verified; JSON written again byte
// for byte. They are outside the repository, under GROTH16D_TEST_DATA.
#include <catch2/catch.hpp>
#include <filesystem>

#include "groth16/formats/input_file.hpp"
#include "groth16/formats/proof_binary.hpp"
#include "groth16/formats/r1cs_system.hpp"
#include "groth16/formats/snarkjs_json.hpp"
#include "groth16/formats/wtns.hpp"
#include "groth16/formats/zkey.hpp"
#include "groth16/proof/prove.hpp"
#include "groth16/proof/verify.hpp"
#include "tests/formats/damage.hpp"

using namespace groth16;
using namespace groth16::formats;
using namespace groth16::formats::test;

namespace {

template <class T>
T must(groth16d::Result<T> result) {
  if (!result) FAIL(result.error().name << ": " << result.error().text);
  return std::move(*result);
}

// One circuit's files by their names.
struct Files {
  std::string zkey, wtns, r1cs, vk, proof, publics;
};

template <class C>
FileBytes flat(ConstraintSystemBuilder<C>& builder) {
  FileBytes bytes(builder.serialized_bytes());
  builder.write(bytes);
  return bytes;
}

template <class C>
void check_circuit(const Files& files) {
  const Compute compute(2);
  const InputFile zkey_file = must(InputFile::open(files.zkey, Access::copy));
  const ZkeyFile zkey = must(ZkeyFile::parse(zkey_file.name(), zkey_file.bytes()));
  REQUIRE(zkey.header().curve == C::id);
  const SystemSizes sizes = must(zkey.check_coefficients(compute));
  ConstraintSystemBuilder<C> from_zkey(sizes, false);
  REQUIRE(zkey.collect(from_zkey));
  const FileBytes zkey_system_bytes = flat(from_zkey);
  const auto zkey_system = must(ConstraintSystem<C>::open(zkey_system_bytes, SpanCheck::all));

  const FileBytes r1cs_bytes = read_file(files.r1cs);
  const R1csFile r1cs = must(R1csFile::parse(files.r1cs, r1cs_bytes));
  ConstraintSystemBuilder<C> from_r1cs(must(system_sizes(r1cs)), true);
  REQUIRE(collect(r1cs, from_r1cs));
  const FileBytes r1cs_system_bytes = flat(from_r1cs);
  const auto r1cs_system = must(ConstraintSystem<C>::open(r1cs_system_bytes, SpanCheck::all));
  CHECK(check_same_circuit(zkey_system, files.zkey, r1cs_system, files.r1cs, compute));

  FileBytes key_bytes(zkey.key_bytes<C>(sizes));
  const bool small = sizes.n_constraints < 1000;  // for a larger one, the cheaper checks and one proof
  const auto loaded = zkey.load_key<C>(sizes, key_bytes, {.check_subgroups = small}, compute);
  if (!loaded) FAIL(loaded.error().text);
  const auto key = must(ProvingKey<C>::open(key_bytes));

  // snarkjs's texts, read and written again.
  const std::string vk_text = read_text(files.vk), proof_text = read_text(files.proof),
                    public_text = read_text(files.publics);
  const auto vk = std::get<VerifyingKey<C>>(must(parse_verification_key_json(files.vk, vk_text)));
  CHECK(digest(vk) == digest(verifying_key(key)));
  CHECK(verification_key_json(vk) == vk_text);
  const auto their_proof = must(parse_proof_json<C>(files.proof, proof_text));
  CHECK(proof_json(their_proof) == proof_text);
  const auto publics = must(parse_public_json(files.publics, public_text, C::id));
  CHECK(public_json(publics) == public_text);
  CHECK(verify(vk, std::span<const UInt<4>>(publics), their_proof));
  CHECK(must(decompress<C>(compress(their_proof))) == their_proof);

  const FileBytes wtns_bytes = read_file(files.wtns);
  const WitnessFile witness = must(WitnessFile::parse(files.wtns, wtns_bytes));
  REQUIRE(witness.check_fits(C::id, sizes.n_vars));
  std::vector<UInt<4>> values(witness.size());
  witness.copy_to(values);
  CHECK(std::equal(publics.begin(), publics.end(), values.begin() + 1));
  for (const auto& system : {zkey_system, r1cs_system}) {
    FileBytes packed_bytes(packed_witness_bytes(system));
    REQUIRE(pack_witness<C>(std::span<const UInt<4>>(values), system, packed_bytes));
    const auto packed = must(PackedWitness<C>::open(packed_bytes, system));
    const auto proof = must(prove(key, packed, compute));
    CHECK(verify(vk, std::span<const UInt<4>>(publics), proof));
    if (!small) break;
  }
}

Files fixture(const std::string& folder) {
  return {folder + "/circuit_final.zkey",    folder + "/witness.wtns", folder + "/circuit.r1cs",
          folder + "/verification_key.json", folder + "/proof.json",   folder + "/public.json"};
}

}  // namespace

TEST_CASE("circuits of circom prove and verify, and snarkjs's texts are written again byte for byte") {
  const std::string data = test_data();
  if (data.empty()) return;
  for (const std::string circuit : {"mult2", "nopub", "merkle20", "semaphore20"}) {
    INFO(circuit);
    check_circuit<Bn254>(fixture(data + "/fixtures/" + circuit + "-bn128"));
    check_circuit<Bls12_381>(fixture(data + "/fixtures/" + circuit + "-bls12381"));
  }
}

TEST_CASE("circuits of zero, one and few constraints, with and without public signals, prove and verify") {
  const std::string data = test_data();
  if (data.empty()) return;
  for (const std::string name : {"zero", "one", "one0", "pub0", "base", "p2a", "p2b", "p2c"}) {
    INFO(name);
    const std::string stem = data + "/bugs/files/" + name;
    check_circuit<Bn254>({stem + ".zkey", stem + ".wtns", stem + ".r1cs", stem + ".vk.json", stem + ".proof.json",
                          stem + ".public.json"});
  }
}

TEST_CASE("a key straight from the setup is refused unless that is allowed") {
  const std::string data = test_data();
  if (data.empty()) return;
  const FileBytes bytes = read_file(data + "/bugs/files/base.0.zkey");
  const auto key = ZkeyFile::parse("the.file", bytes);
  REQUIRE(key);
  CHECK(error_of(key->refuse_insecure()) == "zkey.insecure");
}

TEST_CASE("public signals plus or minus r, and one too many, are refused") {
  const std::string data = test_data();
  if (data.empty()) return;
  const std::string folder = data + "/bugs/files/";
  const auto read = [&](const std::string& name) {
    return parse_public_json("the.file", read_text(folder + name), CurveId::bn254);
  };
  CHECK(error_of(read("public_x_plus_r.json")) == "public.not_canonical");
  CHECK(error_of(read("public_x_minus_r.json")) == "public.decimal");
  const auto vk = parse_verification_key_json("vk", read_text(folder + "base.vk.json"));
  const auto proof = parse_proof_json<Bn254>("proof", read_text(folder + "base.proof.json"));
  const auto extra = read("public_extra.json");
  REQUIRE((vk && proof && extra));
  const auto verdict = verify(std::get<VerifyingKey<Bn254>>(*vk), std::span<const UInt<4>>(*extra), *proof);
  REQUIRE(!verdict);
  CHECK(verdict.error().name == "verify.public_count");
}

TEST_CASE("a proof changed into another valid proof of the same statement verifies, as the scheme allows") {
  const std::string data = test_data();
  if (data.empty()) return;
  const std::string folder = data + "/bugs/files/";
  const auto vk = parse_verification_key_json("vk", read_text(folder + "base.vk.json"));
  const auto proof = parse_proof_json<Bn254>("proof", read_text(folder + "proof_mal.json"));
  const auto publics = parse_public_json("public", read_text(folder + "base.public.json"), CurveId::bn254);
  REQUIRE((vk && proof && publics));
  CHECK(verify(std::get<VerifyingKey<Bn254>>(*vk), std::span<const UInt<4>>(*publics), *proof));
}
