// StreamedPoints: a section of a key that does not fit the card, summed over a witness piece by piece as the KeyStream
// brings it. Of each piece the points whose bits are set are added up, and those of full-size wires are a sum of their
// own, without tables; the host adds up the pieces.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cuda/key_stream.cuh"
#include "cuda/msm.cuh"
#include "cuda/wire_slots.cuh"
#include "groth16/proof/constraint_system.hpp"

namespace groth16::device {

struct PiecePlan {
  std::uint64_t first_wire = 0;
  std::size_t n_points = 0;
  std::uint64_t first_full = 0;  // the place of its first full-size wire's value
  MsmPlan full;                  // over the full-size wires among them
};

// Pieces of a section whose first point is first_wire's.
template <class C>
std::vector<PiecePlan> plan_pieces(const ConstraintSystem<C>& system, std::uint64_t first_wire, std::size_t n_points,
                                   std::size_t piece_points, std::size_t most_pairs) {
  const auto place = [&](std::uint64_t wire) {
    return wire - (wire == system.n_vars() ? system.n_boolean() : system.boolean_rank(wire));
  };
  std::vector<PiecePlan> pieces;
  for (std::size_t first = 0; first < n_points; first += piece_points) {
    PiecePlan piece;
    piece.first_wire = first_wire + first;
    piece.n_points = std::min(piece_points, n_points - first);
    piece.first_full = place(piece.first_wire);
    const std::size_t n_full = place(piece.first_wire + piece.n_points) - piece.first_full;
    piece.full = plan_msm(n_full, static_cast<unsigned>(C::Fr::modulus().bit_length()), 1, most_pairs);
    pieces.push_back(piece);
  }
  return pieces;
}

template <class F>
class StreamedPoints {
 public:
  explicit StreamedPoints(std::vector<PiecePlan> pieces);
  static std::size_t workspace_bytes(std::span<const PiecePlan> pieces);

  // As WirePoints::start; section is the host's. Returns when the last piece is queued; throws cancelled.
  void start(std::span<const Affine<F>> section, KeyStream& key_stream, const WireSlots::View& slots,
             const std::uint32_t* bits, const UInt<4>* full_scalars, const UInt<4>& modulus, Workspace& workspace,
             cudaStream_t stream, const Compute& compute);
  // After the stream has been waited for.
  Jacobian<F> finish() const;

 private:
  struct Sums {
    PendingSum<F> bits, full;
  };

  std::vector<PiecePlan> pieces_;
  std::vector<std::unique_ptr<Sums>> sums_;
};

}  // namespace groth16::device
