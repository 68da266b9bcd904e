// The binary form of C1 (bincode 1, default options): integers little-endian, lengths u64, variants u32, digests 32
// bytes.
#include <algorithm>
#include <string>

#include "groth16/circuits/c1.hpp"
#include "groth16/circuits/label.hpp"
#include "groth16/circuits/vanilla_proof.hpp"

namespace groth16::circuits {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

// Reads value after value; the first fault is kept, and from then on every read gives zeros.
class BinaryCursor {
 public:
  BinaryCursor(std::string_view file, std::span<const std::byte> bytes) : file_(file), bytes_(bytes) {}

  bool ok() const { return result_.has_value(); }
  const Result<void>& result() const { return result_; }

  std::uint64_t integer(std::size_t n_bytes) {
    std::uint64_t value = 0;
    const auto field = take(n_bytes);
    for (std::size_t i = 0; i < field.size(); ++i) value |= static_cast<std::uint64_t>(field[i]) << (8 * i);
    return value;
  }
  std::uint64_t u64() { return integer(8); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(integer(4)); }

  // A length that the file must state exactly.
  bool length(std::uint64_t expected) {
    const std::uint64_t found = u64();
    if (ok() && found != expected) {
      fail("count", std::to_string(found) + " items, expected " + std::to_string(expected));
    }
    return ok();
  }

  Bytes32 bytes32() {
    Bytes32 bytes{};
    const auto field = take(bytes.size());
    std::ranges::transform(field, bytes.begin(), [](std::byte b) { return static_cast<std::uint8_t>(b); });
    return bytes;
  }
  Scalar scalar() {
    const Bytes32 bytes = bytes32();
    const Scalar value = Scalar::from_le_bytes(std::as_bytes(std::span(bytes)));
    if (!Fr::is_canonical(value)) fail("not_canonical", "32 bytes that are no number below r");
    return value;
  }

  void expect_end() {
    if (ok() && position_ != bytes_.size()) fail("trailing", "more bytes behind the last field");
  }
  void fail(std::string_view rule, const std::string& text) {
    if (!ok()) return;
    result_ = failure(ErrorCode::malformed, "c1." + std::string(rule),
                      std::string(file_) + ": at byte " + std::to_string(position_) + ": " + text);
  }

 private:
  std::span<const std::byte> take(std::size_t count) {
    if (!ok()) return {};
    if (count > bytes_.size() - position_) {
      fail("truncated", "ends " + std::to_string(count) + " bytes too early");
      return {};
    }
    const auto field = bytes_.subspan(position_, count);
    position_ += count;
    return field;
  }

  std::string_view file_;
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  Result<void> result_;
};

class BincodeVanillaReader {
 public:
  BincodeVanillaReader(BinaryCursor& cursor, const SectorShape& shape)
      : cursor_(cursor), shape_(shape), data_tree_(shape.data_tree()), replica_tree_(shape.replica_tree()) {}

  VanillaProof read() {
    VanillaProof proof;
    proof.data = tree_proof(PathVariant::single, data_tree_);
    proof.replica = tree_proof(path_variant(shape_), replica_tree_);
    proof.own = column_proof();
    if (cursor_.length(kBaseParents)) {
      for (ColumnProof& parent : proof.base_parents) parent = column_proof();
    }
    if (cursor_.length(kExpanderParents)) {
      for (ColumnProof& parent : proof.expander_parents) parent = column_proof();
    }
    if (cursor_.length(shape_.layers)) {
      for (std::uint32_t i = 0; i < shape_.layers; ++i) {
        const std::uint64_t node = labeling_proof();
        if (i == 0) proof.node = node;
      }
    }
    labeling_proof();  // the encoding's
    return proof;
  }

 private:
  ColumnProof column_proof() {
    ColumnProof proof;
    cursor_.u32();  // the column's index, which the path says as well
    if (cursor_.length(shape_.layers)) {
      for (std::uint32_t i = 0; i < shape_.layers; ++i) proof.rows.push_back(cursor_.scalar());
    }
    proof.inclusion = tree_proof(path_variant(shape_), replica_tree_);
    return proof;
  }

