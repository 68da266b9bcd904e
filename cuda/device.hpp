// The card that this process uses: choosing it, its facts, and how its errors are told apart.
//
// Errors of this folder: gpu.no_device (unavailable: none that runs what this program was compiled for),
// gpu.out_of_memory (too_large, with the bytes asked for and those that are free), gpu.call (system, with the call's
// name and CUDA's words), gpu.lost (system: a sticky error; every further call of this process fails, so the process
// ends without one), gpu.plan (too_large: more than the whole card has), gpu.memory_taken (unavailable: the card has
// it, other processes hold it; names them). The supervisor's core knows those of memory by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "common/error.hpp"

namespace groth16::device {

struct DeviceFacts {
  std::string name, uuid;  // uuid as nvidia-smi prints it: GPU-xxxxxxxx-...
  int multiprocessors = 0;
  int clock_khz = 0;
  std::uint64_t total_bytes = 0, free_bytes = 0;
};

// Makes the first device that CUDA shows to this process (CUDA_VISIBLE_DEVICES selects by UUID) the one for all calls
// of all threads that call this. Errors: gpu.no_device, gpu.call.
groth16d::Result<DeviceFacts> use_first_device();

// Why `needed` bytes cannot be had of a card on which `free` of `total` are free: gpu.plan, or gpu.memory_taken.
groth16d::Error no_room(std::uint64_t needed_bytes, std::uint64_t free_bytes, std::uint64_t total_bytes);
// Why `needed` bytes are more than this process may take: gpu.plan.
groth16d::Error over_limit(std::uint64_t needed_bytes, std::uint64_t most_bytes);

// Pins memory that begins with a page as long as what is returned lives, so that the card reads it by itself; nullptr
// where the system does not let it be pinned.
std::shared_ptr<void> pin(std::span<const std::byte> bytes);

// Whether the process can only end: its context is gone.
bool is_sticky(const groth16d::Error& error);

}  // namespace groth16::device
