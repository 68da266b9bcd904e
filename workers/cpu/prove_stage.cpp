#include "workers/cpu/prove_stage.hpp"

#include "common/failpoint.hpp"
#include "groth16/proof/evaluate.hpp"
#include "groth16/proof/sums.hpp"
#include "workers/runtime/role.hpp"

namespace groth16d::worker {

namespace {

using groth16::Compute;

template <class C>
Result<std::string> prove_partition(const Partition<C>& partition, std::span<std::byte> ab, bool is_fresh,
                                    const Compute& compute) {
  const auto rows = AbRows<C>::open(ab, partition.system.domain_size());
  if (!rows) return tl::unexpected(rows.error());
  if (!is_fresh) groth16::evaluate(partition.system, partition.witness, rows->a, rows->b, compute);
  if (Result<void> wanted = unless_cancelled(compute); !wanted) return tl::unexpected(wanted.error());
  if (GROTH16D_FAILPOINT("prove.middle")) return failpoint_error("prove.middle");
  auto sums = groth16::prove_sums(partition.key, partition.witness, rows->a, rows->b, compute);
  if (!sums) return tl::unexpected(sums.error());
  if (GROTH16D_FAILPOINT("prove.wrong_point")) sums->h = C::generator_g1();
  const std::vector<std::byte> bytes = groth16::to_bytes(*sums);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

Result<std::string> prove_stage(const PartitionBytes& partition, std::span<std::byte> ab, bool is_fresh,
                                const Compute& compute) {
  const Result<groth16::CurveId> curve = curve_of_key(partition.key);
  if (!curve) return tl::unexpected(curve.error());
  return groth16::with_curve(*curve, [&]<class C>() {
    return Partition<C>::with(
        partition, [&](const Partition<C>& opened) { return prove_partition<C>(opened, ab, is_fresh, compute); });
  });
}

}  // namespace groth16d::worker
