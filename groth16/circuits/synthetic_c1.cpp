// The C1 of a synthetic sector as JSON: keys in upstream's order, no white space, so that the text is reproducible.
#include <array>
#include <charconv>
#include <utility>

#include "groth16/circuits/node_label.hpp"
#include "groth16/circuits/stacked_graph.hpp"
#include "groth16/circuits/synthetic_sector.hpp"
#include "groth16/circuits/vanilla_proof.hpp"

namespace groth16::circuits {

class SyntheticC1Writer {
 public:
  explicit SyntheticC1Writer(const SyntheticSector& sector)
      : sector_(sector),
        shape_(sector.statement_.proof.sector),
        graph_(shape_.nodes, sector.statement_.proof.porep_id, sector.statement_.proof.graph) {
    for (std::size_t height = 0; height < shape_.data_tree().size(); ++height) {
      zero_nodes_.push_back(zero_data_commitment(height));
    }
  }

  std::string write(std::string_view name) {
    const PorepStatement& statement = sector_.statement_;
    put("{\"registered_proof\":\"", name, "\",\"vanilla_proofs\":{\"", size_class_name(shape_), "\":");
    list(sector_.challenges_,
         [&](const auto& partition) { list(partition, [&](std::uint64_t node) { proof(node); }); });
    put("},\"comm_r\":");
    digest(statement.comm_r);
    put(",\"comm_d\":");
    digest(statement.comm_d);
    put(",\"replica_id\":");
    digest(statement.replica_id);
    put(",\"seed\":");
    digest(statement.seed);
    put(",\"ticket\":");
    digest(sector_.ticket_);
    put("}");
    return std::move(text_);
  }

 private:
  template <class... Parts>
  void put(const Parts&... parts) {
    (text_.append(parts), ...);
  }
  void number(std::uint64_t value) {
    std::array<char, 20> digits;
    text_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
  }
  template <class Items, class Put>
  void list(const Items& items, Put&& put_item) {
    char separator = '[';
    for (const auto& item : items) {
      text_ += std::exchange(separator, ',');
      put_item(item);
    }
    text_ += separator == '[' ? "[]" : "]";
  }
  void digest(const Bytes32& bytes) {
    list(bytes, [&](std::uint8_t byte) { number(byte); });
  }
  void digest(const Scalar& value) {
    Bytes32 bytes;
    value.to_le_bytes(std::as_writable_bytes(std::span(bytes)));
    digest(bytes);
  }
  void digest(const Fr& value) { digest(value.to_uint()); }

  void proof(std::uint64_t node) {
    put("{\"comm_d_proofs\":");
    data_proof(node);
    put(",\"comm_r_last_proof\":");
    tree_proof(sector_.replica_tree_, node);
    put(",\"replica_column_proofs\":{\"c_x\":");
    column_proof(node);
    put(",\"drg_parents\":");
    list(graph_.base_parents(node), [&](std::uint64_t parent) { column_proof(parent); });
    put(",\"exp_parents\":");
    list(graph_.expander_parents(node), [&](std::uint64_t parent) { column_proof(parent); });
    put("},\"labeling_proofs\":[");
    for (std::uint32_t layer = 1; layer <= shape_.layers; ++layer) {
      if (layer > 1) put(",");
      labeling_proof(layer, node);
    }
    put("],\"encoding_proof\":");
    labeling_proof(shape_.layers, node);
    put("}");
  }

  void column_proof(std::uint64_t node) {
    put("{\"column\":{\"index\":");
    number(node);
    put(",\"rows\":");
    list(sector_.columns_.at(node), [&](const Fr& row) { digest(row); });
    put(",\"_h\":null},\"inclusion_proof\":");
    tree_proof(sector_.column_tree_, node);
    put("}");
  }

  void labeling_proof(std::uint32_t layer, std::uint64_t node) {
    std::vector<Fr> parents;
    for (const std::uint64_t parent : graph_.base_parents(node)) {
      parents.push_back(sector_.columns_.at(parent)[layer - 1]);
    }
    for (const std::uint64_t parent : graph_.expander_parents(node)) {
      if (layer > 1) parents.push_back(sector_.columns_.at(parent)[layer - 2]);
    }
    put("{\"parents\":[");
    for (std::size_t place = 0; place < kLabelParents; ++place) {
      if (place > 0) put(",");
      digest(parents[label_parent(layer, place)]);
    }
    put("],\"layer_index\":");
    number(layer);
    put(",\"node\":");
    number(node);
    put("}");
  }

  void data_proof(std::uint64_t node) {
    put("{\"data\":{\"Single\":{\"root\":");
    digest(sector_.statement_.comm_d);
    put(",\"leaf\":");
    digest(Bytes32{});
    put(",\"path\":{\"path\":[");
    for (std::size_t level = 0; level < zero_nodes_.size(); ++level) {
      put(level > 0 ? ",{\"hashes\":[" : "{\"hashes\":[");
      digest(zero_nodes_[level]);
      put("],\"index\":");
      number((node >> level) & 1);
      put("}");
    }
    put("]}}}}");
  }

  void tree_proof(const SparseTree& tree, std::uint64_t leaf_index) {
    const MerklePath path = tree.path(leaf_index);
    const TreeShape levels = shape_.replica_tree();
    const PathVariant variant = path_variant(shape_);
    const auto root_and_leaf = [&] {
      put("\"root\":");
      digest(tree.root());
      put(",\"leaf\":");
      digest(tree.leaf(leaf_index));
    };
    put("{\"data\":{");
    if (variant == PathVariant::single) {
      put("\"Single\":{");
      root_and_leaf();
      put(",\"path\":");
      path_part(path, levels, 0, levels.size());
    } else {
      const std::size_t n_above = variant == PathVariant::sub ? 1 : 2, n_base = levels.size() - n_above;
      put(variant == PathVariant::sub ? "\"Sub\":{\"base_proof\":" : "\"Top\":{\"base_proof\":");
      path_part(path, levels, 0, n_base);
      put(",\"sub_proof\":");
      path_part(path, levels, n_base, 1);
      if (variant == PathVariant::top) {
        put(",\"top_proof\":");
        path_part(path, levels, n_base + 1, 1);
      }
      put(",");
      root_and_leaf();
    }
    put("}}}");
  }

  // The levels first ... first + count - 1 of a path.
  void path_part(const MerklePath& path, const TreeShape& levels, std::size_t first, std::size_t count) {
    put("{\"path\":[");
    const Scalar* sibling = path.siblings.data();
    std::uint64_t rest = path.leaf_index;
    for (std::size_t level = 0; level < first + count; ++level) {
      const std::span<const Scalar> siblings(sibling, levels[level] - 1);
      sibling += siblings.size();
      if (level >= first) {
        put(level > first ? ",{\"hashes\":" : "{\"hashes\":");
        list(siblings, [&](const Scalar& value) { digest(value); });
        put(",\"index\":");
        number(rest % levels[level]);
        put("}");
      }
      rest /= levels[level];
    }
    put("]}");
  }

  const SyntheticSector& sector_;
  SectorShape shape_;
  StackedGraph graph_;
  std::vector<Bytes32> zero_nodes_;  // by height
  std::string text_;
};

std::string SyntheticSector::c1_json(std::string_view name) const { return SyntheticC1Writer(*this).write(name); }

}  // namespace groth16::circuits
