// A verifying key's bytes, digest and checks.
#include "groth16/proof/verifying_key.hpp"

#include <string>

#include "groth16/proof/point_bytes.hpp"

namespace groth16 {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

template <class T>
void append_integer(std::vector<std::byte>& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

template <class C, class Point>
Result<void> check_point(const Point& point, bool may_be_infinity, const std::string& name) {
  if ((point.is_infinity() && !may_be_infinity) || !C::in_subgroup(point)) {
    return failure(ErrorCode::malformed, "vk.point_" + name,
                   "verifying key: " + name + (point.is_infinity() ? " is infinity" : " is not in its group"));
  }
  return {};
}

}  // namespace

template <class C>
std::vector<std::byte> canonical_bytes(const VerifyingKey<C>& key) {
  std::vector<std::byte> out;
  append_integer(out, static_cast<std::uint32_t>(C::id));
  append_integer(out, key.n_public());
  append_bytes(out, key.alpha1);
  append_bytes(out, key.beta2);
  append_bytes(out, key.gamma2);
  append_bytes(out, key.delta2);
  for (const auto& point : key.ic) append_bytes(out, point);
  return out;
}

template <class C>
Digest digest(const VerifyingKey<C>& key) {
  return groth16d::sha256(canonical_bytes(key));
}

template <class C>
Result<void> check_points(const VerifyingKey<C>& key) {
  if (key.ic.empty()) {
    return failure(ErrorCode::malformed, "vk.ic_count", "verifying key: no ic points, expected one at least");
  }
  Result<void> checked = check_point<C>(key.alpha1, false, "alpha1");
  if (checked) checked = check_point<C>(key.beta2, false, "beta2");
  if (checked) checked = check_point<C>(key.gamma2, false, "gamma2");
  if (checked) checked = check_point<C>(key.delta2, false, "delta2");
  for (std::size_t i = 0; checked && i < key.ic.size(); ++i) checked = check_point<C>(key.ic[i], true, "ic");
  return checked;
}

template <class C>
bool is_forgeable(const VerifyingKey<C>& key) {
  return key.delta2 == key.gamma2 || key.delta2 == C::generator_g2();
}

#define GROTH16_DEFINE_VERIFYING_KEY(C)                                    \
  template std::vector<std::byte> canonical_bytes(const VerifyingKey<C>&); \
  template Digest digest(const VerifyingKey<C>&);                          \
  template Result<void> check_points(const VerifyingKey<C>&);              \
  template bool is_forgeable(const VerifyingKey<C>&);
GROTH16_DEFINE_VERIFYING_KEY(Bn254)
GROTH16_DEFINE_VERIFYING_KEY(Bls12_381)

}  // namespace groth16
