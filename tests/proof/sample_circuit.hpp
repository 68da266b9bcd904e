// Small circuits for tests: built gate by gate together with a witness that satisfies them.
#pragma once

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "groth16/proof/constraint_system_builder.hpp"
#include "groth16/proof/keygen.hpp"
#include "groth16/proof/packed_witness.hpp"
#include "groth16/proof/proving_key.hpp"

namespace groth16::test {

// Bytes aligned as a segment's are.
class FlatBytes {
 public:
  explicit FlatBytes(std::uint64_t size = 0) : words_((size + 7) / 8), size_(size) {}
  std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(words_)).first(size_); }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(words_)).first(size_); }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_;
};

template <class C>
typename C::Fr random_element(std::mt19937_64& random) {
  return C::Fr::from_uint({{random(), random(), random(), random()}});
}

// A system and the values of its wires, plain.
template <class C>
struct Sample {
  FlatBytes system_bytes;
  std::vector<typename C::Scalar> values;

  ConstraintSystem<C> system() const { return ConstraintSystem<C>::open(system_bytes.bytes(), SpanCheck::all).value(); }
};

// Gates are methods that return their output wire. Public wires are declared first.
template <class C>
class Circuit {
 public:
  using Fr = typename C::Fr;
  using Terms = std::vector<std::pair<std::uint32_t, Fr>>;
  struct Row {
    Terms a, b, c;
  };

  std::uint32_t add_public(const Fr& value) {
    ++n_public_;
    return add_wire(value);
  }
  std::uint32_t add_wire(const Fr& value) {
    values_.push_back(value);
    return static_cast<std::uint32_t>(values_.size() - 1);
  }

  void constrain(Terms a, Terms b, Terms c) { rows_.push_back({std::move(a), std::move(b), std::move(c)}); }

  std::uint32_t product(const Terms& a, const Terms& b) {
    const std::uint32_t out = add_wire(value_of(a) * value_of(b));
    constrain(a, b, {{out, Fr::one()}});
    return out;
  }
  // A new bit, scaled: (scale x) (x - 1) = 0 or (scale x) (1 - x) = 0 the other way round.
  std::uint32_t bit(bool value, const Fr& scale, bool swapped) {
    const std::uint32_t x = add_wire(value ? Fr::one() : Fr::zero());
    const Terms scaled{{x, scale}}, minus_one{{x, Fr::one()}, {0, -Fr::one()}},
        from_one{{0, Fr::one()}, {x, -Fr::one()}};
    if (swapped) {
      constrain(from_one, scaled, {});
    } else {
      constrain(scaled, minus_one, {});
    }
    return x;
  }
  // 2 x * y = x + y - out.
  std::uint32_t exclusive_or(std::uint32_t x, std::uint32_t y) {
    const Fr two = Fr::from_u64(2);
    const std::uint32_t out = add_wire(values_[x] + values_[y] - two * values_[x] * values_[y]);
    constrain({{x, two}}, {{y, Fr::one()}}, {{x, Fr::one()}, {y, Fr::one()}, {out, -Fr::one()}});
    return out;
  }

  const Fr& value(std::uint32_t wire) const { return values_[wire]; }
  void set_value(std::uint32_t wire, const Fr& value) { values_[wire] = value; }
  std::uint64_t n_constraints() const { return rows_.size(); }

  Sample<C> build(bool with_c = true) const {
    SystemSizes sizes{values_.size(), n_public_, rows_.size(), 0};
    sizes.domain_log2 = smallest_domain_log2(sizes.n_rows());
    ConstraintSystemBuilder<C> builder(sizes, with_c);
    for (std::uint64_t row = 0; row < rows_.size(); ++row) {
      add_terms(builder, MatrixId::a, row, rows_[row].a);
      add_terms(builder, MatrixId::b, row, rows_[row].b);
      if (with_c) add_terms(builder, MatrixId::c, row, rows_[row].c);
    }
    builder.add_public_rows();
    Sample<C> sample;
    sample.system_bytes = FlatBytes(builder.serialized_bytes());
    builder.write(sample.system_bytes.bytes());
    for (const Fr& value : values_) sample.values.push_back(value.to_uint());
    return sample;
  }

 private:
  static void add_terms(ConstraintSystemBuilder<C>& builder, MatrixId matrix, std::uint64_t row, const Terms& terms) {
    for (const auto& [wire, coefficient] : terms) builder.add(matrix, row, wire, coefficient);
  }
  Fr value_of(const Terms& terms) const {
    Fr sum = Fr::zero();
    for (const auto& [wire, coefficient] : terms) sum += coefficient * values_[wire];
    return sum;
  }

  std::vector<Fr> values_{Fr::one()};
  std::uint64_t n_public_ = 0;
  std::vector<Row> rows_;
};

// n_constraints gates of all kinds over n_public random public inputs: products with many coefficients, repeated wires
// in a row, bits and exclusive ors, and now and then a wire that no row uses.
template <class C>
Circuit<C> mixed_circuit(std::uint64_t n_constraints, std::uint64_t n_public, std::uint64_t seed) {
  using Fr = typename C::Fr;
  std::mt19937_64 random(seed);
  Circuit<C> circuit;
  std::vector<std::uint32_t> numbers{0}, bits;
  for (std::uint64_t i = 0; i < n_public; ++i) numbers.push_back(circuit.add_public(random_element<C>(random)));
  const auto pick = [&](const std::vector<std::uint32_t>& from) { return from[random() % from.size()]; };
  while (circuit.n_constraints() < n_constraints) {
    const std::uint64_t kind = random() % 8;
    if (kind < 2) {
      bits.push_back(circuit.bit(random() % 2 == 0, random_element<C>(random), random() % 2 == 0));
    } else if (kind < 4 && !bits.empty()) {
      bits.push_back(circuit.exclusive_or(pick(bits), pick(bits)));
    } else {
      const std::uint32_t x = pick(numbers), y = bits.empty() ? pick(numbers) : pick(bits);
      numbers.push_back(circuit.product({{x, random_element<C>(random)}, {y, Fr::from_u64(3)}, {x, Fr::one()}},
                                        {{pick(numbers), -Fr::one()}, {0, Fr::from_u64(7)}}));
    }
    if (kind == 7) circuit.add_wire(random_element<C>(random));
  }
  return circuit;
}

// A key of the sample's system with fixed toxic values.
template <class C>
FlatBytes sample_key(const Sample<C>& sample, HBasis basis = HBasis::odd_coset_lagrange,
                     DomainRoot root = DomainRoot::five) {
  const ConstraintSystem<C> system = sample.system();
  FlatBytes key(generated_key_bytes(system, basis));
  REQUIRE(generate_key(system, ToxicWaste<C>::from_seed(1), basis, root, key.bytes(), Compute(2)));
  return key;
}

// The sample's values packed; the error of packing is the caller's to see.
template <class C>
groth16d::Result<FlatBytes> packed(const Sample<C>& sample, const ConstraintSystem<C>& system) {
  FlatBytes bytes(packed_witness_bytes(system));
  const auto done = pack_witness<C>(std::span<const UInt<4>>(sample.values), system, bytes.bytes());
  if (!done) return tl::unexpected(done.error());
  return bytes;
}

}  // namespace groth16::test
