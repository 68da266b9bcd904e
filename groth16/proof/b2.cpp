// b_g2_msm.
#include "groth16/proof/b2.hpp"

#include <string>

#include "groth16/proof/point_bytes.hpp"
#include "groth16/proof/witness_msm.hpp"

namespace groth16 {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

template <class C>
Result<typename C::G2> b_g2_msm(const ProvingKey<C>& key, const PackedWitness<C>& witness, const Compute& compute) {
  if (const auto checked = check_belong_together(key, witness.system()); !checked) {
    return tl::unexpected(checked.error());
  }
  const std::vector<std::uint64_t> bits = witness.wire_bits(compute);
  const typename C::G2 sum = witness_msm(key.b2(), 0, witness, bits, compute).to_affine();
  if (compute.cancelled()) return failure(ErrorCode::cancelled, "cancelled", "b_g2_msm: cancelled");
  return sum;
}

template <class C>
std::vector<std::byte> b2_to_bytes(const typename C::G2& point) {
  std::vector<std::byte> out;
  append_bytes(out, point);
  return out;
}

template <class C>
Result<typename C::G2> b2_from_bytes(std::span<const std::byte> bytes) {
  typename C::G2 point;
  const std::size_t n_bytes = bytes.size();
  if (!take_bytes(bytes, point) || !bytes.empty() || !on_curve(point, C::b_g2())) {
    return failure(ErrorCode::malformed, "b2.bytes",
                   "b2: " + std::to_string(n_bytes) + " bytes are not a point of G2 of " + std::string(C::name));
  }
  return point;
}

template <class C>
std::uint64_t b2_private_bytes(const SystemSizes& sizes, std::uint64_t n_full, unsigned threads) {
  return sizes.n_vars / 8 + 8 + gathered_msm_bytes(n_full + sizes.n_public + 1, sizeof(typename C::G2), threads);
}

#define GROTH16_DEFINE_B2(C)                                                                      \
  template Result<C::G2> b_g2_msm(const ProvingKey<C>&, const PackedWitness<C>&, const Compute&); \
  template std::vector<std::byte> b2_to_bytes<C>(const C::G2&);                                   \
  template Result<C::G2> b2_from_bytes<C>(std::span<const std::byte>);                            \
  template std::uint64_t b2_private_bytes<C>(const SystemSizes&, std::uint64_t, unsigned);
GROTH16_DEFINE_B2(Bn254)
GROTH16_DEFINE_B2(Bls12_381)

}  // namespace groth16
