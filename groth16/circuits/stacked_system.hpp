// The constraint system of the replication circuit in its flat form, for every size of sector.
//
// All challenges of a partition have the same rows over variables of their own and those of the partition's start. So
// the start and the first challenge are described, and the others are the first with its wires shifted: 130 million
// rows of a 32 GiB partition are written at the speed of memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/error.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/circuits/sector_shape.hpp"
#include "groth16/proof/system_writer.hpp"

namespace groth16::circuits {

// Counts and coefficients, from one description of a challenge. The shape has a challenge.
SystemPlan<Bls12_381> plan_stacked_system(const SectorShape& shape);

// plan: that of the shape; out: plan.bytes() bytes, aligned to 8. Errors (internal): system.length, system.plan;
// cancelled.
groth16d::Result<void> write_stacked_system(const SectorShape& shape, const SystemPlan<Bls12_381>& plan,
                                            std::span<std::byte> out, const Compute& compute);

// Both, into memory of its own. For small shapes, and tests.
groth16d::Result<std::vector<std::byte>> stacked_system(const SectorShape& shape, const Compute& compute);

}  // namespace groth16::circuits
