// Gathering: the points and scalars of full-size wires lie scattered among those of bits; an MSM wants them dense.
#include "groth16/proof/witness_msm.hpp"

#include <algorithm>
#include <vector>

#include "groth16/algebra/msm.hpp"

namespace groth16 {

namespace {

// Collects (point, scalar) pairs and adds their MSM to a sum whenever a block is full.
template <class F>
class GatheredMsm {
 public:
  GatheredMsm(std::uint64_t expected, const Compute& compute) : compute_(compute) {
    const auto block = static_cast<std::size_t>(std::min(expected, kGatherBlock));
    points_.reserve(block);
    scalars_.reserve(block);
  }

  // False once cancelled.
  bool add(const Affine<F>& point, const UInt<4>& scalar) {
    if (point.is_infinity() || scalar.is_zero()) return true;
    points_.push_back(point);
    scalars_.push_back(scalar);
    return points_.size() < kGatherBlock || flush();
  }

  Jacobian<F> finish() {
    flush();
    return sum_;
  }

 private:
  bool flush() {
    if (!points_.empty()) sum_ += msm<F>(points_, scalars_, compute_);
    points_.clear();
    scalars_.clear();
    return !compute_.cancelled();
  }

  const Compute& compute_;
  std::vector<Affine<F>> points_;
  std::vector<UInt<4>> scalars_;
  Jacobian<F> sum_ = Jacobian<F>::infinity();
};

// The bits of wires first_wire and above, so that bit 0 is that of first_wire. Words of the range that starts there.
std::vector<std::uint64_t> shifted_bits(std::span<const std::uint64_t> bits, std::uint64_t first_wire) {
  const std::uint64_t skipped = first_wire / 64, shift = first_wire % 64;
  std::vector<std::uint64_t> out(bits.begin() + static_cast<std::ptrdiff_t>(skipped), bits.end());
  if (shift == 0) return out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint64_t above = i + 1 < out.size() ? out[i + 1] : 0;
    out[i] = (out[i] >> shift) | (above << (64 - shift));
  }
  return out;
}

}  // namespace

template <class C, class F>
Jacobian<F> witness_msm(std::span<const Affine<F>> points, std::uint64_t first_wire, const PackedWitness<C>& witness,
                        std::span<const std::uint64_t> wire_bits, const Compute& compute) {
  Jacobian<F> sum = Jacobian<F>::infinity();
  if (points.empty()) return sum;
  if (witness.system().n_boolean() != 0) {
    sum = first_wire == 0
              ? sum_selected(points, wire_bits, compute)
              : sum_selected(points, std::span<const std::uint64_t>(shifted_bits(wire_bits, first_wire)), compute);
  }
  const std::uint64_t n_full =
      witness.public_values().size() + witness.full_values().size() + witness.exceptions().size();
  GatheredMsm<F> gathered(n_full, compute);
  witness.for_each_full_value([&](std::uint32_t wire, const typename C::Scalar& value) {
    return wire < first_wire || gathered.add(points[wire - first_wire], value);
  });
  return sum + gathered.finish();
}

std::uint64_t gathered_msm_bytes(std::uint64_t n, std::uint64_t point_bytes, unsigned threads) {
  constexpr std::uint64_t kScalarBytes = 32, kIndexBytes = 8;
  const std::uint64_t block = std::min(n, kGatherBlock);
  return block * (point_bytes + kScalarBytes + kIndexBytes) + std::max(threads, 1u) * kMsmBytesPerThread;
}

#define GROTH16_DEFINE_WITNESS_MSM(C, F)                                                               \
  template Jacobian<F> witness_msm(std::span<const Affine<F>>, std::uint64_t, const PackedWitness<C>&, \
                                   std::span<const std::uint64_t>, const Compute&);
GROTH16_DEFINE_WITNESS_MSM(Bn254, Bn254::Fq)
GROTH16_DEFINE_WITNESS_MSM(Bn254, Bn254::Fq2)
GROTH16_DEFINE_WITNESS_MSM(Bls12_381, Bls12_381::Fq)
GROTH16_DEFINE_WITNESS_MSM(Bls12_381, Bls12_381::Fq2)

}  // namespace groth16
