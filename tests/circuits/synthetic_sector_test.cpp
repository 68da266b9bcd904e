// Sectors that were never sealed: their files are those of the published generator to the byte, and what they claim
// follows from their statement.
#include <catch2/catch.hpp>

#include "common/blake2.hpp"
#include "groth16/circuits/c1.hpp"
#include "groth16/circuits/node_label.hpp"
#include "tests/circuits/synthetic_expectation.hpp"

namespace groth16::circuits {
namespace {

struct Published {
  std::string replica_id, comm_r;
  std::size_t json_bytes;
  std::string json_sha256, inputs_blake2s;
};

void check(const std::string& name, const Published& published) {
  INFO(name);
  const auto sector = SyntheticSector::create(test::published_request(name));
  REQUIRE(sector);
  CHECK(groth16d::to_hex(sector->statement().replica_id) == published.replica_id);
  CHECK(groth16d::to_hex(sector->statement().comm_r) == published.comm_r);
  const std::string text = sector->c1_json(name);
  CHECK(text.size() == published.json_bytes);
  CHECK(groth16d::to_hex(groth16d::sha256(text)) == published.json_sha256);

  const auto c1 = read_c1_json("c1", std::as_bytes(std::span(text)));
  REQUIRE(c1);
  groth16d::Blake2s256 hash;
  for (std::uint32_t k = 0; k < c1->partitions.size(); ++k) {
    const auto inputs = public_inputs(c1->statement, k);
    hash.update(std::as_bytes(std::span(inputs)));
  }
  CHECK(groth16d::to_hex(hash.finish()) == published.inputs_blake2s);
}

TEST_CASE("the synthetic sectors of 2 KiB, 8 MiB and 512 MiB are the published ones") {
  check("StackedDrg2KiBV1_1", {"1a5d13042b1f93e037ce247d9d641936fb9c860656d4ef21139e6e9121a1b60a",
                               "f790006527b6534f1d5f8f0e168c4d269a2dc74d85a320586b80cf7317ff9c12", 100'463,
                               "daeea6e7858f3af3f833229decd4a3c13021ef3da9c278697a6283f8e0aa6f96",
                               "230477382a943d47488604ca91d42a461a87c502ed0903edd92f3d024a7993a6"});
  check("StackedDrg8MiBV1_1", {"526e2ec7074ef1ff8904fb81359bd971b09c497707d4e68371923d4f5be3dc1b",
                               "559dd4f6b8d147b99db44d7a2042260de8d626f472ecc25d40778a0d0631b75f", 209'760,
                               "b9e413827ebd2cc4da9fbdaca69605b4ac67b2c45c25053e9d33a213fc04a1b6",
                               "5b79e16039961f597926b964b6aa61028ff44184644e80bef5f574f476a0947e"});
  check("StackedDrg512MiBV1_1", {"5fb9b3cf3a6166b3d22525d8477bcecffcecc6cf9b2509c7acf00925d073ca20",
                                 "5e2eb46266f67f2f5b5f3538c808f52f4c63c7e89b266dbda7a31928e1275571", 264'539,
                                 "3c34f6d82c987abce6dc5772d0704938174c8d20e808cd8129a14c829ca5e4f3",
                                 "e94ac3ac36dd3312ddd255c89423463e8be44abf4b4b73bf7474fc0820a5440b"});
}

TEST_CASE("the synthetic sectors of 32 and 64 GiB are the published ones", "[large]") {
  check("StackedDrg32GiBV1_1", {"23c96b2b6010e2aa46ecfb1b4e30067c9ce7558f817cabefa2bc88a562405d13",
                                "201fc0e86556f0507a7bad41ad9269915304659c50441e78e6830df7f1591e0e", 38'661'187,
                                "0918f97f2b1e7565d5dded6bb92120a9ac1b2d574bdb8508727de30e7f658d69",
                                "375af0da3e0dac7b19ed5e06fc2e6770ed2686755f6d59fbe5cdaa44158d6a14"});
  check("StackedDrg64GiBV1_1", {"c7020e832dcfd77d339c616b43326a94bf4bc81cb30cb941b2cabede94d3702b",
                                "53b4d757924d8496bf83f09940baa9ea84517a48cc337a23109fe399572d8f64", 39'098'062,
                                "db3cb297f05575a31362ac7ba3daa9b147a742e58fbcfc3fcff3787a10305c90",
                                "eb43cf339a12b1126846e788f7235854a17592b4d078e3f36047b18cc453f783"});
}

TEST_CASE("no synthetic sector where comm_r decides the challenges") {
  CHECK(SyntheticSector::create(test::published_request("StackedDrg2KiBV1_1_Feat_SyntheticPoRep")).error().name ==
        "synthetic.rule");
}

TEST_CASE("the data commitment of zeros of every size") {
  const auto commitment = [](std::size_t height) { return groth16d::to_hex(zero_data_commitment(height)); };
  CHECK(commitment(6) == "fc7e928296e516faade986b28f92d44a4f24b935485223376a799027bc18f833");
  CHECK(commitment(18) == "65f29e5d98d246c38b388cfc06db1f6b021303c5a289000bdce832a9c3ec421c");
  CHECK(commitment(24) == "39560e7b13a93b07a243fd2720ffa7cb3e1d2e505ab3629e79f46313512cda06");
  CHECK(commitment(30) == "077e5fde35c50a9303a55009e3498a4ebedff39c42b710b730d8ec7ac7afa63e");
  CHECK(commitment(31) == "e64005a6bfe3777953b8ad6ef93f0fca1049b2041654f2a411f7702799cece02");
}

}  // namespace
}  // namespace groth16::circuits
