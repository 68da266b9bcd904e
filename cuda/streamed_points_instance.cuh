// The bodies of streamed_points.cuh; each group is compiled in a file of its own.
#pragma once

#include <algorithm>
#include <utility>

#include "cuda/streamed_points.cuh"
#include "cuda/wire_points_instance.cuh"

namespace groth16::device {

namespace {

template <class F>
__global__ void mark_set_bits(const Affine<F>* points, WireSlots::View slots, const std::uint32_t* bits,
                              std::uint32_t first_wire, std::size_t count, std::uint32_t* marks) {
  const std::size_t i = thread_index();
  bool is_set = false;
  const std::uint32_t wire = first_wire + static_cast<std::uint32_t>(i);
  if (i < count && slots.is_boolean(wire)) {
    const std::uint32_t bit = slots.rank(wire);
    is_set = ((bits[bit / 32] >> (bit % 32)) & 1) != 0 && !load16(points + i).is_infinity();
  }
  const std::uint32_t mask = __ballot_sync(0xffffffff, is_set);
  if (threadIdx.x % 32 == 0 && i < count) marks[i / 32] = mask;
}

}  // namespace

template <class F>
StreamedPoints<F>::StreamedPoints(std::vector<PiecePlan> pieces) : pieces_(std::move(pieces)) {
  for (std::size_t i = 0; i < pieces_.size(); ++i) sums_.push_back(std::make_unique<Sums>());
}

template <class F>
std::size_t StreamedPoints<F>::workspace_bytes(std::span<const PiecePlan> pieces) {
  std::size_t most = 0;
  for (const PiecePlan& piece : pieces) {
    WorkspaceSize marks, full;
    marks.take<std::uint32_t>((piece.n_points + 31) / 32);
    full.take<Affine<F>>(piece.full.points);
    const std::size_t sum = piece.full.points == 0 ? 0 : msm_workspace_bytes<F>(piece.full);
    most = std::max({most, marks.bytes() + selected_workspace_bytes<F>(piece.n_points), full.bytes() + sum});
  }
  return most;
}

template <class F>
void StreamedPoints<F>::start(std::span<const Affine<F>> section, KeyStream& key_stream, const WireSlots::View& slots,
                              const std::uint32_t* bits, const UInt<4>* full_scalars, const UInt<4>& modulus,
                              Workspace& workspace, cudaStream_t stream, const Compute& compute) {
  key_stream.each_piece(section, stream, compute, [&](const Affine<F>* points, std::size_t number) {
    const PiecePlan& piece = pieces_.at(number);
    Sums& sums = *sums_.at(number);
    const unsigned blocks = blocks_for(piece.n_points, kWireThreads);
    const auto first_wire = static_cast<std::uint32_t>(piece.first_wire);

    workspace.reset();
    auto* const marks = workspace.take<std::uint32_t>((piece.n_points + 31) / 32);
    mark_set_bits<F><<<blocks, kWireThreads, 0, stream>>>(points, slots, bits, first_wire, piece.n_points, marks);
    check_launch("mark_set_bits");
    start_selected_sum(points, nullptr, marks, piece.n_points, workspace, sums.bits, stream);

    workspace.reset();
    sums.full.sets = 0;
    if (piece.full.points == 0) return;
    auto* const full_points = workspace.take<Affine<F>>(piece.full.points);
    place_full_points<F><<<blocks, kWireThreads, 0, stream>>>(
        points, slots, first_wire, static_cast<std::uint32_t>(piece.first_full), piece.n_points, full_points);
    check_launch("place_full_points");
    start_msm<F>(piece.full, full_points, full_scalars + piece.first_full, modulus, workspace, sums.full, stream);
  });
}

template <class F>
Jacobian<F> StreamedPoints<F>::finish() const {
  auto total = Jacobian<F>::infinity();
  for (const auto& sums : sums_) total += sums->bits.finish() + sums->full.finish();
  return total;
}

#define GROTH16_INSTANTIATE_STREAMED_POINTS(F) template class StreamedPoints<F>;

}  // namespace groth16::device
