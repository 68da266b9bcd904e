// Our values against those of @noble/curves and ffjavascript, which vectors/make_vectors.mjs wrote just before.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "groth16/algebra/curves.hpp"
#include "groth16/algebra/msm.hpp"
#include "groth16/algebra/ntt.hpp"
#include "groth16/algebra/pairing.hpp"

using groth16::Affine;
using groth16::Compute;
using groth16::UInt;
using nlohmann::json;

namespace {

const json& vectors() {
  static const json document = [] {
    const char* path = std::getenv("GROTH16D_ALGEBRA_VECTORS");
    if (path == nullptr) throw std::runtime_error("GROTH16D_ALGEBRA_VECTORS is not set; run through vectors/judge.sh");
    std::ifstream file(path);
    return json::parse(file);
  }();
  return document;
}

// Calls check.operator()<C>(record) with the record of each curve and judge.
template <class Check>
void for_each_judge(Check check) {
  std::size_t records = 0;
  for (const json& curve : vectors().at("curves")) {
    const auto id = groth16::curve_from_name(curve.at("name").get<std::string>());
    REQUIRE(id.has_value());
    for (const json& record : curve.at("judges")) {
      INFO("the judge is " << record.at("judge") << " on " << curve.at("name"));
      groth16::with_curve(*id, [&]<class C>() { check.template operator()<C>(record); });
      ++records;
    }
  }
  CHECK(records == 4);
}

template <class F>
F prime_element(const json& text) {
  const auto value = F::Integer::parse(text.get<std::string>());
  REQUIRE(value.has_value());
  REQUIRE(F::is_canonical(*value));
  return F::from_uint(*value);
}

// A coordinate: one number, or two for the extension field.
template <class F>
F coordinate(const json& parts) {
  if constexpr (requires { F::zero().c0; }) {
    REQUIRE(parts.size() == 2);
    return F{prime_element<typename F::Prime>(parts.at(0)), prime_element<typename F::Prime>(parts.at(1))};
  } else {
    REQUIRE(parts.size() == 1);
    return prime_element<F>(parts.at(0));
  }
}

template <class F>
Affine<F> point(const json& record) {
  return {coordinate<F>(record.at("x")), coordinate<F>(record.at("y"))};
}

template <class C>
UInt<4> scalar(const json& text) {
  return prime_element<typename C::Fr>(text).to_uint();
}

template <class F>
void check_field(const json& records) {
  REQUIRE(records.size() >= 20);
  for (const json& record : records) {
    const F a = prime_element<F>(record.at("a")), b = prime_element<F>(record.at("b"));
    CHECK(a + b == prime_element<F>(record.at("sum")));
    CHECK(a - b == prime_element<F>(record.at("difference")));
    CHECK(a * b == prime_element<F>(record.at("product")));
    CHECK(a.inverse() == prime_element<F>(record.at("inverse")));
  }
}

template <class T>
std::string memory_hex(const T& value) {
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof value);
  std::string text;
  for (const unsigned char byte : bytes) {
    text.push_back("0123456789abcdef"[byte >> 4]);
    text.push_back("0123456789abcdef"[byte & 15]);
  }
  return text;
}

template <class C, class F>
void check_multiples(const Affine<F>& generator, const json& records) {
  REQUIRE(records.size() >= 10);
  for (const json& record : records) {
    const auto ours = times(generator, scalar<C>(record.at("scalar"))).to_affine();
    CHECK(ours == point<F>(record));
    CHECK(C::in_subgroup(point<F>(record)));
    if (record.contains("memory")) CHECK(memory_hex(ours) == record.at("memory").get<std::string>());
  }
}

// The twelve numbers of a value, in the order of the tower.
template <class C>
std::vector<typename C::Fq> numbers(const typename C::Fq12& value) {
  std::vector<typename C::Fq> out;
  for (const auto& half : {value.c0, value.c1}) {
    for (const auto& part : {half.c0, half.c1, half.c2}) {
      out.push_back(part.c0);
      out.push_back(part.c1);
    }
  }
  return out;
}

template <class C, class F>
void check_sum(const Affine<F>& generator, const json& scalars, const json& expected) {
  std::vector<Affine<F>> points;
  std::vector<UInt<4>> factors;
  for (const json& text : scalars) {
    factors.push_back(scalar<C>(text));
    points.push_back(times(generator, UInt<1>::from_u64(points.size() + 1)).to_affine());
  }
  CHECK(groth16::msm<F>(points, factors, Compute(2)) == point<F>(expected));
}

}  // namespace

TEST_CASE("field arithmetic equals the judges'", "[vectors]") {
  for_each_judge([]<class C>(const json& record) {
    check_field<typename C::Fq>(record.at("fq"));
    check_field<typename C::Fr>(record.at("fr"));
  });
}

TEST_CASE("multiples of the generators equal the judges', in memory too", "[vectors]") {
  for_each_judge([]<class C>(const json& record) {
    check_multiples<C>(C::generator_g1(), record.at("g1"));
    check_multiples<C>(C::generator_g2(), record.at("g2"));
  });
}

TEST_CASE("pairings equal the judges' in all twelve numbers", "[vectors]") {
  for_each_judge([]<class C>(const json& record) {
    REQUIRE(record.at("pairings").size() >= 3);
    for (const json& pairing : record.at("pairings")) {
      const auto p = times(C::generator_g1(), scalar<C>(pairing.at("a"))).to_affine();
      const auto q = times(C::generator_g2(), scalar<C>(pairing.at("b"))).to_affine();
      std::vector<typename C::Fq> expected;
      for (const json& text : pairing.at("value")) expected.push_back(prime_element<typename C::Fq>(text));
      CHECK(numbers<C>(groth16::pairing<C>(p, q)) == expected);
    }
  });
}

TEST_CASE("multi-scalar sums and transforms equal ffjavascript's", "[vectors]") {
  std::size_t judged = 0;
  for_each_judge([&]<class C>(const json& record) {
    using Fr = typename C::Fr;
    if (!record.contains("sum")) return;
    ++judged;
    const json& sum = record.at("sum");
    check_sum<C>(C::generator_g1(), sum.at("scalars"), sum.at("g1"));
    check_sum<C>(C::generator_g2(), sum.at("scalars"), sum.at("g2"));

    const json& transform = record.at("transform");
    const Fr root = C::root_of_unity(groth16::DomainRoot::five, 6);
    CHECK(root == prime_element<Fr>(transform.at("root")));
    std::vector<Fr> values, expected;
    for (const json& text : transform.at("input")) values.push_back(prime_element<Fr>(text));
    for (const json& text : transform.at("output")) expected.push_back(prime_element<Fr>(text));
    REQUIRE(values.size() == 64);
    groth16::Domain<Fr>(root, 6).forward(values, Compute(2));
    CHECK(values == expected);
  });
  CHECK(judged == 2);
}
