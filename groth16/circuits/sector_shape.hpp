// SectorShape: what the size of a sector decides about its circuit, and the sizes that Filecoin knows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "groth16/circuits/merkle_path.hpp"
#include "groth16/proof/constraint_system.hpp"

namespace groth16::circuits {

// Arity of the levels of trees C and R from the leaves up, then of up to two levels above; 0: there is none.
struct TreeArities {
  unsigned base = 8, sub = 0, top = 0;
  bool operator==(const TreeArities&) const = default;
};

struct SectorShape {
  std::uint64_t nodes = 0;  // of 32 bytes; a power of two
  TreeArities arities;
  std::uint32_t layers = 0;      // 2 or 11
  std::uint32_t challenges = 0;  // of one partition

  std::uint64_t sector_bytes() const { return 32 * nodes; }
  TreeShape data_tree() const;     // tree D: binary
  TreeShape replica_tree() const;  // trees C and R

  // The sizes of one partition's constraint system, by formula.
  SystemSizes system_sizes() const;
};

// 2 KiB, 4, 16, 32 KiB, 8, 16 MiB, 512 MiB, 1, 32, 64 GiB, as Filecoin seals them.
std::span<const SectorShape> known_sectors();

// "2KiB", "512MiB", "32GiB".
std::string sector_name(std::uint64_t sector_bytes);

// Errors (malformed): sector.size.
groth16d::Result<SectorShape> sector_of_bytes(std::uint64_t sector_bytes);
groth16d::Result<SectorShape> sector_of_name(std::string_view name);

}  // namespace groth16::circuits
