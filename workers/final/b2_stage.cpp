#include "workers/final/b2_stage.hpp"

#include "common/failpoint.hpp"
#include "groth16/proof/b2.hpp"
#include "workers/runtime/role.hpp"

namespace groth16d::worker {

namespace {

template <class C>
Result<std::string> b2_of(const Partition<C>& partition, const groth16::Compute& compute) {
  if (GROTH16D_FAILPOINT("b2.middle")) return failpoint_error("b2.middle");
  const auto point = groth16::b_g2_msm(partition.key, partition.witness, compute);
  if (!point) return tl::unexpected(point.error());
  const bool wrong = GROTH16D_FAILPOINT("b2.wrong_point");
  const std::vector<std::byte> bytes = groth16::b2_to_bytes<C>(wrong ? C::generator_g2() : *point);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

Result<std::string> b2_stage(const PartitionBytes& partition, const groth16::Compute& compute) {
  const Result<groth16::CurveId> curve = curve_of_key(partition.key);
  if (!curve) return tl::unexpected(curve.error());
  return groth16::with_curve(*curve, [&]<class C>() {
    return Partition<C>::with(partition, [&](const Partition<C>& opened) { return b2_of<C>(opened, compute); });
  });
}

}  // namespace groth16d::worker
