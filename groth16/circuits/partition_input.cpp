#include "groth16/circuits/partition_input.hpp"

#include <array>
#include <cstring>
#include <string>

namespace groth16::circuits {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

struct Header {
  static constexpr std::array<char, 8> kMagic{'g', '1', '6', 'p', 'o', 'r', 'e', 'p'};
  static constexpr std::uint32_t kLayoutVersion = 1;

  std::array<char, 8> magic = kMagic;
  std::uint32_t layout_version = kLayoutVersion;
  std::uint32_t layers = 0;
  std::uint64_t nodes = 0;
  std::uint32_t base = 0, sub = 0, top = 0, challenges = 0;
  bool operator==(const Header&) const = default;
};
static_assert(sizeof(Header) == 40);

Header header_of(const SectorShape& shape) {
  Header header;
  header.layers = shape.layers;
  header.nodes = shape.nodes;
  header.base = shape.arities.base;
  header.sub = shape.arities.sub;
  header.top = shape.arities.top;
  header.challenges = shape.challenges;
  return header;
}

// Calls on_number or on_index for each field of an input, in the order of the layout; the one walk that writing and
// reading share.
template <class Input, class OnNumber, class OnIndex>
void for_each_field(Input& input, OnNumber&& on_number, OnIndex&& on_index) {
  const auto path = [&](auto& p) {
    on_index(p.leaf_index);
    for (auto& sibling : p.siblings) on_number(sibling);
  };
  on_number(input.replica_id);
  on_number(input.comm_d);
  on_number(input.comm_r);
  on_number(input.comm_c);
  on_number(input.comm_r_last);
  for (auto& challenge : input.challenges) {
    on_index(challenge.node);
    on_number(challenge.data_leaf);
    path(challenge.data_path);
    for (auto& parent : challenge.parents) {
      for (auto& row : parent.column) on_number(row);
      path(parent.path);
    }
    path(challenge.replica_path);
    path(challenge.column_path);
  }
}

tl::unexpected<groth16d::Error> refuse(ErrorCode code, const std::string& rule, const std::string& text) {
  return failure(code, "porep_input." + rule, "input of a partition: " + text);
}

}  // namespace

std::uint64_t partition_input_bytes(const SectorShape& shape) {
  const auto path_bytes = [](const TreeShape& tree) { return 8 + 32 * std::uint64_t{sibling_count(tree)}; };
  const std::uint64_t replica_path = path_bytes(shape.replica_tree());
  const std::uint64_t parent = 32 * std::uint64_t{shape.layers} + replica_path;
  const std::uint64_t challenge = 8 + 32 + path_bytes(shape.data_tree()) + kParents * parent + 2 * replica_path;
  return sizeof(Header) + 5 * 32 + shape.challenges * challenge;
}

void write_partition_input(const SectorShape& shape, const PartitionInput& input, std::span<std::byte> out) {
  const Header header = header_of(shape);
  std::memcpy(out.data(), &header, sizeof(header));
  std::byte* at = out.data() + sizeof(header);
  const auto put = [&at](const auto& value) {
    std::memcpy(at, &value, sizeof(value));
    at += sizeof(value);
  };
  for_each_field(input, put, put);
}

std::optional<SectorShape> shape_of_partition_input(std::span<const std::byte> bytes) {
  Header header;
  if (bytes.size() < sizeof(header)) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof(header));
  for (const SectorShape& shape : known_sectors()) {
    if (header == header_of(shape)) return shape;
  }
  return std::nullopt;
}

Result<PartitionInput> read_partition_input(const SectorShape& shape, std::span<const std::byte> bytes) {
  const std::uint64_t expected_bytes = partition_input_bytes(shape);
  Header header;
  if (bytes.size() < sizeof(header)) {
    return refuse(ErrorCode::malformed, "length", std::to_string(bytes.size()) + " bytes are too few for its header");
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.magic != Header::kMagic)
    return refuse(ErrorCode::malformed, "magic", "the first 8 bytes are not its magic");
  if (header.layout_version != Header::kLayoutVersion) {
    return refuse(ErrorCode::malformed, "version", "layout version " + std::to_string(header.layout_version));
  }
  if (!(header == header_of(shape))) {
    return refuse(ErrorCode::mismatch, "shape",
                  "made for another sector than one of " + sector_name(shape.sector_bytes()) + " with " +
                      std::to_string(shape.challenges) + " challenges");
  }
  if (bytes.size() != expected_bytes) {
    return refuse(ErrorCode::malformed, "length",
                  std::to_string(bytes.size()) + " bytes, expected " + std::to_string(expected_bytes));
  }
  PartitionInput input = blank_input(shape);
  const std::byte* at = bytes.data() + sizeof(header);
  bool all_canonical = true, all_inside = true;
  const auto take = [&at](auto& value) {
    std::memcpy(&value, at, sizeof(value));
    at += sizeof(value);
  };
  for_each_field(
      input,
      [&](Scalar& number) {
        take(number);
        all_canonical = all_canonical && Fr::is_canonical(number);
      },
      [&](std::uint64_t& index) {
        take(index);
        all_inside = all_inside && index < shape.nodes;
      });
  if (!all_canonical) return refuse(ErrorCode::malformed, "not_canonical", "a number that is not below r");
  if (!all_inside) return refuse(ErrorCode::malformed, "index", "a node outside its sector");
  return input;
}

}  // namespace groth16::circuits
