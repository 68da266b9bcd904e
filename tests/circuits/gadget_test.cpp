// Each gadget alone: the hash and the counts of its constraint system are those of the circuit that Filecoin's keys are
// made for, and its values satisfy it.
#include <array>
#include <catch2/catch.hpp>
#include <map>

#include "groth16/circuits/inclusion.hpp"
#include "groth16/circuits/label.hpp"
#include "groth16/circuits/poseidon_gadget.hpp"
#include "groth16/circuits/poseidon_hash.hpp"
#include "groth16/circuits/sha256_gadget.hpp"
#include "tests/circuits/described.hpp"

namespace groth16::circuits {
namespace {

using test::census_of;
using test::evaluate;
using test::hash_of;

std::vector<Number> numbers(CircuitBuilder& builder, std::size_t count) {
  std::vector<Number> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(alloc_number(builder, Fr::from_u64(1000 + 77 * i)));
  return out;
}

std::vector<Bit> bits(CircuitBuilder& builder, std::size_t count, std::uint64_t value) {
  std::vector<Bit> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(alloc_bit(builder, i < 64 && ((value >> i) & 1) != 0));
  return out;
}

struct Expected {
  std::uint64_t n_private, n_rows, n_inputs;
  std::string hash;
};

template <class Describe>
void check(const Expected& expected, Describe&& describe) {
  const SystemCensus census = census_of(describe);
  CHECK(census.sizes().n_private() == expected.n_private);
  CHECK(census.sizes().n_constraints == expected.n_rows);
  CHECK(census.sizes().n_public + 1 == expected.n_inputs);
  CHECK(hash_of(census.sizes(), describe) == expected.hash);
}

TEST_CASE("a bit costs one row, a number's bits 256") {
  const auto one_bit = census_of([](CircuitBuilder& builder) { alloc_bit(builder, true); });
  CHECK(one_bit.sizes().n_constraints == 1);
  CHECK(one_bit.n_bits() == 1);
  const auto to_bits_of_one = [](CircuitBuilder& builder) { to_bits(builder, numbers(builder, 1)[0]); };
  check({256, 256, 1, "fe8f60dff8688ec7c39a8ebb4750cc381c306c9f430d43e0fcf0ca5a23025477"}, to_bits_of_one);
  CHECK_FALSE(evaluate(to_bits_of_one).first_unsatisfied_row());
}

TEST_CASE("a 64-bit value becomes one public input") {
  const auto describe = [](CircuitBuilder& builder) { pack_public(builder, alloc_u64(builder, 22)); };
  check({64, 65, 2, "0e7238471f4402dc32ca8354d8439889c3433f14c5130cce08f4f3a2a2b00e70"}, describe);
  CHECK(evaluate(describe).publics()[1] == Fr::from_u64(22));
}

TEST_CASE("Poseidon of 2, 4, 8 and 11 numbers") {
  const std::map<std::size_t, Expected> expected{
      {2, {313, 311, 1, "658f013f99360e164ad8e7f96290944601cc064f93c153d9ea7ac1275927175f"}},
      {4, {381, 377, 1, "2360602a7c4555d454b46891236273f4ae308090bc916fdcef1fb81d00ebbe70"}},
      {8, {513, 505, 1, "ab50aeda63344f7125999ef5c4af7777380b9015ec82ad48bac2213e9353b163"}},
      {11, {609, 598, 1, "e94a28106cbb9a718e525f0f2593ce3b138350047854ebcc3c83472ed482a6f6"}}};
  for (const auto& [arity, values] : expected) {
    const auto describe = [count = arity](CircuitBuilder& builder) { poseidon(builder, numbers(builder, count)); };
    check(values, describe);
    CHECK_FALSE(evaluate(describe).first_unsatisfied_row());
  }
  CHECK(census_of([](CircuitBuilder& builder) { poseidon(builder, numbers(builder, 16)); }).sizes().n_constraints ==
        761);
}

TEST_CASE("the gadget's hash is the hash without a circuit, value by value") {
  for (const unsigned arity : {2u, 4u, 8u, 11u, 16u}) {
    const auto witness = evaluate([&](CircuitBuilder& builder) { poseidon(builder, numbers(builder, arity)); });
    std::vector<Fr> inputs(witness.privates().begin(), witness.privates().begin() + arity), kept;
    poseidon_hash(poseidon_constants(arity), inputs, [&](const Fr& value) { kept.push_back(value); });
    const auto variables = witness.privates().subspan(arity);
    CHECK(std::ranges::equal(kept, variables));
  }
}

TEST_CASE("SHA-256 of 512 bits, which are the digest of those bits") {
  const auto describe = [](CircuitBuilder& builder) {
    std::vector<Bit> message;
    for (std::size_t i = 0; i < 512; ++i) message.push_back(alloc_bit(builder, i % 2 == 1));
    pack(builder, reverse_in_bytes(sha256(builder, message)));
  };
  const auto without_pack = [](CircuitBuilder& builder) {
    std::vector<Bit> message;
    for (std::size_t i = 0; i < 512; ++i) message.push_back(alloc_bit(builder, i % 2 == 1));
    sha256(builder, message);
  };
  check({45'340, 45'386, 1, "39b920088193af138e8d3494179b1d9a20442bb23e28e65028b068c6a9e48771"}, without_pack);
  const auto witness = evaluate(describe);
  CHECK_FALSE(witness.first_unsatisfied_row());
  auto digest = groth16d::sha256(std::string(64, '\x55'));
  digest[31] &= 0x3f;
  CHECK(witness.privates().back().to_uint() == Scalar::from_le_bytes(std::as_bytes(std::span(digest))));
}

TEST_CASE("SHA-256 of constants costs nothing") {
  const auto census =
      census_of([](CircuitBuilder& builder) { sha256(builder, std::vector<Bit>(640, Bit::constant(true))); });
  CHECK(census.sizes().n_constraints == 0);
  CHECK(census.sizes().n_private() == 0);
}

TEST_CASE("SHA-256 of two numbers") {
  const auto describe = [](CircuitBuilder& builder) {
    const auto pair = numbers(builder, 2);
    sha256_pair(builder, pair[0], pair[1]);
  };
  check({45'333, 45'379, 1, "17fd4b5ddd5b8fe8759308f1b1b019e3a9e00d179d227b5e64580e48a233b91e"}, describe);
  CHECK_FALSE(evaluate(describe).first_unsatisfied_row());
}

TEST_CASE("insertion among 1, 3 and 7 siblings") {
  const auto describe = [](std::size_t arity, std::uint64_t index) {
    return [=](CircuitBuilder& builder) {
      const auto all = numbers(builder, arity);
      const auto index_bits = bits(builder, bits_of_level(static_cast<unsigned>(arity)), index);
      const auto children = insert(builder, all[0], index_bits, std::span(all).subspan(1));
      auto expected = std::vector<Number>(all.begin() + 1, all.end());
      expected.insert(expected.begin() + static_cast<std::ptrdiff_t>(index), all[0]);
      REQUIRE(children.size() == arity);
      for (std::size_t i = 0; i < arity; ++i) CHECK(children[i].value == expected[i].value);
    };
  };
  check({5, 3, 1, "689a1f94d5942cbaf0724fb73159bcfa4126c1a34bfff9150d1198cbf2f801bd"}, describe(2, 1));
  check({14, 10, 1, "a52b98e300a673fb226a77ec8494450a25c4d8aad34fe5b8ddce7511eb48c996"}, describe(4, 2));
  check({33, 25, 1, "5c118dc22a1056883524d84d359583239f4aacd0560ded4acd9f79be545bb310"}, describe(8, 5));
  for (const std::size_t arity : {2u, 4u, 8u}) {
    for (std::uint64_t index = 0; index < arity; ++index) {
      CHECK_FALSE(evaluate(describe(arity, index)).first_unsatisfied_row());
    }
  }
}

TEST_CASE("inclusion in trees of both hashes") {
  const auto describe = [](TreeHash hash, TreeShape shape) {
    return [=](CircuitBuilder& builder) {
      const auto leaf_and_root = numbers(builder, 2);
      const MerklePath path{3, std::vector<Scalar>(sibling_count(shape), Scalar{})};
      prove_inclusion(builder, hash, shape, path, leaf_and_root[0], leaf_and_root[1]);
    };
  };
  check({1'076, 1'062, 2, "6f0a4cd86c7bd675d36b73f71078a6633ba566b7d9f819834a91676ad3b88f9f"},
        describe(TreeHash::poseidon, {8, 8}));
  check({1'391, 1'376, 2, "87fe63767f86bfba8396dae739640839f63840a3a2ce56f8d37c48fbd091274c"},
        describe(TreeHash::poseidon, {8, 8, 2}));
  check({90'672, 90'766, 2, "7c53e9f105dbd44a55e60839f117cb48ea5e15bdfdd3d04b53d4649bc81287a1"},
        describe(TreeHash::sha256, {2, 2}));
  const auto rows = [&](TreeShape shape) {
    return census_of(describe(TreeHash::poseidon, shape)).sizes().n_constraints;
  };
  CHECK(rows({2, 2, 2, 2, 2, 2}) == 1'886);
  CHECK(rows({4, 4, 4}) == 1'163);
  CHECK(rows({8, 8}) == 1'062);
  CHECK(rows({8, 8, 8}) == 1'592);
  CHECK(rows({8, 8, 4, 2}) == 1'763);
}

TEST_CASE("inclusion holds for the path of the leaf and for no other root") {
  const TreeShape shape{8, 4, 2};
  const auto witness = [&](std::uint64_t index, std::uint64_t error) {
    Fr node = Fr::from_u64(5);
    MerklePath path{index, {}};
    std::uint64_t rest = index;
    for (const unsigned arity : shape) {
      std::vector<Fr> children;
      for (unsigned i = 0; i < arity; ++i) {
        const Fr sibling = Fr::from_u64(100 * arity + i);
        children.push_back(i == rest % arity ? node : sibling);
        if (i != rest % arity) path.siblings.push_back(sibling.to_uint());
      }
      rest /= arity;
      node = poseidon_hash(poseidon_constants(arity), children);
    }
    return evaluate([&](CircuitBuilder& builder) {
      const Number leaf = alloc_number(builder, Fr::from_u64(5));
      const Number root = alloc_number(builder, node + Fr::from_u64(error));
      prove_inclusion(builder, TreeHash::poseidon, shape, path, leaf, root);
    });
  };
  for (const std::uint64_t index : {0u, 7u, 37u, 63u}) {
    CHECK_FALSE(witness(index, 0).first_unsatisfied_row());
    CHECK(witness(index, 0).publics()[1] == Fr::from_u64(index));
  }
  CHECK(witness(37, 1).first_unsatisfied_row().has_value());
}

TEST_CASE("the label of a node in layers 1, 2 and 11") {
  const auto describe = [](std::uint32_t layer) {
    return [=](CircuitBuilder& builder) {
      const auto all = numbers(builder, layer == 1 ? 1 + kBaseParents : 1 + kParents);
      const auto replica_id = to_message_bits(builder, all[0]);
      std::vector<std::vector<Bit>> parents;
      for (std::size_t i = 1; i < all.size(); ++i) parents.push_back(to_message_bits(builder, all[i]));
      const auto node = alloc_u64(builder, 22);
      label(builder, replica_id, parents, layer, node);
    };
  };
  check({523'605, 524'125, 1, "ba45a2cf377d303953d1c9e52594385c59ea2576c4ad1a0120d118d29def136f"}, describe(1));
  check({525'653, 526'173, 1, "930a17d8df98478cacc09621f911b06120c7e8d42a11e8d9aee113b34d2f24bb"}, describe(2));
  check({525'653, 526'173, 1, "dd73061db71c12b5a7284c9617d112ba39d0b52cd965b314cdcf6c0dc1db71ce"}, describe(11));
}

}  // namespace
}  // namespace groth16::circuits
