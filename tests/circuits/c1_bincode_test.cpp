// The binary form of the first commit phase's output gives what the JSON form gives, and is refused when it is damaged.
#include <catch2/catch.hpp>
#include <fstream>

#include "groth16/circuits/c1.hpp"
#include "groth16/circuits/label.hpp"

namespace groth16::circuits {
namespace {

// Writes bincode from what a reader keeps; what it drops is written as zeros.
class BinaryWriter {
 public:
  explicit BinaryWriter(const C1& c1) : shape_(c1.statement.proof.sector) {
    u64(c1.partitions.size());
    for (const PartitionInput& partition : c1.partitions) {
      u64(partition.challenges.size());
      for (const ChallengeInput& challenge : partition.challenges) put(partition, challenge);
    }
    for (const Bytes32* digest :
         {&c1.statement.comm_r, &c1.statement.comm_d, &c1.statement.replica_id, &c1.statement.seed, &c1.ticket}) {
      bytes_.insert(bytes_.end(), std::as_bytes(std::span(*digest)).begin(), std::as_bytes(std::span(*digest)).end());
    }
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  void integer(std::uint64_t value, unsigned n_bytes) {
    for (unsigned i = 0; i < n_bytes; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
  void u64(std::uint64_t value) { integer(value, 8); }
  void u32(std::uint64_t value) { integer(value, 4); }
  void scalar(const Scalar& value) {
    for (const std::uint64_t limb : value.limb) u64(limb);
  }

  void put(const PartitionInput& partition, const ChallengeInput& challenge) {
    tree_proof(shape_.data_tree(), 0, partition.comm_d, challenge.data_leaf, challenge.data_path);
    tree_proof(shape_.replica_tree(), variant(), partition.comm_r_last, Scalar{}, challenge.replica_path);
    column(std::vector<Scalar>(shape_.layers, Scalar{}), partition.comm_c, challenge.column_path);
    for (std::size_t i = 0; i < kParents; ++i) {
      if (i == 0) u64(kBaseParents);
      if (i == kBaseParents) u64(kExpanderParents);
      column(challenge.parents[i].column, partition.comm_c, challenge.parents[i].path);
    }
    u64(shape_.layers);
    for (std::uint32_t layer = 1; layer <= shape_.layers; ++layer) labeling(layer, challenge.node);
    labeling(shape_.layers, challenge.node);
  }

  unsigned variant() const { return shape_.arities.top != 0 ? 2 : shape_.arities.sub != 0 ? 1 : 0; }

  void column(const std::vector<Scalar>& rows, const Scalar& root, const MerklePath& path) {
    u32(path.leaf_index);
    u64(rows.size());
    for (const Scalar& row : rows) scalar(row);
    tree_proof(shape_.replica_tree(), variant(), root, Scalar{}, path);
  }

  void tree_proof(const TreeShape& tree, unsigned kind, const Scalar& root, const Scalar& leaf,
                  const MerklePath& path) {
    u32(kind);
    if (kind == 0) scalar(root), scalar(leaf);
    std::size_t level = 0;
    std::uint64_t rest = path.leaf_index;
    auto sibling = path.siblings.begin();
    for (unsigned part = 0; part <= kind; ++part) {
      const std::size_t levels = part == 0 ? tree.size() - kind : 1;
      u64(levels);
      for (std::size_t i = 0; i < levels; ++i, ++level) {
        u64(tree[level] - 1);
        for (unsigned s = 1; s < tree[level]; ++s) scalar(*sibling++);
        u64(rest % tree[level]);
        rest /= tree[level];
      }
    }
    if (kind != 0) scalar(root), scalar(leaf);
  }

  void labeling(std::uint32_t layer, std::uint64_t node) {
    u64(kLabelParents);
    for (std::size_t i = 0; i < kLabelParents; ++i) scalar(Scalar{});
    u32(layer);
    u64(node);
  }

  SectorShape shape_;
  std::vector<std::byte> bytes_;
};

C1 sealed() {
  std::ifstream file("tests/circuits/data/c1_2kib_v1_1.json", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return read_c1_json("c1", std::as_bytes(std::span(text))).value();
}

// An input of a large sector, its challenges numbered, for what the shape of paths changes.
C1 numbered(const char* name) {
  C1 c1;
  c1.statement.proof = registered_proof_of_name(name).value();
  c1.statement.comm_d[0] = c1.statement.comm_r[0] = c1.statement.seed[0] = 1;
  const SectorShape& shape = c1.statement.proof.sector;
  for (std::uint32_t k = 0; k < c1.statement.proof.partitions(); ++k) {
    PartitionInput partition = blank_input(shape);
    partition.comm_d = partition.comm_r = Scalar::from_u64(1);
    std::uint64_t next = 1;
    for (ChallengeInput& challenge : partition.challenges) {
      challenge.node = challenge.column_path.leaf_index = shape.nodes - next++;
      for (Scalar& sibling : challenge.column_path.siblings) sibling = Scalar::from_u64(next++);
    }
    c1.partitions.push_back(partition);
  }
  return c1;
}

// One whose proofs are of the nodes that its statement asks for, and of nothing besides.
C1 asked_for(const std::string& name) {
  C1 c1 = numbered(name.c_str());
  for (std::uint32_t k = 0; k < c1.partitions.size(); ++k) {
    const std::vector<Scalar> publics = public_inputs(c1.statement, k);
    std::size_t next = 3;  // behind replica_id, comm_d and comm_r
    const auto node = [&] { return publics[next++].limb[0]; };
    for (ChallengeInput& challenge : c1.partitions[k].challenges) {
      challenge.data_path.leaf_index = node();
      for (ParentInput& parent : challenge.parents) parent.path.leaf_index = node();
      challenge.node = node();
      challenge.replica_path.leaf_index = node();
      challenge.column_path.leaf_index = node();
    }
  }
  return c1;
}

bool same_path(const MerklePath& a, const MerklePath& b) {
  return a.leaf_index == b.leaf_index && a.siblings == b.siblings;
}

void check_same(const C1& a, const C1& b) {
  CHECK(a.statement.replica_id == b.statement.replica_id);
  CHECK(a.statement.seed == b.statement.seed);
  CHECK(a.ticket == b.ticket);
  REQUIRE(a.partitions.size() == b.partitions.size());
  for (std::size_t k = 0; k < a.partitions.size(); ++k) {
    const PartitionInput &p = a.partitions[k], &q = b.partitions[k];
    CHECK(p.comm_c == q.comm_c);
    CHECK(p.comm_r_last == q.comm_r_last);
    REQUIRE(p.challenges.size() == q.challenges.size());
    for (std::size_t i = 0; i < p.challenges.size(); ++i) {
      CHECK(p.challenges[i].node == q.challenges[i].node);
      CHECK(p.challenges[i].data_leaf == q.challenges[i].data_leaf);
      CHECK(same_path(p.challenges[i].data_path, q.challenges[i].data_path));
      CHECK(same_path(p.challenges[i].replica_path, q.challenges[i].replica_path));
      CHECK(same_path(p.challenges[i].column_path, q.challenges[i].column_path));
      for (std::size_t j = 0; j < kParents; ++j) {
        CHECK(p.challenges[i].parents[j].column == q.challenges[i].parents[j].column);
        CHECK(same_path(p.challenges[i].parents[j].path, q.challenges[i].parents[j].path));
      }
    }
  }
}

TEST_CASE("the binary form gives the sector, statement and partitions of the JSON form") {
  const C1 c1 = sealed();
  const auto bytes = BinaryWriter(c1).bytes();
  const auto read = read_c1_bincode("c1", bytes, c1.statement.proof);
  REQUIRE(read);
  check_same(*read, c1);
}

TEST_CASE("the paths of 32 and 64 GiB are read through their trees") {
  for (const char* name : {"StackedDrg32GiBV1_1", "StackedDrg64GiBV1_1"}) {
    const C1 c1 = numbered(name);
    const auto read = read_c1_bincode("c1", BinaryWriter(c1).bytes(), c1.statement.proof);
    REQUIRE(read);
    check_same(*read, c1);
  }
}

TEST_CASE("of a known sector, a binary file tells its registered proof by the nodes that its proofs are of") {
  for (const std::string suffix : {"V1", "V1_1", "V1_1_Feat_SyntheticPoRep", "V1_2_Feat_NonInteractivePoRep"}) {
    const C1 c1 = asked_for("StackedDrg8MiB" + suffix);
    const auto read = read_c1_bincode("c1", BinaryWriter(c1).bytes(), c1.statement.proof.sector);
    REQUIRE(read);
    CHECK(read->statement.proof.porep_id == c1.statement.proof.porep_id);
    check_same(*read, c1);
  }
  // Of none, it is left to the statement to be found wrong.
  const C1 other = numbered("StackedDrg8MiBV1_1");
  const auto read = read_c1_bincode("c1", BinaryWriter(other).bytes(), other.statement.proof.sector);
  REQUIRE(read);
  CHECK(public_inputs(read->statement, 0) != stacked_public_inputs(read->partitions[0]));

  const auto error_of = [&](std::vector<std::byte> bytes, const char* sector) {
    const auto refused = read_c1_bincode("c1", bytes, sector_of_name(sector).value());
    return refused ? "read" : refused.error().name;
  };
  auto bytes = BinaryWriter(other).bytes();
  CHECK(error_of(bytes, "4KiB") == "c1.count");  // no proof of such sectors is registered
  CHECK(error_of(bytes, "32GiB") == "c1.count");
  CHECK(error_of({bytes.begin(), bytes.begin() + 7}, "8MiB") == "c1.truncated");
  bytes[0] = std::byte{2};
  CHECK(error_of(bytes, "8MiB") == "c1.count");
}

TEST_CASE("a damaged binary file is refused by name") {
  const C1 c1 = sealed();
  const auto good = BinaryWriter(c1).bytes();
  const auto error_of = [&](std::vector<std::byte> bytes) {
    const auto read = read_c1_bincode("c1", bytes, c1.statement.proof);
    return read ? "read" : read.error().name;
  };
  for (std::size_t end = 0; end < good.size(); end += end < 200 ? 1 : 4) {
    REQUIRE(error_of({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(end)}) == "c1.truncated");
  }
  auto changed = good;
  changed.push_back(std::byte{0});
  CHECK(error_of(changed) == "c1.trailing");
  const auto with = [&](std::size_t at, std::uint8_t value) {
    auto bytes = good;
    bytes[at] = std::byte{value};
    return error_of(bytes);
  };
  CHECK(with(0, 2) == "c1.count");     // partitions
  CHECK(with(7, 0x80) == "c1.count");  // 2^63 partitions, and no memory for them
  CHECK(with(8, 3) == "c1.count");     // challenges
  CHECK(with(16, 1) == "c1.variant");  // the data path
  CHECK(with(20 + 31, 0xff) == "c1.not_canonical");
  CHECK(with(20, 0) == "c1.roots");
  CHECK(with(20 + 64, 7) == "c1.count");  // levels
  CHECK(with(20 + 64 + 8 + 8 + 32, 2) == "c1.index");
  // comm_r and comm_d in each other's place.
  auto swapped = good;
  const auto comm_r = swapped.end() - 5 * 32, comm_d = comm_r + 32;
  std::swap_ranges(comm_r, comm_d, comm_d);
  CHECK(error_of(swapped) == "c1.roots");
}

}  // namespace
}  // namespace groth16::circuits
