#include "groth16/circuits/sector_shape.hpp"

#include <array>
#include <bit>

#include "groth16/circuits/label.hpp"

namespace groth16::circuits {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;

constexpr std::array<SectorShape, 10> kSectors{{
    {2 * kKiB / 32, {8, 0, 0}, 2, 2},
    {4 * kKiB / 32, {8, 2, 0}, 2, 2},
    {16 * kKiB / 32, {8, 8, 0}, 2, 2},
    {32 * kKiB / 32, {8, 8, 2}, 2, 2},
    {8 * kMiB / 32, {8, 0, 0}, 2, 2},
    {16 * kMiB / 32, {8, 2, 0}, 2, 2},
    {512 * kMiB / 32, {8, 0, 0}, 2, 2},
    {1 * kGiB / 32, {8, 2, 0}, 2, 2},
    {32 * kGiB / 32, {8, 8, 0}, 11, 18},
    {64 * kGiB / 32, {8, 8, 2}, 11, 18},
}};

// Rows and private variables of a gadget.
struct Cost {
  std::uint64_t rows = 0, variables = 0;
  friend constexpr Cost operator+(Cost a, Cost b) { return {a.rows + b.rows, a.variables + b.variables}; }
  friend constexpr Cost operator*(std::uint64_t times, Cost a) { return {times * a.rows, times * a.variables}; }
};

constexpr Cost kBitsOfNumber{256, 255};
constexpr Cost kShaLevel{45'382, 45'335};  // of the data tree: its bit, its sibling, the insertion and the hash
constexpr Cost kLabel{522'269, 521'749};
constexpr Cost kPathEnd{2, 0};  // the index made public, the root compared

constexpr Cost poseidon_cost(unsigned arity) {
  const std::uint64_t partial = arity == 2 ? 55 : arity == 4 ? 56 : 57;
  const std::uint64_t width = arity + 1;
  const std::uint64_t count = 3 * (8 * width + partial - 1) + (8 * width + partial - arity);
  return {count, count};
}

// Index bits, siblings, picks, and for arity 8 the two gates on its low index bits.
constexpr Cost poseidon_level(unsigned arity) {
  const std::uint64_t bits = bits_of_level(arity);
  const std::uint64_t insertion = arity == 2 ? 2 : arity == 4 ? 8 : 22;
  return poseidon_cost(arity) + Cost{bits + insertion, bits + insertion + arity - 1};
}

}  // namespace

TreeShape SectorShape::data_tree() const { return TreeShape(static_cast<std::size_t>(std::countr_zero(nodes)), 2); }

TreeShape SectorShape::replica_tree() const {
  std::uint64_t base_leaves = nodes;
  if (arities.sub != 0) base_leaves /= arities.sub;
  if (arities.top != 0) base_leaves /= arities.top;
  TreeShape shape;
  for (; base_leaves > 1; base_leaves /= arities.base) shape.push_back(arities.base);
  if (arities.sub != 0) shape.push_back(arities.sub);
  if (arities.top != 0) shape.push_back(arities.top);
  return shape;
}

SystemSizes SectorShape::system_sizes() const {
  Cost replica_path = kPathEnd;
  for (const unsigned arity : replica_tree()) replica_path = replica_path + poseidon_level(arity);
  const Cost data_path = data_tree().size() * kShaLevel + kPathEnd;
  const Cost column_hash = poseidon_cost(layers);

  const Cost start = kBitsOfNumber + poseidon_cost(2) + Cost{4, 5};  // five numbers, three made public, one compared
  const Cost parent = Cost{0, layers} + column_hash + replica_path;
  const Cost labels = layers * kLabel + (kBaseParents + std::uint64_t{layers - 1} * kParents) * kBitsOfNumber;
  const Cost challenge = Cost{0, 1} + data_path + kParents * parent + Cost{65, 64} + labels + Cost{1, 1} +
                         replica_path + column_hash + replica_path;
  const Cost total = start + challenges * challenge;

  SystemSizes sizes;
  sizes.n_public = 3 + std::uint64_t{challenges} * (kParents + 4);
  sizes.n_vars = 1 + sizes.n_public + total.variables;
  sizes.n_constraints = total.rows;
  sizes.domain_log2 = smallest_domain_log2(sizes.n_rows());
  return sizes;
}

std::span<const SectorShape> known_sectors() { return kSectors; }

std::string sector_name(std::uint64_t sector_bytes) {
  if (sector_bytes % kGiB == 0) return std::to_string(sector_bytes / kGiB) + "GiB";
  if (sector_bytes % kMiB == 0) return std::to_string(sector_bytes / kMiB) + "MiB";
  return std::to_string(sector_bytes / kKiB) + "KiB";
}

Result<SectorShape> sector_of_bytes(std::uint64_t sector_bytes) {
  for (const SectorShape& shape : kSectors) {
    if (shape.sector_bytes() == sector_bytes) return shape;
  }
  return failure(ErrorCode::malformed, "sector.size",
                 "sectors of " + std::to_string(sector_bytes) + " bytes do not exist; expected 2 KiB to 64 GiB");
}

Result<SectorShape> sector_of_name(std::string_view name) {
  for (const SectorShape& shape : kSectors) {
    if (sector_name(shape.sector_bytes()) == name) return shape;
  }
  return failure(ErrorCode::malformed, "sector.size",
                 "\"" + std::string(name.substr(0, 32)) + "\" is no size of a sector; expected 2KiB ... 64GiB");
}

}  // namespace groth16::circuits
