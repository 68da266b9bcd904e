// WitnessStream: where a native generator puts the values of a circuit's variables, in the order of their allocation,
// straight into the arrays of a packed witness: bits by the word, numbers by 32 bytes.
#pragma once

#include <cstdint>
#include <span>

#include "common/error.hpp"
#include "groth16/circuits/linear_combination.hpp"
#include "groth16/proof/packed_witness.hpp"

namespace groth16::circuits {

class WitnessStream {
 public:
  explicit WitnessStream(const PackedWitnessArrays<Bls12_381>& arrays) : arrays_(arrays) {}

  void put_public(const Scalar& value) {
    if (n_public_ + 1 < arrays_.publics.size()) arrays_.publics[n_public_ + 1] = value;
    ++n_public_;
  }

  void put(const Scalar& value) {
    if (n_full_ < arrays_.full.size()) arrays_.full[n_full_] = value;
    ++n_full_;
  }
  void put(const Fr& value) { put(value.to_uint()); }

  // The lowest count bits of bits, the least significant first; the others are 0. count: 0 to 64.
  void put_bits(std::uint64_t bits, unsigned count) {
    const std::uint64_t word = n_bits_ / 64;
    const auto shift = static_cast<unsigned>(n_bits_ % 64);
    n_bits_ += count;
    if (count == 0 || (n_bits_ + 63) / 64 > arrays_.bits.size()) return;
    arrays_.bits[word] |= bits << shift;
    if (shift + count > 64) arrays_.bits[word + 1] |= bits >> (64 - shift);
  }

  // The bits of value where mask has a 1, in their order.
  void put_masked(std::uint64_t value, std::uint64_t mask);

  // What was put so far.
  std::uint64_t n_public() const { return n_public_; }
  std::uint64_t n_bits() const { return n_bits_; }
  std::uint64_t n_full() const { return n_full_; }

  // Whether the system's variables were told, no fewer and no more. Error (internal): witness.generator.
  groth16d::Result<void> finish(const ConstraintSystem<Bls12_381>& system) const;

 private:
  PackedWitnessArrays<Bls12_381> arrays_;
  std::uint64_t n_public_ = 0, n_bits_ = 0, n_full_ = 0;
};

}  // namespace groth16::circuits
