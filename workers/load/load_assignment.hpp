// ASSIGN_LOAD, as groth16-load carries it out, and groth16-gpu where a key is to be made.
#pragma once

#include "workers/load/circuit.hpp"
#include "workers/runtime/role.hpp"

namespace groth16d::worker {

Outcome<v1::Up> load_assignment(const Assignment& assignment, const KeyCache& cache, const Inspections& inspections,
                                const MultiplesOnDemand& multiples);

}  // namespace groth16d::worker
