// WireSlots: where the card finds the value of a wire. A boolean wire is bit number rank of the packed witness's bits,
// rank being the boolean wires below it; any other wire is full-size value number wire - rank of an array that begins
// with the public values, w_0 = 1 first.
#pragma once

#include <cstdint>
#include <span>

#include "cuda/device_array.cuh"
#include "groth16/proof/constraint_system.hpp"

namespace groth16::device {

// The bitmap of boolean wires and the ranks of its words. What is made with it needs it no longer.
class WireSlots {
 public:
  // The bitmap as ConstraintSystem::boolean_bitmap() has it. Error by exception: gpu.system_terms (too_large: more than
  // 2^31 wires).
  WireSlots(std::span<const std::uint64_t> bitmap, const Stream& stream);
  template <class C>
  static std::uint64_t planned_bytes(const ConstraintSystem<C>& system) {
    return 2 * system.boolean_bitmap().size_bytes();
  }

  struct View {
    const std::uint32_t* bitmap;
    const std::uint32_t* ranks;

    static constexpr std::uint32_t kFullBit = 0x80000000;

#if defined(__CUDACC__)
    __device__ __forceinline__ bool is_boolean(std::uint32_t wire) const {
      return ((bitmap[wire / 32] >> (wire % 32)) & 1) != 0;
    }
    __device__ __forceinline__ std::uint32_t rank(std::uint32_t wire) const {
      return ranks[wire / 32] + static_cast<std::uint32_t>(__popc(bitmap[wire / 32] & ((1u << (wire % 32)) - 1)));
    }
    // The place of a wire's bit, or that of its full-size value with kFullBit.
    __device__ __forceinline__ std::uint32_t slot(std::uint32_t wire) const {
      return is_boolean(wire) ? rank(wire) : (wire - rank(wire)) | kFullBit;
    }
#endif
  };
  View view() const { return {bitmap_.data(), ranks_.data()}; }

 private:
  DeviceArray<std::uint32_t> bitmap_, ranks_;
};

// slots[i] = the slot of wires[i]; both may be the same array.
void wires_to_slots(const WireSlots& slots, const std::uint32_t* wires, std::uint32_t* out, std::size_t count,
                    cudaStream_t stream);

}  // namespace groth16::device
