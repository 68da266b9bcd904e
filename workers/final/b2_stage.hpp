// B2: b_g2_msm, the one sum in G2. It needs the sealed witness only, so it runs while PROVE does.
#pragma once

#include <string>

#include "groth16/algebra/compute.hpp"
#include "workers/partition.hpp"

namespace groth16d::worker {

// Returns the point's canonical bytes. Errors: those of Partition::with and b_g2_msm; cancelled.
Result<std::string> b2_stage(const PartitionBytes& partition, const groth16::Compute& compute);

}  // namespace groth16d::worker
