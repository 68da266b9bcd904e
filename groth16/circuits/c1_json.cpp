// The JSON forms of C1. What the circuit does not use is checked for its form and dropped.
#include <algorithm>
#include <array>
#include <string>

#include "groth16/circuits/base64.hpp"
#include "groth16/circuits/c1.hpp"
#include "groth16/circuits/json_cursor.hpp"
#include "groth16/circuits/label.hpp"
#include "groth16/circuits/vanilla_proof.hpp"

namespace groth16::circuits {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

constexpr std::uint64_t kLargestU32 = 0xffffffff;
constexpr std::uint64_t kLargestU64 = ~std::uint64_t{0};

// The digits and siblings of some levels of a path.
struct PathPart {
  std::uint64_t index = 0;
  unsigned bits = 0;
  std::vector<Scalar> siblings;
};

class JsonVanillaReader {
 public:
  JsonVanillaReader(JsonCursor& cursor, const SectorShape& shape)
      : cursor_(cursor), shape_(shape), data_tree_(shape.data_tree()), replica_tree_(shape.replica_tree()) {}

  VanillaProof read() {
    VanillaProof proof;
    cursor_.object<5>(
        {"comm_d_proofs", "comm_r_last_proof", "replica_column_proofs", "labeling_proofs", "encoding_proof"},
        [&](std::size_t field) {
          if (field == 0) proof.data = data_proof();
          if (field == 1) proof.replica = replica_proof();
          if (field == 2) column_proofs(proof);
          if (field == 3) proof.node = labeling_proofs();
          if (field == 4) labeling_proof();
        });
    return proof;
  }

 private:
  void column_proofs(VanillaProof& proof) {
    cursor_.object<3>({"c_x", "drg_parents", "exp_parents"}, [&](std::size_t field) {
      if (field == 0) proof.own = column_proof();
      if (field == 1) {
        cursor_.array(kBaseParents, [&](std::size_t i) { proof.base_parents[i] = column_proof(); });
      }
      if (field == 2) {
        cursor_.array(kExpanderParents, [&](std::size_t i) { proof.expander_parents[i] = column_proof(); });
      }
    });
  }

  ColumnProof column_proof() {
    ColumnProof proof;
    cursor_.object<2>({"column", "inclusion_proof"}, [&](std::size_t field) {
      if (field == 1) {
        proof.inclusion = replica_proof();
        return;
      }
      cursor_.object<2>({"index", "rows"}, [&](std::size_t column_field) {
        if (column_field == 0) {
          cursor_.number(kLargestU32);
        } else {
          cursor_.array(shape_.layers, [&](std::size_t) { proof.rows.push_back(cursor_.scalar()); });
        }
      });
    });
    return proof;
  }

  // The challenge, which is the node of the first.
  std::uint64_t labeling_proofs() {
    std::uint64_t node = 0;
    cursor_.array(shape_.layers, [&](std::size_t i) {
      const std::uint64_t labelled = labeling_proof();
      if (i == 0) node = labelled;
    });
    return node;
  }

  std::uint64_t labeling_proof() {
    std::uint64_t node = 0;
    cursor_.object<3>({"parents", "layer_index", "node"}, [&](std::size_t field) {
      if (field == 0) cursor_.array(kLabelParents, [&](std::size_t) { cursor_.scalar(); });
      if (field == 1) cursor_.number(kLargestU32);
      if (field == 2) node = cursor_.number(kLargestU64);
    });
    return node;
  }

  TreeProof data_proof() { return tree_proof(PathVariant::single, data_tree_); }
  TreeProof replica_proof() { return tree_proof(path_variant(shape_), replica_tree_); }

  TreeProof tree_proof(PathVariant variant, std::span<const unsigned> tree) {
    TreeProof proof;
    cursor_.object<1>({"data"}, [&](std::size_t) {
      cursor_.variant([&](std::string_view name) {
        constexpr std::array<std::string_view, 3> kNames{"Single", "Sub", "Top"};
        if (name != kNames[static_cast<std::size_t>(variant)]) {
          cursor_.fail("variant", "a path through other trees than those of this sector");
        } else if (variant == PathVariant::single) {
          single(proof, tree);
        } else if (variant == PathVariant::sub) {
          sub(proof, tree);
        } else {
          top(proof, tree);
        }
      });
    });
    return proof;
  }

