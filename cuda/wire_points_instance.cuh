// The bodies of wire_points.cuh; each group is compiled in a file of its own.
#pragma once

#include <algorithm>
#include <atomic>

#include "cuda/selection.cuh"
#include "cuda/threads.cuh"
#include "cuda/wire_points.cuh"

namespace groth16::device {

namespace {

constexpr unsigned kWireThreads = 256;

template <class F>
__global__ void mark_bit_points(const Affine<F>* staged, WireSlots::View slots, std::uint32_t first_wire,
                                std::size_t count, std::uint32_t* marks) {
  const std::size_t i = thread_index();
  const bool is_marked =
      i < count && slots.is_boolean(first_wire + static_cast<std::uint32_t>(i)) && !load16(staged + i).is_infinity();
  const std::uint32_t mask = __ballot_sync(0xffffffff, is_marked);
  if (threadIdx.x % 32 == 0 && i < count) marks[i / 32] = mask;
}

template <class F>
__global__ void place_bit_points(const Affine<F>* staged, const std::uint32_t* list, const std::uint32_t* total,
                                 WireSlots::View slots, std::uint32_t first_wire, Affine<F>* points,
                                 std::uint32_t* bit_of) {
  const std::size_t i = thread_index();
  if (i >= *total) return;
  store16(points + i, load16(staged + list[i]));
  bit_of[i] = slots.rank(first_wire + list[i]);
}

// first_full: the place of the first full-size value that the section has a point for.
template <class F>
__global__ void place_full_points(const Affine<F>* staged, WireSlots::View slots, std::uint32_t first_wire,
                                  std::uint32_t first_full, std::size_t count, Affine<F>* points) {
  const std::size_t i = thread_index();
  if (i >= count) return;
  const std::uint32_t wire = first_wire + static_cast<std::uint32_t>(i);
  if (slots.is_boolean(wire)) return;
  store16(points + (wire - slots.rank(wire) - first_full), load16(staged + i));
}

}  // namespace

template <class F>
WirePoints<F>::WirePoints(std::span<const Affine<F>> section, const WirePointsPlan& plan, const WireSlots& slots,
                          const Stream& stream, const Compute& compute)
    : plan_(plan),
      bit_points_(plan.n_bit_points, "points of boolean wires"),
      bit_of_(plan.n_bit_points, "places of bits"),
      full_(plan.full) {
  load(section, slots, stream, compute);
  const DeviceArray<Denominators<F>> scratch(FixedBases<F>::scratch_size(plan.full), "denominators of tables");
  full_.make_tables(scratch.data(), stream.get());
  stream.wait("making tables");
}

template <class F>
void WirePoints<F>::load(std::span<const Affine<F>> section, const WireSlots& slots, const Stream& stream,
                         const Compute& compute) {
  const PinnedRange pinned(section);
  const std::size_t block = std::min(section.size(), kStagedPoints);
  const DeviceArray<Affine<F>> staged(block, "staged points");
  const DeviceArray<std::uint32_t> marks((block + 31) / 32, "marks"), list(block, "a list"), total(1, "a count");
  Workspace workspace(selection_workspace_bytes(block));
  std::size_t placed = 0;
  for (std::size_t first = 0; first < section.size(); first += block) {
    const std::size_t count = std::min(block, section.size() - first);
    const auto first_wire = static_cast<std::uint32_t>(plan_.first_wire + first);
    const unsigned blocks = blocks_for(count, kWireThreads);
    go_on(compute, "points to the card");
    upload(staged.data(), section.subspan(first, count), stream.get());
    mark_bit_points<F>
        <<<blocks, kWireThreads, 0, stream.get()>>>(staged.data(), slots.view(), first_wire, count, marks.data());
    check_launch("mark_bit_points");
    workspace.reset();
    select_set_bits(marks.data(), nullptr, count, list.data(), total.data(), workspace, stream.get());
    std::uint32_t n_marked = 0;
    download(std::span(&n_marked, 1), static_cast<const std::uint32_t*>(total.data()), stream.get());
    stream.wait("staging points");
    if (placed + n_marked > plan_.n_bit_points) {
      throw CudaFailure({groth16d::ErrorCode::internal, "gpu.bit_points",
                         "more points of boolean wires than were counted: " + std::to_string(placed + n_marked)});
    }
    place_bit_points<F>
        <<<blocks, kWireThreads, 0, stream.get()>>>(staged.data(), list.data(), total.data(), slots.view(), first_wire,
                                                    bit_points_.data() + placed, bit_of_.data() + placed);
    check_launch("place_bit_points");
    place_full_points<F><<<blocks, kWireThreads, 0, stream.get()>>>(
        staged.data(), slots.view(), first_wire, static_cast<std::uint32_t>(plan_.first_wire), count, full_.points());
    check_launch("place_full_points");
    stream.wait("placing points");
    placed += n_marked;
  }
}

template <class F>
std::uint64_t WirePoints<F>::planned_bytes(const WirePointsPlan& plan) {
  return plan.n_bit_points * (sizeof(Affine<F>) + sizeof(std::uint32_t)) + plan.full.table_points() * sizeof(Affine<F>);
}

template <class F>
std::size_t WirePoints<F>::workspace_bytes(const WirePointsPlan& plan) {
  return std::max(plan.full.points == 0 ? 0 : msm_workspace_bytes<F>(plan.full),
                  selected_workspace_bytes<F>(plan.n_bit_points));
}

template <class F>
void WirePoints<F>::start(const std::uint32_t* bits, const UInt<4>* full_scalars, const UInt<4>& modulus,
                          Workspace& workspace, Sums& out, cudaStream_t stream) const {
  workspace.reset();
  start_selected_sum(bit_points_.data(), bit_of_.data(), bits, bit_points_.size(), workspace, out.bits, stream);
  workspace.reset();
  start_msm(full_, full_scalars + plan_.first_wire, modulus, workspace, out.full, stream);
}

template <class F>
std::size_t count_bit_points(std::span<const Affine<F>> section, std::uint64_t first_wire,
                             std::span<const std::uint64_t> bitmap, const Compute& compute) {
  std::atomic<std::size_t> total{0};
  const auto count_range = [&](std::size_t begin, std::size_t end) {
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t wire = first_wire + i;
      const bool is_boolean = ((bitmap[wire / 64] >> (wire % 64)) & 1) != 0;
      if (is_boolean && !section[i].is_infinity()) ++count;
    }
    total += count;
  };
  compute.parallel_for(section.size(), count_range, 1 << 16);
  return total;
}

#define GROTH16_INSTANTIATE_WIRE_POINTS(F)                                                                         \
  template class WirePoints<F>;                                                                                    \
  template std::size_t count_bit_points(std::span<const Affine<F>>, std::uint64_t, std::span<const std::uint64_t>, \
                                        const Compute&);

}  // namespace groth16::device
