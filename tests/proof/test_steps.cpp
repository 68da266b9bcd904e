// Each step of a proof against its definition, by the slowest method that can be read at a glance.
#include <catch2/catch.hpp>

#include "groth16/proof/b2.hpp"
#include "groth16/proof/blinding.hpp"
#include "groth16/proof/evaluate.hpp"
#include "groth16/proof/fixed_base.hpp"
#include "groth16/proof/h.hpp"
#include "groth16/proof/sums.hpp"
#include "groth16/proof/witness_msm.hpp"
#include "tests/proof/sample_circuit.hpp"

namespace groth16 {
namespace {

using test::packed;
using test::random_element;

template <class Fr>
Fr evaluate_at(const std::vector<Fr>& coefficients, const Fr& x) {
  Fr sum = Fr::zero();
  for (std::size_t i = coefficients.size(); i-- > 0;) sum = sum * x + coefficients[i];
  return sum;
}

// The coefficients of the polynomial with these values at root^i: one sum for each.
template <class Fr>
std::vector<Fr> interpolate(const std::vector<Fr>& values, const Fr& root) {
  const Fr scale = Fr::from_u64(values.size()).inverse(), inverse_root = root.inverse();
  std::vector<Fr> out;
  for (std::size_t i = 0; i < values.size(); ++i) out.push_back(scale * evaluate_at(values, inverse_root.pow(i)));
  return out;
}

template <class Fr>
std::vector<Fr> multiply(const std::vector<Fr>& a, const std::vector<Fr>& b) {
  std::vector<Fr> out(a.size() + b.size() - 1, Fr::zero());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) out[i + j] += a[i] * b[j];
  }
  return out;
}

template <class C>
void check_h(std::uint32_t log2, DomainRoot root, HBasis basis) {
  using Fr = typename C::Fr;
  const std::size_t n = std::size_t{1} << log2;
  std::mt19937_64 random(log2);
  std::vector<Fr> a(n), b(n), c(n), scratch(n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = random_element<C>(random);
    b[i] = random_element<C>(random);
    c[i] = a[i] * b[i];
  }
  const Fr w = C::root_of_unity(root, log2);
  std::vector<Fr> p = multiply(interpolate(a, w), interpolate(b, w));
  const std::vector<Fr> c_coefficients = interpolate(c, w);
  for (std::size_t i = 0; i < n; ++i) p[i] -= c_coefficients[i];

  h_scalars<C>(log2, root, basis, a, b, scratch, Compute(2));
  if (basis == HBasis::odd_coset_lagrange) {
    const Fr odd = C::root_of_unity(root, log2 + 1);
    for (std::size_t j = 0; j < n; ++j) REQUIRE(a[j] == evaluate_at(p, odd.pow(2 * j + 1)));
    return;
  }
  // Division by X^n - 1: quotient coefficient i is that of X^(n+i), and what is left must cancel.
  REQUIRE(a[n - 1].is_zero());
  for (std::size_t i = 0; i + 1 < n; ++i) {
    REQUIRE(a[i] == p[n + i]);
    REQUIRE((p[i] + p[n + i]).is_zero());
  }
}

TEMPLATE_TEST_CASE("h_scalars are those of the quotient by long division", "", Bn254, Bls12_381) {
  const std::uint32_t log2 = GENERATE(1, 2, 5, 7);
  const HBasis basis = GENERATE(HBasis::odd_coset_lagrange, HBasis::monomial);
  check_h<TestType>(log2, DomainRoot::five, basis);
  if (TestType::has_root(DomainRoot::seven)) check_h<TestType>(log2, DomainRoot::seven, basis);
}

TEMPLATE_TEST_CASE("evaluate gives the rows of A w and B w", "", Bn254, Bls12_381) {
  using Fr = typename TestType::Fr;
  auto sample = test::mixed_circuit<TestType>(700, 9, 3).build();
  const auto system = sample.system();
  const bool spoiled = GENERATE(false, true);
  if (spoiled) {  // an exception among the bits
    std::uint64_t wire = 0;
    while (!system.is_boolean(wire)) ++wire;
    sample.values[wire] = TestType::Fr::modulus() - TestType::Scalar::from_u64(1);
  }
  const auto bytes = packed(sample, system).value();
  const auto witness = PackedWitness<TestType>::open(bytes.bytes(), system).value();
  std::vector<Fr> a(system.domain_size(), Fr::one()), b = a;
  evaluate<TestType>(system, witness, a, b, Compute(2));
  const auto row_value = [&](MatrixId id, std::uint64_t row) {
    Fr sum = Fr::zero();
    if (row >= system.n_rows()) return sum;
    system.matrix(id).for_each_term(row, [&](std::uint32_t wire, std::uint32_t index) {
      sum += system.dictionary()[index] * Fr::from_uint(sample.values[wire]);
    });
    return sum;
  };
  for (std::uint64_t row = 0; row < system.domain_size(); ++row) {
    REQUIRE(a[row] == row_value(MatrixId::a, row));
    REQUIRE(b[row] == row_value(MatrixId::b, row));
  }
}

