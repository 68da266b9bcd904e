// WirePoints: one section of a key in the card's memory, apart by how its wires are valued: points of boolean wires,
// infinities left out, each with the place of its bit; and points of full-size wires with their tables, in the order of
// the full-size values.
#pragma once

#include <cstdint>
#include <span>

#include "cuda/msm.cuh"
#include "cuda/wire_slots.cuh"
#include "groth16/algebra/compute.hpp"

namespace groth16::device {

// Points that travel to the card at once, and are there apart from their section: at most 192 MiB.
inline constexpr std::size_t kStagedPoints = std::size_t{1} << 20;

// What a section will take, known before the card is asked for anything.
struct WirePointsPlan {
  std::uint64_t first_wire = 0;
  std::size_t n_points = 0;      // of the section
  std::size_t n_bit_points = 0;  // of boolean wires, without infinities
  MsmPlan full;
};

template <class F>
class WirePoints {
 public:
  // Throws cancelled too.
  WirePoints(std::span<const Affine<F>> section, const WirePointsPlan& plan, const WireSlots& slots,
             const Stream& stream, const Compute& compute);
  static std::uint64_t planned_bytes(const WirePointsPlan& plan);
  static std::size_t workspace_bytes(const WirePointsPlan& plan);

  // The boolean wires' part and the rest of sum over wires of [w] P. full_scalars: plain, from the value of wire 0 on.
  struct Sums {
    PendingSum<F> bits, full;
    Jacobian<F> finish() const { return bits.finish() + full.finish(); }
  };
  void start(const std::uint32_t* bits, const UInt<4>* full_scalars, const UInt<4>& modulus, Workspace& workspace,
             Sums& out, cudaStream_t stream) const;

 private:
  void load(std::span<const Affine<F>> section, const WireSlots& slots, const Stream& stream, const Compute& compute);

  WirePointsPlan plan_;
  DeviceArray<Affine<F>> bit_points_;
  DeviceArray<std::uint32_t> bit_of_;
  FixedBases<F> full_;
};

// The boolean wires' points that are not infinity. bitmap as ConstraintSystem::boolean_bitmap() has it.
template <class F>
std::size_t count_bit_points(std::span<const Affine<F>> section, std::uint64_t first_wire,
                             std::span<const std::uint64_t> bitmap, const Compute& compute);

}  // namespace groth16::device
