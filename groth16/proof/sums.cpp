// The prove stage: H first, since it frees what it needs most, then the three sums over the witness.
#include "groth16/proof/sums.hpp"

#include <algorithm>
#include <string>

#include "groth16/algebra/elementwise.hpp"
#include "groth16/algebra/msm.hpp"
#include "groth16/proof/evaluate.hpp"
#include "groth16/proof/h.hpp"
#include "groth16/proof/point_bytes.hpp"
#include "groth16/proof/witness_msm.hpp"

namespace groth16 {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

// The sum of [scalars[i]] points[i], scalars taken out of Montgomery form block by block.
template <class C>
Jacobian<typename C::Fq> msm_of_elements(std::span<const typename C::G1> points,
                                         std::span<const typename C::Fr> scalars, const Compute& compute) {
  auto sum = Jacobian<typename C::Fq>::infinity();
  std::vector<typename C::Scalar> plain(static_cast<std::size_t>(std::min<std::uint64_t>(points.size(), kGatherBlock)));
  for (std::size_t first = 0; first < points.size() && !compute.cancelled(); first += plain.size()) {
    const std::size_t count = std::min(plain.size(), points.size() - first);
    const std::span block = std::span(plain).first(count);
    to_uint_each<typename C::Fr>(scalars.subspan(first, count), block, compute);
    sum += msm(points.subspan(first, count), std::span<const typename C::Scalar>(block), compute);
  }
  return sum;
}

Result<void> unless_cancelled(const Compute& compute) {
  if (compute.cancelled()) return failure(ErrorCode::cancelled, "cancelled", "prove stage: cancelled");
  return {};
}

}  // namespace

template <class C>
Result<typename C::G1> h_sum(const ProvingKey<C>& key, std::span<typename C::Fr> a, std::span<typename C::Fr> b,
                             const Compute& compute) {
  const std::uint64_t n = key.sizes().domain_size();
  if (a.size() != n || b.size() != n) {
    return failure(ErrorCode::internal, "sums.spans",
                   "prove stage: rows of " + std::to_string(a.size()) + " and " + std::to_string(b.size()) +
                       " elements, expected " + std::to_string(n));
  }
  {
    std::vector<typename C::Fr> scratch(a.size());
    h_scalars<C>(key.sizes().domain_log2, key.root(), key.basis(), a, b, scratch, compute);
  }
  const typename C::G1 sum = msm_of_elements<C>(key.h(), a, compute).to_affine();
  return unless_cancelled(compute).map([&] { return sum; });
}

template <class C>
Result<ProveSums<C>> witness_sums(const ProvingKey<C>& key, const PackedWitness<C>& witness, const Compute& compute) {
  if (const auto checked = check_belong_together(key, witness.system()); !checked) {
    return tl::unexpected(checked.error());
  }
  ProveSums<C> sums;
  sums.h = C::G1::infinity();
  const std::vector<std::uint64_t> bits = witness.wire_bits(compute);
  sums.l = witness_msm(key.l(), key.sizes().n_public + 1, witness, bits, compute).to_affine();
  sums.a = witness_msm(key.a(), 0, witness, bits, compute).to_affine();
  sums.b1 = witness_msm(key.b1(), 0, witness, bits, compute).to_affine();
  return unless_cancelled(compute).map([&] { return sums; });
}

template <class C>
Result<ProveSums<C>> prove_sums(const ProvingKey<C>& key, const PackedWitness<C>& witness, std::span<typename C::Fr> a,
                                std::span<typename C::Fr> b, const Compute& compute) {
  if (const auto checked = check_belong_together(key, witness.system()); !checked) {
    return tl::unexpected(checked.error());
  }
  const auto h = h_sum(key, a, b, compute);
  if (!h) return tl::unexpected(h.error());
  auto sums = witness_sums(key, witness, compute);
  if (sums) sums->h = *h;
  return sums;
}

template <class C>
std::vector<std::byte> to_bytes(const ProveSums<C>& sums) {
  std::vector<std::byte> out;
  for (const auto* point : {&sums.h, &sums.l, &sums.a, &sums.b1}) append_bytes(out, *point);
  return out;
}

template <class C>
Result<ProveSums<C>> sums_from_bytes(std::span<const std::byte> bytes) {
  ProveSums<C> sums;
  const std::size_t n_bytes = bytes.size();
  bool readable = true;
  for (auto* point : {&sums.h, &sums.l, &sums.a, &sums.b1}) {
    readable = readable && take_bytes(bytes, *point) && on_curve(*point, C::b_g1());
  }
  if (!readable || !bytes.empty()) {
    return failure(ErrorCode::malformed, "sums.bytes",
                   "sums: " + std::to_string(n_bytes) + " bytes are not four points of G1 of " + std::string(C::name));
  }
  return sums;
}

template <class C>
std::uint64_t prove_private_bytes(const SystemSizes& sizes, std::uint64_t n_full, unsigned threads) {
  const std::uint64_t transforms = h_private_bytes(sizes);
  const std::uint64_t h_msm = gathered_msm_bytes(sizes.domain_size(), 0, threads);  // its points stay where they are
  const std::uint64_t bits = 2 * (sizes.n_vars / 8 + 8);                            // by wire, and shifted for l
  const std::uint64_t over_witness =
      bits + gathered_msm_bytes(n_full + sizes.n_public + 1, sizeof(typename C::G1), threads);
  return std::max({evaluate_private_bytes(sizes), transforms, h_msm, over_witness});
}

#define GROTH16_DEFINE_SUMS(C)                                                                               \
  template Result<ProveSums<C>> prove_sums(const ProvingKey<C>&, const PackedWitness<C>&, std::span<C::Fr>,  \
                                           std::span<C::Fr>, const Compute&);                                \
  template Result<C::G1> h_sum(const ProvingKey<C>&, std::span<C::Fr>, std::span<C::Fr>, const Compute&);    \
  template Result<ProveSums<C>> witness_sums(const ProvingKey<C>&, const PackedWitness<C>&, const Compute&); \
  template std::vector<std::byte> to_bytes(const ProveSums<C>&);                                             \
  template Result<ProveSums<C>> sums_from_bytes<C>(std::span<const std::byte>);                              \
  template std::uint64_t prove_private_bytes<C>(const SystemSizes&, std::uint64_t, unsigned);
GROTH16_DEFINE_SUMS(Bn254)
GROTH16_DEFINE_SUMS(Bls12_381)

}  // namespace groth16