TEST_CASE("first_unsatisfied_row names the first of several rows, and none for a good witness") {
  auto circuit = test::mixed_circuit<Bn254>(900, 2, 3);
  const auto extra = circuit.add_wire(Bn254::Fr::from_u64(11));
  for (int i = 0; i < 3; ++i)
    circuit.constrain({{extra, Bn254::Fr::one()}}, {{0, Bn254::Fr::one()}}, {{extra, Bn254::Fr::one()}});
  circuit.constrain({{extra, Bn254::Fr::one()}}, {{extra, Bn254::Fr::one()}}, {{0, Bn254::Fr::from_u64(121)}});
  circuit.constrain({{extra, Bn254::Fr::one()}}, {{0, Bn254::Fr::one()}}, {{0, Bn254::Fr::from_u64(11)}});
  auto sample = circuit.build();
  const auto system = sample.system();
  const auto row_of = [&] {
    const auto bytes = packed(sample, system).value();
    return first_unsatisfied_row(system, PackedWitness<Bn254>::open(bytes.bytes(), system).value(), Compute(2));
  };
  CHECK_FALSE(row_of().has_value());
  sample.values[extra] = Bn254::Scalar::from_u64(12);
  CHECK(row_of() == 903);
}

TEMPLATE_TEST_CASE("sums over a packed witness equal the sums over its values", "", Bn254, Bls12_381) {
  using Fr = typename TestType::Fr;
  auto sample = test::mixed_circuit<TestType>(150, 3, 5).build();
  const auto system = sample.system();
  std::uint64_t bit = 0;
  while (!system.is_boolean(bit)) ++bit;
  sample.values[bit] = TestType::Scalar::from_u64(77);
  const auto bytes = packed(sample, system).value();
  const auto witness = PackedWitness<TestType>::open(bytes.bytes(), system).value();
  const auto key_bytes = test::sample_key(sample);
  const auto key = ProvingKey<TestType>::open(key_bytes.bytes()).value();

  const auto naive = [&](auto points, std::uint64_t first_wire) {
    using Point = typename decltype(points)::value_type;
    auto sum = Jacobian<typename Point::Field>::infinity();
    for (std::size_t i = 0; i < points.size(); ++i) sum += times(points[i], sample.values[first_wire + i]);
    return sum.to_affine();
  };
  std::vector<Fr> a(system.domain_size()), b(system.domain_size());
  evaluate<TestType>(system, witness, a, b, Compute(1));
  const auto sums = prove_sums<TestType>(key, witness, a, b, Compute(2));
  REQUIRE(sums);
  CHECK(sums->l == naive(key.l(), system.n_public() + 1));
  CHECK(sums->a == naive(key.a(), 0));
  CHECK(sums->b1 == naive(key.b1(), 0));
  const auto b2 = b_g2_msm(key, witness, Compute(2));
  REQUIRE(b2);
  CHECK(*b2 == naive(key.b2(), 0));

  const auto sums_back = sums_from_bytes<TestType>(to_bytes(*sums));
  REQUIRE(sums_back);
  CHECK(*sums_back == *sums);
  const auto b2_back = b2_from_bytes<TestType>(b2_to_bytes<TestType>(*b2));
  REQUIRE(b2_back);
  CHECK(*b2_back == *b2);
}

TEMPLATE_TEST_CASE("sums and points that are no points are refused", "", Bn254, Bls12_381) {
  const auto& g = TestType::generator_g1();
  auto bytes = to_bytes(ProveSums<TestType>{g, g, TestType::G1::infinity(), g});
  REQUIRE(sums_from_bytes<TestType>(bytes));
  CHECK_FALSE(sums_from_bytes<TestType>(std::span(bytes).first(bytes.size() - 1)));
  auto longer = bytes;
  longer.push_back(std::byte{0});
  CHECK_FALSE(sums_from_bytes<TestType>(longer));
  auto off_curve = bytes;
  off_curve[0] ^= std::byte{2};
  CHECK_FALSE(sums_from_bytes<TestType>(off_curve));
  auto not_canonical = bytes;
  std::fill_n(not_canonical.begin(), TestType::Fq::kBytes, std::byte{0xff});
  CHECK_FALSE(sums_from_bytes<TestType>(not_canonical));
  auto b2 = b2_to_bytes<TestType>(TestType::generator_g2());
  b2[3] ^= std::byte{1};
  CHECK_FALSE(b2_from_bytes<TestType>(b2));
}

