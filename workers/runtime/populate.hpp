// What a stage leases is mapped in ahead of use (common/page_tables.hpp), on all threads and with beats.
#pragma once

#include <cstddef>
#include <span>

#include "groth16/algebra/compute.hpp"

namespace groth16d::worker {

void populate_for_reading(std::span<const std::byte> mapped, const groth16::Compute& compute);
void populate_for_writing(std::span<std::byte> mapped, const groth16::Compute& compute);

}  // namespace groth16d::worker
