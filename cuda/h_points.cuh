// HPoints: the key's section h, its tables on the card in the order of the scalars that HTransforms leaves; or streamed
// past it, and then the scalars of each piece are brought into the order of the points.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cuda/h_transforms.cuh"
#include "cuda/key_stream.cuh"
#include "cuda/msm.cuh"
#include "cuda/wire_points.cuh"

namespace groth16::device {

struct HPointsPlan {
  MsmPlan resident;                            // over the domain: what the basis has no point for is infinity
  std::optional<std::vector<MsmPlan>> pieces;  // where it is streamed
  unsigned domain_log2 = 0;
  bool is_reversed = false;  // scalar i is of the point whose number is i with its bits reversed
};

template <class F>
class HPoints {
 public:
  HPoints(std::span<const Affine<F>> section, const HPointsPlan& plan, const Stream& stream, const Compute& compute)
      : plan_(plan) {
    if (plan.pieces) {
      for (std::size_t i = 0; i < plan.pieces->size(); ++i) sums_.push_back(std::make_unique<PendingSum<F>>());
      return;
    }
    sums_.push_back(std::make_unique<PendingSum<F>>());
    resident_.emplace(plan.resident);
    load(section, stream, compute);
  }
  static std::uint64_t planned_bytes(const HPointsPlan& plan) {
    return plan.pieces ? 0 : plan.resident.table_points() * sizeof(Affine<F>);
  }
  static std::size_t workspace_bytes(const HPointsPlan& plan) {
    if (!plan.pieces) return msm_workspace_bytes<F>(plan.resident);
    std::size_t most = 0;
    for (const MsmPlan& piece : *plan.pieces) {
      WorkspaceSize scalars;
      scalars.take<UInt<4>>(piece.points);
      most = std::max(most, scalars.bytes() + msm_workspace_bytes<F>(piece));
    }
    return most;
  }

  // section: the host's points, read where they are streamed. Throws cancelled.
  void start(std::span<const Affine<F>> section, const UInt<4>* scalars, const UInt<4>& modulus, KeyStream* key_stream,
             Workspace& workspace, cudaStream_t stream, const Compute& compute) {
    if (resident_) {
      workspace.reset();
      return start_msm(*resident_, scalars, modulus, workspace, *sums_.front(), stream);
    }
    std::size_t first = 0;
    key_stream->each_piece(section, stream, compute, [&](const Affine<F>* points, std::size_t number) {
      const MsmPlan& piece = plan_.pieces->at(number);
      workspace.reset();
      auto* const of_piece = workspace.take<UInt<4>>(piece.points);
      take_scalars(scalars, first, piece.points, plan_.domain_log2, plan_.is_reversed, of_piece, stream);
      start_msm<F>(piece, points, of_piece, modulus, workspace, *sums_.at(number), stream);
      first += piece.points;
    });
  }
  // After the stream has been waited for.
  Jacobian<F> finish() const {
    auto total = Jacobian<F>::infinity();
    for (const auto& sum : sums_) total += sum->finish();
    return total;
  }

 private:
  void load(std::span<const Affine<F>> section, const Stream& stream, const Compute& compute) {
    const PinnedRange pinned(section);
    set_bytes(resident_->points(), 0, plan_.resident.points, stream.get());
    const DeviceArray<Affine<F>> staged(std::min(section.size(), kStagedPoints), "staged points");
    for (std::size_t first = 0; first < section.size(); first += kStagedPoints) {
      const std::size_t count = std::min(kStagedPoints, section.size() - first);
      go_on(compute, "points of H to the card");
      upload(staged.data(), section.subspan(first, count), stream.get());
      place_points(staged.data(), first, count, plan_.domain_log2, plan_.is_reversed, resident_->points(),
                   stream.get());
      stream.wait("placing points of H");
    }
    const DeviceArray<Denominators<F>> scratch(FixedBases<F>::scratch_size(plan_.resident), "denominators of tables");
    resident_->make_tables(scratch.data(), stream.get());
    stream.wait("making tables of H");
  }

  HPointsPlan plan_;
  std::optional<FixedBases<F>> resident_;
  std::vector<std::unique_ptr<PendingSum<F>>> sums_;
};

}  // namespace groth16::device
