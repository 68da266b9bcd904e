// The graph, the challenges and the public inputs of a replication proof, from what a verifier knows.
#include <catch2/catch.hpp>

#include "groth16/circuits/challenge_draw.hpp"
#include "groth16/circuits/porep_statement.hpp"
#include "groth16/circuits/stacked_graph.hpp"

namespace groth16::circuits {
namespace {

Bytes32 bytes_of_hex(const std::string& hex) {
  const std::string bytes = groth16d::from_hex(hex).value();
  Bytes32 out;
  REQUIRE(bytes.size() == out.size());
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return out;
}

Bytes32 number(std::uint8_t value) {
  Bytes32 out{};
  out[0] = value;
  return out;
}

struct ParentVector {
  std::uint64_t nodes;
  std::uint8_t id;
  std::uint64_t node;
  std::array<std::uint64_t, 6> base;
  std::array<std::uint64_t, 8> expander;
};

TEST_CASE("the parents of single nodes in every size, of both graph versions") {
  const std::vector<ParentVector> vectors{
      {1ull << 6, 5, 63, {62, 15, 42, 62, 61, 62}, {0, 15, 30, 30, 28, 42, 49, 38}},
      {1ull << 18,
       6,
       262143,
       {262142, 261448, 258913, 259680, 262142, 262052},
       {100239, 54991, 48539, 248508, 238575, 67348, 217823, 35156}},
      {1ull << 24,
       7,
       16777215,
       {16777214, 16760915, 16777214, 16776876, 16777210, 16418453},
       {5690592, 9553337, 16007622, 6808061, 1671444, 4870269, 8656997, 3275082}},
      {1ull << 30,
       8,
       1073741823,
       {1073741822, 1073258530, 440642413, 663190843, 1073741654, 1073741786},
       {307718517, 715446084, 558280128, 265147410, 110937796, 626719228, 201839602, 653041812}},
      {1ull << 30,
       8,
       536870917,
       {536870916, 462211164, 536572484, 536869345, 536870896, 536870915},
       {369344302, 993717078, 480050986, 663112830, 64277183, 9877368, 574751717, 353425801}},
      {1ull << 31,
       9,
       2147483647,
       {2147483646, 2147483645, 2147473607, 2147483646, 2147483609, 1322413322},
       {319537050, 259923117, 180788485, 1838730986, 786079656, 319786570, 1561782586, 1183784015}},
      {1ull << 6, 0, 63, {62, 61, 56, 62, 37, 62}, {49, 37, 35, 41, 52, 50, 54, 5}},
      {1ull << 30,
       3,
       1073741823,
       {1073717791, 1073729651, 356271464, 1073741667, 1073518238, 1073741822},
       {195269793, 55928625, 117716005, 370196974, 457529501, 256849605, 282938428, 400621728}}};
  for (const ParentVector& vector : vectors) {
    const GraphVersion version = vector.id < 5 ? GraphVersion::legacy : GraphVersion::fixed;
    const StackedGraph graph(vector.nodes, number(vector.id), version);
    CHECK(graph.base_parents(vector.node) == vector.base);
    CHECK(graph.expander_parents(vector.node) == vector.expander);
  }
}

std::string digest_of_graph(std::uint64_t nodes, std::uint8_t id) {
  const StackedGraph graph(nodes, number(id), id < 5 ? GraphVersion::legacy : GraphVersion::fixed);
  groth16d::Sha256 hash;
  const auto put = [&](const auto& parents) {
    for (const std::uint64_t parent : parents) {
      const auto value = static_cast<std::uint32_t>(parent);
      hash.update(std::as_bytes(std::span(&value, 1)));
    }
  };
  for (std::uint64_t node = 0; node < nodes; ++node) {
    put(graph.base_parents(node));
    put(graph.expander_parents(node));
  }
  return groth16d::to_hex(hash.finish());
}

TEST_CASE("the whole graphs of 2 KiB and 8 MiB have their published digests") {
  CHECK(digest_of_graph(1 << 6, 0) == "3da49221e2ed55371b86d0bf3d6526fcf128af61bed904f966428db1b531750d");
  CHECK(digest_of_graph(1 << 6, 5) == "840057702eea7652cf97e04306c30fe57174714d90de156a25eddd6075c25b97");
  CHECK(digest_of_graph(1 << 18, 6) == "03cd13565ded97c240a5f52e54295ad127bd0461b57904cb3a4d79b097bbecab");
}

TEST_CASE("synthetic challenges are drawn and selected as upstream does") {
  const Bytes32 replica = number(55), comm_r = number(101);
  CHECK(synthetic_challenges(replica, comm_r, 1 << 10, 21) ==
        std::vector<std::uint64_t>{178, 297, 869, 211, 875, 477, 94,  781, 124, 332, 856,
                                   801, 176, 692, 429, 691, 290, 204, 986, 210, 973});
  Bytes32 seed;
  seed.fill(1);
  const auto set = synthetic_challenges(replica, comm_r, 1 << 10, 21);
  std::vector<std::uint64_t> selected;
  for (const std::uint64_t place : synthetic_selection(replica, seed, 21, {0, 10})) selected.push_back(set[place]);
  CHECK(selected == std::vector<std::uint64_t>{176, 781, 801, 986, 290, 211, 692, 856, 986, 332});
  CHECK(synthetic_selection(replica, seed, 21, {4, 3})[0] == synthetic_selection(replica, seed, 21, {0, 10})[4]);
}

TEST_CASE("the statement of the sealed 2 KiB sector gives its 39 public inputs") {
  PorepStatement statement;
  statement.proof = registered_proof_of_name("StackedDrg2KiBV1_1").value();
  statement.comm_d = bytes_of_hex("7bcf5186bbd489c0ca9dfeb5e6cb1be0f83273539cfcbcaa46896851f55cc700");
  statement.comm_r = bytes_of_hex("a1c256ace0b2df0033eddf83945e5f25ddeb987eb323538fef75219be4210745");
  statement.seed = bytes_of_hex("0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2a");
  const auto ticket = bytes_of_hex("01080f161d242b323940474e555c636a71787f868d949ba2a9b0b7bec5ccd311");
  statement.replica_id = replica_id(prover_id_of_actor(1000), 1, ticket, statement.comm_d, statement.proof.porep_id);
  CHECK(groth16d::to_hex(statement.replica_id) == "75717789502c2fe28c55201a1c49b9099f96785bfbee1811f29226ebc47e6617");
  CHECK(check_statement(statement).has_value());
  CHECK(challenges(statement, 0) == std::vector<std::uint64_t>{29, 58});
  const auto inputs = public_inputs(statement, 0);
  std::vector<std::uint64_t> nodes;
  for (std::size_t i = 3; i < inputs.size(); ++i) nodes.push_back(inputs[i].limb[0]);
  CHECK(nodes == std::vector<std::uint64_t>{29, 28, 27, 7,  28, 27, 28, 24, 53, 37, 21, 48, 40, 53, 2,  29, 29, 29,
                                            58, 57, 45, 11, 54, 56, 57, 51, 52, 38, 18, 33, 8,  54, 40, 58, 58, 58});
  CHECK(inputs.size() == statement.proof.sector.system_sizes().n_public);
}

TEST_CASE("a sealed sector of the legacy graph has other challenges") {
  PorepStatement statement;
  statement.proof = registered_proof_of_name("StackedDrg2KiBV1").value();
  statement.comm_d = bytes_of_hex("7bcf5186bbd489c0ca9dfeb5e6cb1be0f83273539cfcbcaa46896851f55cc700");
  statement.seed = bytes_of_hex("0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2a");
  const auto ticket = bytes_of_hex("01080f161d242b323940474e555c636a71787f868d949ba2a9b0b7bec5ccd311");
  statement.replica_id = replica_id(prover_id_of_actor(1000), 2, ticket, statement.comm_d, statement.proof.porep_id);
  CHECK(groth16d::to_hex(statement.replica_id) == "83d3ef96812e85b6b09609a57c123b73d80a47b6930a54b5942dd3e97828b53c");
  CHECK(challenges(statement, 0) == std::vector<std::uint64_t>{7, 30});
}

TEST_CASE("every registered proof has its partitions, and an unknown name is refused") {
  const auto partitions = [](const char* name) { return registered_proof_of_name(name)->partitions(); };
  CHECK(partitions("StackedDrg2KiBV1") == 1);
  CHECK(partitions("StackedDrg512MiBV1_1_Feat_SyntheticPoRep") == 1);
  CHECK(partitions("StackedDrg8MiBV1_2_Feat_NonInteractivePoRep") == 13);
  CHECK(partitions("StackedDrg32GiBV1_1") == 10);
  CHECK(partitions("StackedDrg64GiBV1_2_Feat_NonInteractivePoRep") == 126);
  CHECK(registered_proof_of_name("StackedDrg64GiBV1_2_Feat_NonInteractivePoRep")->porep_id == number(19));
  CHECK(registered_proof_of_name("StackedDrg4KiBV1").error().name == "registered_proof.name");
  CHECK(size_class_name(registered_proof_of_name("StackedDrg32GiBV1_1")->sector) == "StackedDrg32GiBV1");
}

TEST_CASE("a statement with an empty commitment, or one that is no field element, is refused") {
  PorepStatement statement;
  statement.proof = registered_proof_of_name("StackedDrg2KiBV1_1").value();
  statement.comm_d = statement.comm_r = statement.seed = number(1);
  CHECK(check_statement(statement).has_value());
  statement.seed = {};
  CHECK(check_statement(statement).error().name == "statement.zero");
  statement.seed.fill(0xff);
  CHECK(check_statement(statement).has_value());
  statement.comm_r.fill(0xff);
  CHECK(check_statement(statement).error().name == "statement.not_canonical");
}

}  // namespace
}  // namespace groth16::circuits
