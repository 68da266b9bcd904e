// The prove stage on a card by its steps, each beside its ceiling.
#pragma once

#include "bench/gpu_ceilings.hpp"

namespace groth16d::bench {

// A synthetic partition of 2^log2 rows (tests/gpu/synthetic_partition.hpp), `runs` times with everything resident, and
// if `streamed` as often with the key streamed. Rows of the table, medians; throws std::runtime_error where a sum is
// not its closed form.
void bench_stage(const Ceilings& ceilings, unsigned log2, int runs, bool streamed);

}  // namespace groth16d::bench