  std::uint64_t labeling_proof() {
    if (cursor_.length(kLabelParents)) {
      for (std::size_t i = 0; i < kLabelParents; ++i) cursor_.scalar();
    }
    cursor_.u32();  // the layer
    return cursor_.u64();
  }

  // A single path names root and leaf before it, the others behind.
  TreeProof tree_proof(PathVariant variant, std::span<const unsigned> tree) {
    TreeProof proof;
    if (cursor_.u32() != static_cast<std::uint32_t>(variant)) {
      cursor_.fail("variant", "a path through other trees than those of this sector");
    }
    if (variant == PathVariant::single) root_and_leaf(proof);
    const std::size_t n_above = static_cast<std::size_t>(variant);  // 0, 1 or 2 trees of one level each
    unsigned bits = 0;
    path_part(proof.path, bits, tree.first(tree.size() - n_above));
    for (std::size_t i = n_above; i > 0; --i) path_part(proof.path, bits, tree.subspan(tree.size() - i, 1));
    if (variant != PathVariant::single) root_and_leaf(proof);
    return proof;
  }

  void root_and_leaf(TreeProof& proof) {
    proof.root = cursor_.scalar();
    proof.leaf = cursor_.scalar();
  }

  void path_part(MerklePath& path, unsigned& bits, std::span<const unsigned> levels) {
    if (!cursor_.length(levels.size())) return;
    for (const unsigned arity : levels) {
      if (!cursor_.length(arity - 1)) return;
      for (unsigned i = 1; i < arity; ++i) path.siblings.push_back(cursor_.scalar());
      const std::uint64_t index = cursor_.u64();
      if (index >= arity) cursor_.fail("index", "place " + std::to_string(index) + " among " + std::to_string(arity));
      path.leaf_index |= index << bits;
      bits += bits_of_level(arity);
    }
  }

  BinaryCursor& cursor_;
  const SectorShape& shape_;
  TreeShape data_tree_, replica_tree_;
};

}  // namespace

Result<C1> read_c1_bincode(std::string_view file, std::span<const std::byte> bytes, const RegisteredProof& proof) {
  BinaryCursor cursor(file, bytes);
  BincodeVanillaReader reader(cursor, proof.sector);
  std::vector<VanillaPartition> partitions;
  if (cursor.length(proof.partitions())) {
    for (std::uint32_t k = 0; k < proof.partitions() && cursor.length(proof.sector.challenges); ++k) {
      partitions.emplace_back();
      for (std::uint32_t i = 0; i < proof.sector.challenges && cursor.ok(); ++i) {
        partitions.back().push_back(reader.read());
      }
    }
  }
  PorepStatement statement;
  statement.proof = proof;
  statement.comm_r = cursor.bytes32();
  statement.comm_d = cursor.bytes32();
  statement.replica_id = cursor.bytes32();
  statement.seed = cursor.bytes32();
  const Bytes32 ticket = cursor.bytes32();
  cursor.expect_end();
  if (!cursor.ok()) return tl::unexpected(cursor.result().error());
  return assemble_c1(file, statement, ticket, std::move(partitions));
}

Result<C1> read_c1_bincode(std::string_view file, std::span<const std::byte> bytes, const SectorShape& sector) {
  std::vector<RegisteredProof> proofs = registered_proofs_of(sector);
  BinaryCursor cursor(file, bytes);
  const std::uint64_t n_partitions = cursor.u64();
  std::erase_if(proofs, [&](const RegisteredProof& proof) { return proof.partitions() != n_partitions; });
  if (proofs.empty())
    cursor.fail("count", "no proof of this sector has " + std::to_string(n_partitions) + " partitions");
  if (!cursor.ok()) return tl::unexpected(cursor.result().error());
  auto c1 = read_c1_bincode(file, bytes, proofs.front());
  if (!c1) return c1;
  for (const RegisteredProof& proof : proofs) {
    PorepStatement statement = c1->statement;
    statement.proof = proof;
    if (public_inputs(statement, 0) != stacked_public_inputs(c1->partitions[0])) continue;
    c1->statement = statement;
    break;
  }
  return c1;
}

}  // namespace groth16::circuits
