// The card's transforms are the host's, up to the order that their contract names.
#include <catch2/catch.hpp>
#include <span>
#include <vector>

#include "cuda/ntt.cuh"
#include "groth16/algebra/ntt.hpp"
#include "tests/algebra/random.hpp"
#include "tests/gpu/device_vectors.hpp"

using namespace groth16;
using namespace groth16::test;
using device::DeviceArray;

namespace {

std::size_t reversed(std::size_t value, unsigned bits) {
  std::size_t out = 0;
  for (unsigned i = 0; i < bits; ++i) out |= ((value >> i) & 1) << (bits - 1 - i);
  return out;
}

template <class Fr>
std::vector<Fr> random_vector(unsigned log2, std::uint64_t seed) {
  std::vector<Fr> out(std::size_t{1} << log2);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = Fr::from_montgomery_limbs(random_scalar(seed, i, Fr::modulus()));
  }
  return out;
}

}  // namespace

TEMPLATE_TEST_CASE("both networks compute the transform, on every coset", "[ntt]", Bn254, Bls12_381) {
  using Fr = typename TestType::Fr;
  const device::Stream stream;
  const unsigned log2 = GENERATE(range(1u, 20u));
  CAPTURE(log2);
  const std::size_t size = std::size_t{1} << log2;
  const Fr root = TestType::root_of_unity(DomainRoot::five, log2), coset = Fr::from_u64(log2 % 3 == 0 ? 1 : 7);
  const std::vector<Fr> in = random_vector<Fr>(log2, log2);
  const Domain<Fr> domain(root, log2, Compute(2));
  const device::TwiddleTable<Fr> table(root, coset, log2, stream.get());
  const DeviceArray<Fr> values = on_device<Fr>(in, stream), out(size, "results");

  std::vector<Fr> scaled_before = in, scaled_after = in;
  Domain<Fr>::coset_scale(std::span(scaled_before), coset, Compute(2));
  domain.forward(std::span(scaled_before), Compute(2));
  domain.forward(std::span(scaled_after), Compute(2));
  Domain<Fr>::coset_scale(std::span(scaled_after), coset, Compute(2));

  device::decimate_frequency<Fr>(values.data(), out.data(), table, {}, stream.get());
  const std::vector<Fr> frequency = on_host<Fr>(out.data(), size, stream);
  std::vector<Fr> turned(size);
  for (std::size_t i = 0; i < size; ++i) turned[reversed(i, log2)] = in[i];
  const DeviceArray<Fr> turned_values = on_device<Fr>(turned, stream);
  device::decimate_time<Fr>(turned_values.data(), out.data(), table, {}, stream.get());
  const std::vector<Fr> time = on_host<Fr>(out.data(), size, stream);
  std::size_t differences = 0;
  for (std::size_t i = 0; i < size; ++i) {
    differences += frequency[reversed(i, log2)] == scaled_after[i] ? 0 : 1;
    differences += time[i] == scaled_before[i] ? 0 : 1;
  }
  CHECK(differences == 0);
}

TEMPLATE_TEST_CASE("factors before and a scale after are part of a transform", "[ntt]", Bn254, Bls12_381) {
  using Fr = typename TestType::Fr;
  const device::Stream stream;
  const unsigned log2 = GENERATE(5u, 13u);
  const std::size_t size = std::size_t{1} << log2;
  const Fr root = TestType::root_of_unity(DomainRoot::five, log2), seven = Fr::from_u64(7);
  const device::TwiddleTable<Fr> table(root, Fr::one(), log2, stream.get());
  std::vector<Fr> a = random_vector<Fr>(log2, 1);
  const std::vector<Fr> b = random_vector<Fr>(log2, 2);
  const DeviceArray<Fr> first = on_device<Fr>(a, stream), second = on_device<Fr>(b, stream), out(size, "results"),
                        scale = on_device<Fr>(std::span(&seven, 1), stream);
  device::decimate_frequency<Fr>(first.data(), out.data(), table, {second.data(), scale.data()}, stream.get());
  const std::vector<Fr> got = on_host<Fr>(out.data(), size, stream);
  for (std::size_t i = 0; i < size; ++i) a[i] *= b[i] * seven;
  Domain<Fr>(root, log2).forward(std::span(a), Compute(2));
  for (std::size_t i = 0; i < size; ++i) REQUIRE(got[reversed(i, log2)] == a[i]);
}

TEMPLATE_TEST_CASE("large transforms go there and back", "[ntt][large]", Bn254, Bls12_381) {
  using Fr = typename TestType::Fr;
  const device::Stream stream;
  const unsigned log2 = GENERATE(20u, 21u, 22u, 24u, 26u, 27u, 28u);
  if (log2 == 28 && TestType::id == CurveId::bls12_381) return;
  CAPTURE(log2);
  const std::size_t size = std::size_t{1} << log2;
  const Fr root = TestType::root_of_unity(DomainRoot::five, log2), coset = Fr::from_u64(7);
  const device::TwiddleTable<Fr> there(root, coset, log2, stream.get());
  const device::TwiddleTable<Fr> back(root.inverse(), coset.inverse(), log2, stream.get());
  const Fr size_inverse = Fr::from_u64(size).inverse();
  const DeviceArray<Fr> values(size, "values"), scale = on_device<Fr>(std::span(&size_inverse, 1), stream);
  auto* const limbs = reinterpret_cast<UInt<4>*>(values.data());
  fill_random(limbs, log2, Fr::modulus(), size, stream.get());
  // Coefficients in bit-reversed order to values on the coset, and back.
  device::decimate_time<Fr>(values.data(), values.data(), there, {}, stream.get());
  const std::vector<Fr> middle = on_host<Fr>(values.data(), 1, stream);
  device::decimate_frequency<Fr>(values.data(), values.data(), back, {nullptr, scale.data()}, stream.get());
  const std::vector<Fr> end = on_host<Fr>(values.data(), size, stream);
  std::size_t differences = 0;
  Fr at_coset = Fr::zero();  // value 0: the sum of c_i g^i
  std::vector<Fr> powers(log2);
  powers[0] = coset;
  for (unsigned i = 1; i < log2; ++i) powers[i] = powers[i - 1].square();
  for (std::size_t i = 0; i < size; ++i) {
    const Fr expected = Fr::from_montgomery_limbs(random_scalar(log2, i, Fr::modulus()));
    differences += end[i] == expected ? 0 : 1;
    if (log2 > 22) continue;
    Fr power = Fr::one();
    for (unsigned bit = 0; bit < log2; ++bit) {
      if (((reversed(i, log2) >> bit) & 1) != 0) power *= powers[bit];
    }
    at_coset += expected * power;
  }
  CHECK(differences == 0);
  if (log2 <= 22) CHECK(middle[0] == at_coset);
}
