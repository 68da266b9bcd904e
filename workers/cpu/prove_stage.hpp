// PROVE on the CPU: the four sums in G1 of one partition. It takes the rows of A w and B w over and transforms them in
// place, so a second attempt evaluates them again from the sealed witness.
#pragma once

#include <string>

#include "groth16/algebra/compute.hpp"
#include "workers/partition.hpp"

namespace groth16d::worker {

// ab: the whole payload, exclusive and writable; is_fresh: it holds the rows as SYNTH left them. Returns the sums'
// canonical bytes. Errors: those of Partition::with and prove_sums; ab.*; cancelled.
Result<std::string> prove_stage(const PartitionBytes& partition, std::span<std::byte> ab, bool is_fresh,
                                const groth16::Compute& compute);

}  // namespace groth16d::worker
