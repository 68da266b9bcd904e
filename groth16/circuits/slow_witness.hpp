// SlowWitness: a sink that keeps every value and checks every row: a circuit's own evaluation, variable by variable and
// 32 bytes each, against which the native generators are measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "groth16/circuits/circuit_builder.hpp"

namespace groth16::circuits {

class SlowWitness final : public CircuitSink {
 public:
  void on_public(const Fr& value) override { publics_.push_back(value); }
  void on_private(const Fr& value, Storage storage) override;
  void on_row(const Row& row) override;

  std::span<const Fr> publics() const { return publics_; }  // the constant one first
  std::span<const Fr> privates() const { return privates_; }
  Storage storage(std::uint64_t private_number) const { return is_bit_[private_number] ? Storage::bit : Storage::full; }

  // The first row that the values do not satisfy.
  std::optional<std::uint64_t> first_unsatisfied_row() const { return first_unsatisfied_; }

  // The values of all wires: the public ones, then the private ones.
  std::vector<Scalar> wires() const;

  // BLAKE2s-256 of wires(), 32 bytes each, little-endian; 64 hexadecimal digits.
  std::string hash() const;

 private:
  Fr evaluate(std::span<const Term> terms) const;

  std::vector<Fr> publics_{Fr::one()}, privates_;
  std::vector<bool> is_bit_;
  std::uint64_t n_rows_ = 0;
  std::optional<std::uint64_t> first_unsatisfied_;
};

}  // namespace groth16::circuits
