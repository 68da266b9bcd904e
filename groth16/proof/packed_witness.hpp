// PackedWitness: the values of all wires as one flat span of bytes, the contents of a segment "witness": public values
// first, one bit for each boolean wire, 32 bytes for each other private wire, and a bounded list of exceptions (boolean
// wires that hold another value). Only together with its constraint system does it have a meaning.
//
// Values are plain integers below r (not Montgomery form), little-endian. Errors never name a value.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/error.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/algebra/uint.hpp"
#include "groth16/proof/constraint_system.hpp"

namespace groth16 {

struct WitnessException {
  std::uint32_t wire;
  std::uint32_t zero;  // padding, always 0
  UInt<4> value;
};

// The first bytes of the span; offsets are from its start, every array is aligned to 8 bytes.
struct WitnessHeader {
  static constexpr std::array<char, 8> kMagic{'g', '1', '6', 'w', 'i', 't', 'n', '\0'};
  static constexpr std::uint32_t kLayoutVersion = 1;

  std::array<char, 8> magic;
  std::uint32_t layout_version;
  std::uint32_t curve;  // CurveId
  std::uint64_t n_vars, n_public, n_boolean, n_full;
  std::uint64_t n_exceptions, exception_capacity;
  std::uint64_t public_offset;     // (n_public + 1) x 32 bytes: w_0 = 1, w_1 ...
  std::uint64_t bits_offset;       // ceil(n_boolean / 64) x u64, in the order of the wires
  std::uint64_t full_offset;       // n_full x 32 bytes, in the order of the wires
  std::uint64_t exception_offset;  // exception_capacity x WitnessException, wires rising
  std::uint64_t total_bytes;
};

// The size of every packed witness of a system.
template <class C>
std::uint64_t packed_witness_bytes(const ConstraintSystem<C>& system);
std::uint64_t packed_witness_bytes(const SystemSizes& sizes, std::uint64_t n_boolean, bool has_c);

// The most that a packed witness of a system of these sizes can take, for a budget before the circuit is loaded.
std::uint64_t packed_witness_bytes_bound(const SystemSizes& sizes);

template <class C>
class PackedWitness {
 public:
  using Scalar = typename C::Scalar;

  // The bytes outlive the view, and so does the system. Errors (malformed): witness.magic, .version, .length,
  // .<array>.bounds, .one (w_0 is not 1); mismatch: .curve, .sizes (another system's).
  static groth16d::Result<PackedWitness> open(std::span<const std::byte> bytes, const ConstraintSystem<C>& system);

  // w_0 = 1, then the public inputs.
  std::span<const Scalar> public_values() const { return public_; }
  std::span<const Scalar> public_inputs() const { return public_.subspan(1); }
  std::span<const std::uint64_t> bits() const { return bits_; }
  std::span<const Scalar> full_values() const { return full_; }
  std::span<const WitnessException> exceptions() const { return exceptions_; }

  const ConstraintSystem<C>& system() const { return *system_; }

  // The value of a wire below n_vars. A few memory accesses; no search where there are no exceptions.
  Scalar value(std::uint64_t wire) const;

  // One bit for each *wire*, set where the wire is boolean and holds 1; ceil(n_vars / 64) words. What an MSM takes for
  // the boolean wires, and n_vars / 8 bytes of private memory.
  std::vector<std::uint64_t> wire_bits(const Compute& compute) const;

  // Calls fn(wire, value) for every wire that wire_bits does not speak for: public values, full values, exceptions, in
  // this order. A wire not named, with its bit not set, is 0. Stops when fn returns false.
  template <class Fn>
  void for_each_full_value(Fn&& fn) const {
    for (std::uint64_t wire = 0; wire < public_.size(); ++wire) {
      if (!fn(static_cast<std::uint32_t>(wire), public_[wire])) return;
    }
    const std::span<const std::uint64_t> bitmap = system_->boolean_bitmap();
    std::uint64_t next = 0;
    for (std::uint64_t word = public_.size() / 64; word < bitmap.size(); ++word) {
      for (std::uint64_t full = full_wires_of(word, bitmap[word]); full != 0; full &= full - 1) {
        const std::uint64_t wire = 64 * word + static_cast<std::uint64_t>(std::countr_zero(full));
        if (!fn(static_cast<std::uint32_t>(wire), full_[next++])) return;
      }
    }
    for (const WitnessException& exception : exceptions_) {
      if (!fn(exception.wire, exception.value)) return;
    }
  }