  void single(TreeProof& proof, std::span<const unsigned> tree) {
    PathPart base;
    cursor_.object<3>({"root", "leaf", "path"}, [&](std::size_t field) {
      if (field == 0) proof.root = cursor_.scalar();
      if (field == 1) proof.leaf = cursor_.scalar();
      if (field == 2) base = path_part(tree);
    });
    append(proof.path, base, 0);
  }

  void sub(TreeProof& proof, std::span<const unsigned> tree) {
    PathPart base, above;
    cursor_.object<4>({"root", "leaf", "base_proof", "sub_proof"}, [&](std::size_t field) {
      if (field == 0) proof.root = cursor_.scalar();
      if (field == 1) proof.leaf = cursor_.scalar();
      if (field == 2) base = path_part(tree.first(tree.size() - 1));
      if (field == 3) above = path_part(tree.last(1));
    });
    append(proof.path, base, 0);
    append(proof.path, above, base.bits);
  }

  void top(TreeProof& proof, std::span<const unsigned> tree) {
    PathPart base, above, highest;
    cursor_.object<5>({"root", "leaf", "base_proof", "sub_proof", "top_proof"}, [&](std::size_t field) {
      if (field == 0) proof.root = cursor_.scalar();
      if (field == 1) proof.leaf = cursor_.scalar();
      if (field == 2) base = path_part(tree.first(tree.size() - 2));
      if (field == 3) above = path_part(tree.subspan(tree.size() - 2, 1));
      if (field == 4) highest = path_part(tree.last(1));
    });
    append(proof.path, base, 0);
    append(proof.path, above, base.bits);
    append(proof.path, highest, base.bits + above.bits);
  }

  // {"path": [one element a level]}
  PathPart path_part(std::span<const unsigned> levels) {
    PathPart part;
    cursor_.object<1>({"path"}, [&](std::size_t) {
      cursor_.array(levels.size(), [&](std::size_t level) { path_element(levels[level], part); });
    });
    return part;
  }

  void path_element(unsigned arity, PathPart& part) {
    cursor_.object<2>({"hashes", "index"}, [&](std::size_t field) {
      if (field == 0) cursor_.array(arity - 1, [&](std::size_t) { part.siblings.push_back(cursor_.scalar()); });
      if (field == 1) {
        const std::uint64_t index = cursor_.number(kLargestU64);
        if (index >= arity) cursor_.fail("index", "place " + std::to_string(index) + " among " + std::to_string(arity));
        part.index |= index << part.bits;
      }
    });
    part.bits += bits_of_level(arity);
  }

  static void append(MerklePath& path, const PathPart& part, unsigned first_bit) {
    path.leaf_index |= part.index << first_bit;
    path.siblings.insert(path.siblings.end(), part.siblings.begin(), part.siblings.end());
  }

