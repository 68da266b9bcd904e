// Poseidon's generated constants and hashes are those of neptune and of the published specification.
#include <catch2/catch.hpp>

#include "common/digest.hpp"
#include "groth16/circuits/poseidon_hash.hpp"

namespace groth16::circuits {
namespace {

std::string digest_of(const std::vector<Fr>& values) {
  groth16d::Sha256 hash;
  for (const Fr& value : values) {
    const Scalar integer = value.to_uint();
    hash.update(std::as_bytes(std::span(&integer, 1)));
  }
  return groth16d::to_hex(hash.finish());
}

std::vector<Fr> flat(const Matrix& matrix) {
  std::vector<Fr> values;
  for (const auto& row : matrix) values.insert(values.end(), row.begin(), row.end());
  return values;
}

std::vector<Fr> flat(const std::vector<SparseMix>& mixes) {
  std::vector<Fr> values;
  for (const SparseMix& mix : mixes) {
    values.insert(values.end(), mix.w.begin(), mix.w.end());
    values.insert(values.end(), mix.v.begin(), mix.v.end());
  }
  return values;
}

struct Digests {
  unsigned arity;
  std::string round_constants, compressed, pre_sparse, sparse;
};

TEST_CASE("the constants are those of the published instances") {
  const std::vector<Digests> expected{{2, "cf4dfb7448132022e22b32e3dce6b125cb06329448f9e8d8fe53a71c73cbe6d4",
                                       "b768b730ce5198394d948d76421ab53b08cc16ec1ac082cf503f370192253e16",
                                       "13d6e8e5ba45b0d2096617d055499f36adad1aab6853de143ed42b14eea9a0f6",
                                       "a2fe507a83bddb8d57e5a00e7e58e79800c272b0db7dd4141943f6e567e99138"},
                                      {4, "91e463d6553415b3901b9f26b2ad53e6298ac3e5ab0ef260d397bafe8bdde98e",
                                       "3e4ec19ded2c86a89f3d6bddc13d9571a0cc5473e7207cfbaf6a8169a69f5709",
                                       "aee67dfb1ae8c43eca89f5742a745c6309f2d302ab741b75d2641b7025d87413",
                                       "f1c3c3a9fe9ea4a3c38c91971e5f379da38123fe1dcf960b461d84c5ba759f2b"},
                                      {8, "9a4a743575f0eaf285c93d73f8adaf4e7ef4042c2445b42bddaf1a64e5face72",
                                       "f5a94aea73a583d080abdf7d71259fab9107f5523a4a1eddc41468f94564dd16",
                                       "dcfbdaea3eb7e347664c8f881c5443b1895f10c85cab0878022eb287defa8587",
                                       "3f823785875d8cc161c963d2a62d103a3fefab30eb4244cef877d8e624fb79f4"},
                                      {11, "479dc0d71d694cd50d853dec0c94aeb37df2a69929eaa23b545a52b1226aec06",
                                       "2d7c0e4e9b98eda82102b69f1a964ae59ccf98b0008b6d3d632d86f4fea79d1d",
                                       "f2a7353f0ce5ad724a7a58bf2db0e37f7c5662f064a6c97466021af83279a96e",
                                       "810a4d7f126f6e5fb3eb1980b57c70f90bb835219373d955726e30b3ca931556"}};
  for (const Digests& digests : expected) {
    const PoseidonConstants& constants = poseidon_constants(digests.arity);
    CHECK(digest_of(constants.round_constants) == digests.round_constants);
    CHECK(digest_of(constants.compressed) == digests.compressed);
    CHECK(digest_of(flat(constants.pre_sparse)) == digests.pre_sparse);
    CHECK(digest_of(flat(constants.sparse)) == digests.sparse);
  }
}

TEST_CASE("the hashes are neptune's, by the fast form and by the definition") {
  struct Vector {
    unsigned arity;
    std::string of_counting, of_zeros;
  };
  const std::vector<Vector> vectors{{2, "396508d75e76a56b739e0fd902efe161a6fba9339d05a69d2e203c369a02e7ff",
                                     "48fe0b1331196f6cdb33a7c6e5af61b76fd388e1ef1d3d418be5147f0e4613d4"},
                                    {4, "58a54b10a9e5848a00db3c6579229399fb6b4605bf1327ec019814ff6662075d",
                                     "65cec475d81e7e5f0f13b878b866d3eef99a58932383621b64472e952b9711bc"},
                                    {8, "2394611da3a5de5512010042116770774b682e9d9cc4aed92a9934f56d38a5e6",
                                     "3f79e614b63889f904a036088bc029f5337c0be60db389d13482b431caff9b3a"},
                                    {11, "0c0fc1b2e5227f286ca537e232ebe87a09f3dcd8ccb08fc1cee3bbc32b693163",
                                     "441f2dea348692cf18215eb61da1681b69d57e70108853c985c8b7d1c14ffe94"}};
  for (const Vector& vector : vectors) {
    const PoseidonConstants& constants = poseidon_constants(vector.arity);
    std::vector<Fr> counting;
    for (unsigned i = 0; i < vector.arity; ++i) counting.push_back(Fr::from_u64(i));
    CHECK(poseidon_hash(constants, counting).to_uint().to_hex() == vector.of_counting);
    CHECK(poseidon_by_definition(constants, counting).to_uint().to_hex() == vector.of_counting);
    const std::vector<Fr> zeros(vector.arity, Fr::zero());
    CHECK(poseidon_hash(constants, zeros).to_uint().to_hex() == vector.of_zeros);
  }
}

}  // namespace
}  // namespace groth16::circuits
