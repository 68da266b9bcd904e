// Selection: the places of set bits as a list, so that every lane of a warp has a point to add.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

#include "cuda/workspace.cuh"

namespace groth16::device {

std::size_t selection_workspace_bytes(std::size_t count);

// list[0 .. *total - 1] = the i below count, rising, whose bit bit_of[i] (i itself where bit_of is null) of bits is
// set. list has room for count; total is in the card's memory.
void select_set_bits(const std::uint32_t* bits, const std::uint32_t* bit_of, std::size_t count, std::uint32_t* list,
                     std::uint32_t* total, Workspace& workspace, cudaStream_t stream);

}  // namespace groth16::device
