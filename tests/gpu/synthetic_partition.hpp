// A partition of any size with the statistics of Filecoin's replication circuit: 0.98 private wires a row, one in a
// hundred full-size, 2.4 and 1.0 terms a row of A and B, nearly all coefficients 1, -1 or a small power of two, points
// of A at infinity for three wires in a hundred, of B for three in four. Points are known multiples of the generators,
// so every sum has a closed form; the system is not satisfied, which costs the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "cuda/prove_stage.hpp"
#include "groth16/algebra/bls12_381.hpp"
#include "groth16/algebra/compute.hpp"

namespace groth16::test {

// Zeroed memory in huge pages where the system has them; begins with a page.
class PageMemory {
 public:
  explicit PageMemory(std::size_t size);
  ~PageMemory();
  PageMemory(const PageMemory&) = delete;
  PageMemory& operator=(const PageMemory&) = delete;

  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(at_), size_}; }
  template <class T>
  T* at(std::uint64_t offset) const {
    return reinterpret_cast<T*>(static_cast<std::byte*>(at_) + offset);
  }

 private:
  std::size_t size_;
  void* at_;
};

class SyntheticPartition {
 public:
  using C = Bls12_381;

  // n_rows: public rows included; at least 100. Needs a card, to make the points. Throws std::runtime_error.
  SyntheticPartition(std::uint64_t n_rows, HBasis basis);
  SyntheticPartition(const SyntheticPartition&) = delete;
  SyntheticPartition& operator=(const SyntheticPartition&) = delete;

  const ConstraintSystem<C>& system() const { return *system_; }
  const ProvingKey<C>& key() const { return *key_; }
  const PackedWitness<C>& witness() const { return *witness_; }
  std::span<const std::byte> key_bytes() const { return key_bytes_.bytes(); }
  // What a partition brings to the card: bits and full-size values.
  std::size_t witness_bytes() const {
    return witness_->bits().size_bytes() + witness_->public_values().size_bytes() +
           witness_->full_values().size_bytes();
  }

  // Additions of points that each sum over the wires cannot do without: set bits that have a point; and full-size
  // values.
  struct Additions {
    std::uint64_t l, a, b;
    std::uint64_t full;
  };
  Additions additions() const;

  // The five sums in closed form: H by the host's evaluation and transforms.
  device::GpuSums<C> expected_sums() const;

 private:
  PageMemory system_bytes_;
  std::optional<ConstraintSystem<C>> system_;
  PageMemory key_bytes_;
  std::optional<ProvingKey<C>> key_;
  PageMemory witness_bytes_;
  std::optional<PackedWitness<C>> witness_;
};

}  // namespace groth16::test
