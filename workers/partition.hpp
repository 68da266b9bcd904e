// One partition's segments opened as what they hold: the sealed inputs of PROVE, B2 and ASSEMBLE, and the rows of A w
// and B w in a segment "ab".
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "common/error.hpp"
#include "groth16/algebra/curves.hpp"
#include "groth16/proof/flat_array.hpp"
#include "groth16/proof/packed_witness.hpp"
#include "groth16/proof/proving_key.hpp"

namespace groth16d::worker {

// The used bytes of the segments of a partition.
struct PartitionBytes {
  std::span<const std::byte> key;
  std::span<const std::byte> r1cs;
  std::span<const std::byte> witness;
};

// The curve that a system or key says it is for. Error: malformed "segment.curve" (the bytes are neither).
Result<groth16::CurveId> curve_of_system(std::span<const std::byte> r1cs);
Result<groth16::CurveId> curve_of_key(std::span<const std::byte> key);

// Views over the segments, found to belong together. The witness refers to the system in here, so it does not move.
template <class C>
class Partition {
 public:
  // Calls fn(partition) and returns what it returns, or the error of opening. Errors: those of ProvingKey,
  // ConstraintSystem and PackedWitness::open, and of check_belong_together.
  template <class Fn>
  static auto with(const PartitionBytes& bytes, Fn&& fn) -> decltype(fn(std::declval<const Partition&>())) {
    const auto key = groth16::ProvingKey<C>::open(bytes.key);
    if (!key) return tl::unexpected(key.error());
    const auto system = groth16::ConstraintSystem<C>::open(bytes.r1cs);
    if (!system) return tl::unexpected(system.error());
    const auto witness = groth16::PackedWitness<C>::open(bytes.witness, *system);
    if (!witness) return tl::unexpected(witness.error());
    if (auto fits = groth16::check_belong_together(*key, *system); !fits) return tl::unexpected(fits.error());
    return fn(Partition(*key, *system, *witness));
  }

  const groth16::ProvingKey<C>& key;
  const groth16::ConstraintSystem<C>& system;
  const groth16::PackedWitness<C>& witness;

 private:
  Partition(const groth16::ProvingKey<C>& k, const groth16::ConstraintSystem<C>& s, const groth16::PackedWitness<C>& w)
      : key(k), system(s), witness(w) {}
};

// The two halves of a segment "ab": domain_size rows of A w, then as many of B w, Montgomery form.
template <class C>
struct AbRows {
  std::span<typename C::Fr> a, b;

  static std::uint64_t bytes(std::uint64_t domain_size) { return 2 * domain_size * sizeof(typename C::Fr); }

  // Errors: ab.bounds, ab.alignment (a segment that is too small for the domain).
  static Result<AbRows> open(std::span<std::byte> ab, std::uint64_t domain_size) {
    using Fr = typename C::Fr;
    const auto a = groth16::flat_array<Fr>(ab, 0, domain_size, "ab");
    if (!a) return tl::unexpected(a.error());
    const auto b = groth16::flat_array<Fr>(ab, domain_size * sizeof(Fr), domain_size, "ab");
    if (!b) return tl::unexpected(b.error());
    return AbRows{*a, *b};
  }
};

}  // namespace groth16d::worker