  JsonCursor& cursor_;
  const SectorShape& shape_;
  TreeShape data_tree_, replica_tree_;
};

using Partitions = std::vector<VanillaPartition>;

// {"StackedDrg32GiBV1": [partitions of challenges of proofs]}: the size class alone decides the shape.
Partitions read_partitions(JsonCursor& cursor, SectorShape& shape) {
  Partitions partitions;
  cursor.variant([&](std::string_view name) {
    const auto known = registered_proof_of_name(name);
    if (!known || size_class_name(known->sector) != name) {
      return cursor.fail("variant", "vanilla proofs of no known size of sector");
    }
    shape = known->sector;
    JsonVanillaReader reader(cursor, shape);
    cursor.array([&](std::size_t) {
      partitions.emplace_back();
      cursor.array(shape.challenges, [&](std::size_t) { partitions.back().push_back(reader.read()); });
    });
  });
  return partitions;
}

Result<C1> read_inner(std::string_view file, JsonCursor& cursor) {
  std::string name;
  SectorShape shape;
  Partitions partitions;
  PorepStatement statement;
  Bytes32 ticket{};
  cursor.object<7>({"registered_proof", "vanilla_proofs", "comm_r", "comm_d", "replica_id", "seed", "ticket"},
                   [&](std::size_t field) {
                     if (field == 0) name = cursor.string();  // a view would not outlast the next read
                     if (field == 1) partitions = read_partitions(cursor, shape);
                     if (field == 2) statement.comm_r = cursor.bytes32();
                     if (field == 3) statement.comm_d = cursor.bytes32();
                     if (field == 4) statement.replica_id = cursor.bytes32();
                     if (field == 5) statement.seed = cursor.bytes32();
                     if (field == 6) ticket = cursor.bytes32();
                   });
  if (const auto finished = cursor.finish(); !finished) return tl::unexpected(finished.error());

  const auto proof = registered_proof_of_name(name);
  if (!proof) return tl::unexpected(proof.error());
  if (proof->sector.nodes != shape.nodes) {
    return failure(ErrorCode::malformed, "c1.variant",
                   std::string(file) + ": " + name + " with vanilla proofs of " + size_class_name(shape));
  }
  statement.proof = *proof;
  return assemble_c1(file, statement, ticket, std::move(partitions));
}

// What a base64 text holds, decoded a piece at a time: all of it at once would be 40 MB of fresh pages.
class DecodedPieces final : public TextPieces {
 public:
  explicit DecodedPieces(std::string_view text) : reader_(text) {}

  std::string_view more(std::string_view rest) override {
    std::vector<char> next(rest.size() + std::max(kPieceBytes, rest.size()));
    std::copy(rest.begin(), rest.end(), next.begin());
    const std::size_t count = reader_.read(std::as_writable_bytes(std::span(next).subspan(rest.size())));
    piece_ = std::move(next);
    return {piece_.data(), rest.size() + count};
  }
  bool is_bad() const { return reader_.is_bad(); }

 private:
  static constexpr std::size_t kPieceBytes = 3 << 15;

  Base64Reader reader_;
  std::vector<char> piece_;
};

Result<C1> read_wrapper(std::string_view file, std::string_view text) {
  JsonCursor cursor("c1", file, text);
  std::uint64_t sector_number = 0, sector_bytes = 0;
  std::string_view inner;
  cursor.object<3>({"SectorNum", "Phase1Out", "SectorSize"}, [&](std::size_t field) {
    if (field == 0) sector_number = cursor.number(kLargestU64);
    if (field == 1) inner = cursor.string();
    if (field == 2) sector_bytes = cursor.number(kLargestU64);
  });
  if (const auto finished = cursor.finish(); !finished) return tl::unexpected(finished.error());
  DecodedPieces pieces(inner);
  JsonCursor inner_cursor("c1", file, pieces);
  auto c1 = read_inner(file, inner_cursor);
  if (pieces.is_bad()) {
    return failure(ErrorCode::malformed, "c1.base64", std::string(file) + ": Phase1Out is no base64 text");
  }
  if (!c1) return c1;
  if (c1->statement.proof.sector.sector_bytes() != sector_bytes) {
    return failure(ErrorCode::malformed, "c1.sector_size",
                   std::string(file) + ": SectorSize " + std::to_string(sector_bytes) + ", its contents are of " +
                       std::to_string(c1->statement.proof.sector.sector_bytes()) + " bytes");
  }
  c1->sector_number = sector_number;
  return c1;
}

// Whether the outermost object has the key of the wrapper: the first key of either form tells.
bool is_wrapper(std::string_view text) {
  const std::size_t first = text.find('"');
  if (first == std::string_view::npos) return false;
  const std::string_view key = text.substr(first + 1, text.find('"', first + 1) - first - 1);
  return key == "SectorNum" || key == "Phase1Out" || key == "SectorSize";
}

}  // namespace

Result<C1> read_c1_json(std::string_view file, std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (is_wrapper(text)) return read_wrapper(file, text);
  JsonCursor cursor("c1", file, text);
  return read_inner(file, cursor);
}

}  // namespace groth16::circuits
