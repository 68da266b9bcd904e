// Digits: from scalars to pairs of bucket and point. Independent of the curve; r is an argument.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "cuda/msm_plan.hpp"
#include "groth16/algebra/uint.hpp"

namespace groth16::device {

// Pairs of the windows that fall into sets first_set .. first_set + plan.sets_at_once - 1, ordered by window and point:
// key = (set - first_set) * buckets_per_set + |digit| - 1, value = 2 * (place in the tables) + (1 when negative). A
// digit of zero has the key sets_at_once * buckets_per_set, behind all buckets.
void make_pairs(const UInt<4>* scalars, const UInt<4>& modulus, const MsmPlan& plan, unsigned first_set,
                std::uint32_t* keys, std::uint32_t* values, cudaStream_t stream);

}  // namespace groth16::device