 private:
  // The private, not boolean wires among wires 64 word .. 64 word + 63, as a mask.
  std::uint64_t full_wires_of(std::uint64_t word, std::uint64_t boolean) const {
    const std::uint64_t first = 64 * word;
    std::uint64_t mask = ~boolean;
    if (first < public_.size()) mask &= ~std::uint64_t{0} << (public_.size() - first);
    const std::uint64_t n_vars = system_->n_vars();
    if (n_vars - first < 64) mask &= (std::uint64_t{1} << (n_vars - first)) - 1;
    return mask;
  }

  const ConstraintSystem<C>* system_ = nullptr;
  std::span<const Scalar> public_;
  std::span<const std::uint64_t> bits_;
  std::span<const Scalar> full_;
  std::span<const WitnessException> exceptions_;
};

// Fills a packed witness wire by wire, in rising order; for who computes values instead of reading them.
template <class C>
class PackedWitnessWriter {
 public:
  using Scalar = typename C::Scalar;

  // out has packed_witness_bytes(system) bytes and is aligned to 8; both outlive the writer. Error (internal):
  // witness.length.
  static groth16d::Result<PackedWitnessWriter> create(const ConstraintSystem<C>& system, std::span<std::byte> out);

  // The next wire's value. Exceptions beyond the capacity are counted and not stored.
  void append(const Scalar& value);

  // Errors (unsatisfied): witness.booleans, the wires of more rows than the list can hold are not bits; (malformed):
  // witness.count, .not_canonical, .one.
  groth16d::Result<void> finish();

 private:
  const ConstraintSystem<C>* system_ = nullptr;
  std::span<std::byte> out_;
  WitnessHeader header_{};
  std::span<Scalar> public_;
  std::span<std::uint64_t> bits_;
  std::span<Scalar> full_;
  std::span<WitnessException> exceptions_;
  std::uint64_t next_wire_ = 0, next_bit_ = 0, next_full_ = 0;
  std::uint64_t n_not_canonical_ = 0, first_not_canonical_ = 0;
  std::uint64_t n_exceptions_ = 0;
};

// The arrays of a packed witness, for a generator that knows from its own circuit which wires are bits.
template <class C>
struct PackedWitnessArrays {
  std::span<typename C::Scalar> publics;  // n_public + 1; w_0 = 1 is there
  std::span<std::uint64_t> bits;          // n_boolean bits, all 0
  std::span<typename C::Scalar> full;     // n_full
};

// Makes out, of packed_witness_bytes(system) bytes and aligned to 8, a packed witness without exceptions whose arrays
// are to be filled. Error (internal): witness.length.
template <class C>
groth16d::Result<PackedWitnessArrays<C>> lay_out_packed_witness(const ConstraintSystem<C>& system,
                                                                std::span<std::byte> out);

// Packs the values of all wires, w_0 first: n_vars times 32 bytes, little-endian, at any alignment (as a .wtns file
// maps them). Errors: those of PackedWitnessWriter; witness.count (mismatch) for another number of values.
template <class C>
groth16d::Result<void> pack_witness(std::span<const std::byte> values, const ConstraintSystem<C>& system,
                                    std::span<std::byte> out);
template <class C>
groth16d::Result<void> pack_witness(std::span<const UInt<4>> values, const ConstraintSystem<C>& system,
                                    std::span<std::byte> out) {
  return pack_witness<C>(std::as_bytes(values), system, out);
}

#define GROTH16_DECLARE_PACKED_WITNESS(C)                                                                        \
  extern template std::uint64_t packed_witness_bytes(const ConstraintSystem<C>&);                                \
  extern template class PackedWitness<C>;                                                                        \
  extern template class PackedWitnessWriter<C>;                                                                  \
  extern template groth16d::Result<PackedWitnessArrays<C>> lay_out_packed_witness(const ConstraintSystem<C>&,    \
                                                                                  std::span<std::byte>);         \
  extern template groth16d::Result<void> pack_witness<C>(std::span<const std::byte>, const ConstraintSystem<C>&, \
                                                         std::span<std::byte>);
GROTH16_DECLARE_PACKED_WITNESS(Bn254)
GROTH16_DECLARE_PACKED_WITNESS(Bls12_381)
#undef GROTH16_DECLARE_PACKED_WITNESS

}  // namespace groth16