TEMPLATE_TEST_CASE("a cancelled stage says so", "", Bn254, Bls12_381) {
  const auto sample = test::mixed_circuit<TestType>(20, 1, 5).build();
  const auto system = sample.system();
  const auto bytes = packed(sample, system).value();
  const auto witness = PackedWitness<TestType>::open(bytes.bytes(), system).value();
  const auto key_bytes = test::sample_key(sample);
  const auto key = ProvingKey<TestType>::open(key_bytes.bytes()).value();
  Pulse pulse;
  pulse.cancel = true;
  std::vector<typename TestType::Fr> a(system.domain_size()), b(system.domain_size());
  const auto sums = prove_sums<TestType>(key, witness, a, b, Compute(2, &pulse));
  REQUIRE_FALSE(sums);
  CHECK(sums.error().code == groth16d::ErrorCode::cancelled);
  const auto b2 = b_g2_msm(key, witness, Compute(2, &pulse));
  REQUIRE_FALSE(b2);
  CHECK(b2.error().code == groth16d::ErrorCode::cancelled);
}

TEMPLATE_TEST_CASE("multiples of a fixed base equal double and add", "", Bn254::Fq, Bls12_381::Fq2) {
  using C = std::conditional_t<std::is_same_v<TestType, Bn254::Fq>, Bn254, Bls12_381>;
  Affine<TestType> base;
  if constexpr (std::is_same_v<TestType, Bn254::Fq>) {
    base = C::generator_g1();
  } else {
    base = C::generator_g2();
  }
  std::mt19937_64 random(1);
  std::vector<typename C::Fr> scalars{C::Fr::zero(), C::Fr::one(), -C::Fr::one(), C::Fr::from_u64(256)};
  while (scalars.size() < 300) scalars.push_back(random_element<C>(random));
  std::vector<Affine<TestType>> out(scalars.size());
  FixedBase<TestType>(base).multiply(std::span<const typename C::Fr>(scalars), std::span<Affine<TestType>>(out),
                                     Compute(2));
  for (std::size_t i = 0; i < scalars.size(); i += i < 4 ? 1 : 37) {
    REQUIRE(out[i] == times(base, scalars[i].to_uint()).to_affine());
  }
}

TEMPLATE_TEST_CASE("drawn scalars are below r, differ, and use the whole range", "", Bn254, Bls12_381) {
  typename TestType::Scalar previous = TestType::Scalar::zero();
  bool upper_half = false, lower_half = false;
  for (int i = 0; i < 64; ++i) {  // 2^-63 to see one half only
    const auto scalar = draw_scalar<TestType>();
    REQUIRE(scalar);
    REQUIRE(TestType::Fr::is_canonical(*scalar));
    REQUIRE_FALSE(*scalar == previous);
    previous = *scalar;
    (*scalar > (TestType::Fr::modulus() >> 1) ? upper_half : lower_half) = true;
  }
  CHECK(upper_half);
  CHECK(lower_half);
}

TEST_CASE("a blinding can be moved and not copied") {
  static_assert(!std::is_copy_constructible_v<Blinding<Bn254>>);
  static_assert(std::is_nothrow_move_constructible_v<Blinding<Bn254>>);
  CHECK(Blinding<Bn254>::draw().has_value());
}

TEST_CASE("predicted private memory grows with the circuit up to the gathered block") {
  const SystemSizes small{1000, 2, 1000, 10}, large{std::uint64_t{1} << 22, 2, 1000, 22};
  CHECK(evaluate_private_bytes(small) > 0);
  CHECK(h_private_bytes(small) >= small.domain_size() * 48);
  CHECK(prove_private_bytes<Bn254>(small, 500, 2) > h_private_bytes(small));
  CHECK(prove_private_bytes<Bn254>(large, 500, 2) >= h_private_bytes(large));
  CHECK(b2_private_bytes<Bn254>(small, 500, 2) < b2_private_bytes<Bn254>(small, 501, 2));
  CHECK(b2_private_bytes<Bls12_381>(large, kGatherBlock, 2) == b2_private_bytes<Bls12_381>(large, 2 * kGatherBlock, 2));
}

}  // namespace
}  // namespace groth16
