// KeySection: a section of the key as the stage sees it, its points on the card (WirePoints) or streamed past it
// (StreamedPoints).
#pragma once

#include <optional>
#include <vector>

#include "cuda/streamed_points.cuh"
#include "cuda/wire_points.cuh"

namespace groth16::device {

struct SectionPlan {
  WirePointsPlan resident;
  std::optional<std::vector<PiecePlan>> pieces;  // where it is streamed
};

// What a sum over the witness works with.
struct WitnessSum {
  const std::uint32_t* bits;
  const UInt<4>* full_scalars;
  UInt<4> modulus;
  WireSlots::View slots;
  KeyStream* key_stream;
  Workspace& workspace;
  cudaStream_t stream;
  const Compute& compute;
};

template <class F>
class KeySection {
 public:
  KeySection(std::span<const Affine<F>> section, const SectionPlan& plan, const WireSlots& slots, const Stream& stream,
             const Compute& compute) {
    if (plan.pieces) {
      streamed_.emplace(*plan.pieces);
    } else {
      resident_.emplace(section, plan.resident, slots, stream, compute);
    }
  }
  static std::uint64_t planned_bytes(const SectionPlan& plan) {
    return plan.pieces ? 0 : WirePoints<F>::planned_bytes(plan.resident);
  }
  static std::size_t workspace_bytes(const SectionPlan& plan) {
    return plan.pieces ? StreamedPoints<F>::workspace_bytes(*plan.pieces)
                       : WirePoints<F>::workspace_bytes(plan.resident);
  }

  // section: the host's points, read where they are streamed.
  void start(std::span<const Affine<F>> section, const WitnessSum& sum) {
    if (streamed_) {
      streamed_->start(section, *sum.key_stream, sum.slots, sum.bits, sum.full_scalars, sum.modulus, sum.workspace,
                       sum.stream, sum.compute);
    } else {
      resident_->start(sum.bits, sum.full_scalars, sum.modulus, sum.workspace, sums_, sum.stream);
    }
  }
  // After the stream has been waited for.
  Jacobian<F> finish() const { return streamed_ ? streamed_->finish() : sums_.finish(); }

 private:
  std::optional<WirePoints<F>> resident_;
  std::optional<StreamedPoints<F>> streamed_;
  typename WirePoints<F>::Sums sums_;
};

}  // namespace groth16::device
