// The input of one partition as flat bytes: what crosses from intake to the generator of the witness. Its size follows
// from the shape alone; numbers are 32 bytes, nodes and leaf indices 8 bytes, all little-endian:
//
//   magic, u32 layout version, u32 layers, u64 nodes, u32 base, sub and top arity, u32 challenges;
//   replica_id, comm_d, comm_r, comm_c, comm_r_last;
//   for each challenge: u64 node, data leaf, data path, 14 times (column, path), replica path, column path
//   a path: u64 leaf index, siblings
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "common/error.hpp"
#include "groth16/circuits/stacked_circuit.hpp"

namespace groth16::circuits {

std::uint64_t partition_input_bytes(const SectorShape& shape);

// input fits the shape; out has partition_input_bytes(shape) bytes.
void write_partition_input(const SectorShape& shape, const PartitionInput& input, std::span<std::byte> out);

// The shape that the first bytes say; nothing where they are not those of such an input for a sector that exists.
std::optional<SectorShape> shape_of_partition_input(std::span<const std::byte> bytes);

// Errors: porep_input.magic, .version, .length (malformed), .shape (mismatch: made for another shape), .not_canonical,
// .index (malformed: a number not below r, a node or leaf outside the sector).
groth16d::Result<PartitionInput> read_partition_input(const SectorShape& shape, std::span<const std::byte> bytes);

}  // namespace groth16::circuits
