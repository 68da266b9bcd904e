// One kernel, so many times: what instructions.sh counts under callgrind. The difference between two runs is the
// kernel's own.
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <vector>

#include "groth16/algebra/curves.hpp"
#include "groth16/algebra/msm.hpp"
#include "groth16/algebra/ntt.hpp"

namespace {

using namespace groth16;

template <class F>
F product(unsigned times) {
  F value = F::from_u64(3);
  const F factor = value.inverse();
  for (unsigned i = 0; i < 1000 * times; ++i) value *= factor;
  return value;
}

template <class F>
F inverse(unsigned times) {
  F value = F::from_u64(3);
  for (unsigned i = 0; i < 10 * times; ++i) value = value.inverse() + F::one();
  return value;
}

template <class C>
typename C::Fq msm_1024(unsigned times) {
  std::vector<typename C::G1> points;
  std::vector<typename C::Scalar> scalars;
  auto point = Jacobian<typename C::Fq>::from_affine(C::generator_g1());
  auto scalar = C::Fr::from_u64(7);
  for (unsigned i = 0; i < 1024; ++i, point = point.doubled(), scalar = scalar.square()) {
    points.push_back(point.to_affine());
    scalars.push_back(scalar.to_uint());
  }
  auto sum = Jacobian<typename C::Fq>::infinity();
  for (unsigned i = 0; i < times; ++i) {
    sum += msm(std::span<const typename C::G1>(points), std::span<const typename C::Scalar>(scalars), Compute(1));
  }
  return sum.to_affine().x;
}

template <class C>
typename C::Fr ntt_4096(unsigned times) {
  const Domain<typename C::Fr> domain(C::root_of_unity(DomainRoot::five, 12), 12, Compute(1));
  std::vector<typename C::Fr> values(domain.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = C::Fr::from_u64(i);
  for (unsigned i = 0; i < times; ++i) domain.forward(std::span(values), Compute(1));
  return values[1];
}

template <class C>
bool run(std::string_view kernel, unsigned times) {
  if (kernel == "fr_product") return !product<typename C::Fr>(times).is_zero();
  if (kernel == "fq_product") return !product<typename C::Fq>(times).is_zero();
  if (kernel == "fq_inverse") return !inverse<typename C::Fq>(times).is_zero();
  if (kernel == "msm_1024") return !msm_1024<C>(times).is_zero();
  if (kernel == "ntt_4096") return !ntt_4096<C>(times).is_zero();
  return false;
}

}  // namespace

// count_instructions CURVE KERNEL TIMES: a time is 1000 products, 10 inverses, one MSM of 1024 points or one NTT of
// 4096 elements, on one thread.
int main(int argc, char** argv) {
  if (argc != 4) return EXIT_FAILURE;
  const auto times = static_cast<unsigned>(std::atoi(argv[3]));
  const std::string_view curve = argv[1];
  const bool known = curve == Bn254::name ? run<Bn254>(argv[2], times) : run<Bls12_381>(argv[2], times);
  if (!known) std::cerr << argv[2] << ": no such kernel\n";
  return known ? EXIT_SUCCESS : EXIT_FAILURE;
}
