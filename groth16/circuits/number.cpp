#include "groth16/circuits/number.hpp"

#include <algorithm>

namespace groth16::circuits {

namespace {

constexpr std::size_t kScalarBits = 255;
constexpr std::size_t kCapacityBits = 254;  // any number of this many bits is below r

struct Packed {
  LinearCombination sum;
  Fr value = Fr::zero();
};

Packed sum_of(std::span<const Bit> bits) {
  Packed packed;
  Scalar integer{};
  for (std::size_t i = 0; i < bits.size(); ++i) {
    bits[i].add_to(packed.sum, power_of_two(static_cast<unsigned>(i)));
    if (bits[i].value()) integer.limb[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  packed.value = Fr::from_uint(integer);
  return packed;
}

}  // namespace

Number alloc_number(CircuitBuilder& builder, const Fr& value) { return {builder.alloc(value), value}; }

Number alloc_number(CircuitBuilder& builder, const Scalar& value) {
  return alloc_number(builder, Fr::from_uint(value));
}

void enforce_equal(CircuitBuilder& builder, const Number& a, const Number& b) {
  builder.enforce(a.variable, kOne, b.variable);
}

void make_public(CircuitBuilder& builder, const Number& number) {
  builder.enforce(builder.alloc_public(number.value), kOne, number.variable);
}

Number add(CircuitBuilder& builder, const Number& a, const Number& b) {
  const Number sum = alloc_number(builder, a.value + b.value);
  builder.enforce(LinearCombination(a.variable) + b.variable, kOne, sum.variable);
  return sum;
}

Number pick(CircuitBuilder& builder, Bit condition, const Number& a, const Number& b) {
  const Number picked = alloc_number(builder, condition.value() ? a.value : b.value);
  builder.enforce(LinearCombination(b.variable) - a.variable, condition.combination(),
                  LinearCombination(b.variable) - picked.variable);
  return picked;
}

std::vector<Bit> to_bits(CircuitBuilder& builder, const Number& number) {
  const Scalar integer = number.value.to_uint();
  std::vector<Bit> bits;
  bits.reserve(kScalarBits);
  for (std::size_t i = 0; i < kScalarBits; ++i) bits.push_back(alloc_bit(builder, integer.bit(i)));
  builder.enforce({}, {}, sum_of(bits).sum - number.variable);
  return bits;
}

Number pack(CircuitBuilder& builder, std::span<const Bit> bits) {
  const Packed packed = sum_of(bits.first(std::min(bits.size(), kCapacityBits)));
  const Number number = alloc_number(builder, packed.value);
  builder.enforce(packed.sum, kOne, number.variable);
  return number;
}

void pack_public(CircuitBuilder& builder, std::span<const Bit> bits) {
  const Packed packed = sum_of(bits);
  builder.enforce(packed.sum, kOne, builder.alloc_public(packed.value));
}

std::vector<Bit> alloc_u64(CircuitBuilder& builder, std::uint64_t value) {
  std::vector<Bit> bits;
  bits.reserve(64);
  for (unsigned i = 0; i < 64; ++i) bits.push_back(alloc_bit(builder, ((value >> i) & 1) != 0));
  return bits;
}

std::vector<Bit> reverse_in_bytes(std::span<const Bit> bits) {
  std::vector<Bit> reversed(bits.begin(), bits.end());
  reversed.resize((bits.size() + 7) / 8 * 8, Bit::constant(false));
  for (auto byte = reversed.begin(); byte != reversed.end(); byte += 8) std::reverse(byte, byte + 8);
  return reversed;
}

std::vector<Bit> to_message_bits(CircuitBuilder& builder, const Number& number) {
  return reverse_in_bytes(to_bits(builder, number));
}

}  // namespace groth16::circuits
