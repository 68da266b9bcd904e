// Writing snarkjs's JSON files: one space of indentation, every array element on a line of its own.
#include <array>

#include <nlohmann/json.hpp>

#include "groth16/algebra/pairing.hpp"
#include "groth16/formats/snarkjs_json.hpp"

namespace groth16::formats {

using Json = nlohmann::ordered_json;  // keeps the order of insertion

namespace {

template <class P>
Json to_json(const Fp<P>& value) {
  return value.to_uint().to_decimal();
}
template <class F>
Json to_json(const Fp2<F>& value) {
  return Json::array({to_json(value.c0), to_json(value.c1)});
}
template <class T>
Json to_json(const Fp6<T>& value) {
  return Json::array({to_json(value.c0), to_json(value.c1), to_json(value.c2)});
}
template <class F>
Json to_json(const Affine<F>& point) {
  if (point.is_infinity()) return Json::array({to_json(F::zero()), to_json(F::one()), to_json(F::zero())});
  return Json::array({to_json(point.x), to_json(point.y), to_json(F::one())});
}

// JSON.stringify(value, null, 1).
std::string pretty(const Json& value) { return value.dump(1); }

}  // namespace

template <class C>
std::string verification_key_json(const VerifyingKey<C>& key) {
  const typename C::Fq12 alphabeta = pairing<C>(key.alpha1, key.beta2);
  Json ic = Json::array();
  for (const auto& point : key.ic) ic.push_back(to_json(point));
  Json document;
  document["protocol"] = "groth16";
  document["curve"] = std::string(C::name);
  document["nPublic"] = key.n_public();
  document["vk_alpha_1"] = to_json(key.alpha1);
  document["vk_beta_2"] = to_json(key.beta2);
  document["vk_gamma_2"] = to_json(key.gamma2);
  document["vk_delta_2"] = to_json(key.delta2);
  document["vk_alphabeta_12"] = Json::array({to_json(alphabeta.c0), to_json(alphabeta.c1)});
  document["IC"] = std::move(ic);
  return pretty(document);
}

template <class C>
std::string proof_json(const Proof<C>& proof) {
  Json document;
  document["pi_a"] = to_json(proof.a);
  document["pi_b"] = to_json(proof.b);
  document["pi_c"] = to_json(proof.c);
  document["protocol"] = "groth16";
  document["curve"] = std::string(C::name);
  return pretty(document);
}

std::string public_json(std::span<const UInt<4>> values) {
  if (values.empty()) return "[\n]";  // as snarkjs's streaming writer does; JSON.stringify would write []
  Json document = Json::array();
  for (const UInt<4>& value : values) document.push_back(value.to_decimal());
  return pretty(document);
}

#define GROTH16_DEFINE_SNARKJS_JSON(C)                                \
  template std::string verification_key_json(const VerifyingKey<C>&); \
  template std::string proof_json(const Proof<C>&);
GROTH16_DEFINE_SNARKJS_JSON(Bn254)
GROTH16_DEFINE_SNARKJS_JSON(Bls12_381)

}  // namespace groth16::formats
