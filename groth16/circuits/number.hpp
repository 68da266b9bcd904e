// Number: a private variable with its value, and the gadgets between numbers, bits and public inputs.
#pragma once

#include <span>
#include <vector>

#include "groth16/circuits/bit.hpp"
#include "groth16/circuits/circuit_builder.hpp"

namespace groth16::circuits {

struct Number {
  Variable variable;
  Fr value;
};

// Without a row: any value satisfies.
Number alloc_number(CircuitBuilder& builder, const Fr& value);
Number alloc_number(CircuitBuilder& builder, const Scalar& value);

// a = b.
void enforce_equal(CircuitBuilder& builder, const Number& a, const Number& b);

// A public input that equals the number.
void make_public(CircuitBuilder& builder, const Number& number);

Number add(CircuitBuilder& builder, const Number& a, const Number& b);

// condition ? a : b.
Number pick(CircuitBuilder& builder, Bit condition, const Number& a, const Number& b);

// 255 bits, least significant first, that sum up to the number modulo r (they may name it plus r).
std::vector<Bit> to_bits(CircuitBuilder& builder, const Number& number);

// The number that the first 254 bits name, least significant first; further bits are dropped.
Number pack(CircuitBuilder& builder, std::span<const Bit> bits);

// A public input that the bits name, least significant first; at most 64 bits.
void pack_public(CircuitBuilder& builder, std::span<const Bit> bits);

// A 64-bit value as 64 bits, least significant first.
std::vector<Bit> alloc_u64(CircuitBuilder& builder, std::uint64_t value);

// Zeros up to a whole number of bytes, then the order of the bits inside every byte reversed: from least to most
// significant bit first, and back.
std::vector<Bit> reverse_in_bytes(std::span<const Bit> bits);

// The bits of a digest or tree node as SHA-256 reads them: reverse_in_bytes(to_bits(number)), 256 bits.
std::vector<Bit> to_message_bits(CircuitBuilder& builder, const Number& number);

}  // namespace groth16::circuits
