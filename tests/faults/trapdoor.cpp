#include "tests/faults/trapdoor.hpp"

#include <array>
#include <mutex>
#include <string>

namespace groth16d::faults {

using groth16::Compute;
using groth16::times;

namespace {

constexpr std::size_t kGrain = 4096;

// The values at tau: a, b and c.
template <class Fr>
using Values = std::array<Fr, 3>;

template <class Fr>
Values<Fr> values_at_tau(std::span<const Fr> lagrange, std::span<const Fr> a, std::span<const Fr> b,
                         const Compute& compute) {
  std::mutex mutex;
  Values<Fr> sum{Fr::zero(), Fr::zero(), Fr::zero()};
  const auto part = [&](std::size_t begin, std::size_t end) {
    Values<Fr> own{Fr::zero(), Fr::zero(), Fr::zero()};
    for (std::size_t i = begin; i < end; ++i) {
      const Fr scaled = a[i] * lagrange[i];
      own[0] += scaled;
      own[1] += b[i] * lagrange[i];
      own[2] += scaled * b[i];
    }
    const std::lock_guard lock(mutex);
    for (std::size_t i = 0; i < own.size(); ++i) sum[i] += own[i];
  };
  compute.parallel_for(lagrange.size(), part, kGrain);
  return sum;
}

}  // namespace

template <class C>
void Trapdoor<C>::prepare(const groth16::ProvingKey<C>& key, const Compute& compute) {
  const Fr root = C::root_of_unity(key.root(), key.sizes().domain_log2);
  const std::uint64_t n = key.sizes().domain_size();
  if (lagrange_.size() == n && root_ == root) return;
  root_ = root;
  lagrange_.resize(n);
  groth16::lagrange_at(toxic_.tau, Fr::one(), root, std::span<Fr>(lagrange_), compute);
  if (compute.cancelled()) lagrange_.clear();
}

template <class C>
Result<groth16::ProveSums<C>> Trapdoor<C>::sums(const groth16::ProvingKey<C>& key,
                                                const groth16::PackedWitness<C>& witness, std::span<const Fr> a,
                                                std::span<const Fr> b, const Compute& compute) {
  using G1 = groth16::Jacobian<typename C::Fq>;
  const std::uint64_t n = key.sizes().domain_size();
  if (a.size() != n || b.size() != n) return failure(ErrorCode::internal, "sums.spans", "rows of another domain");
  const auto in_g1 = [](const Fr& scalar) { return times(C::generator_g1(), scalar.to_uint()); };
  if (!(in_g1(toxic_.alpha) == key.alpha1()) || !(in_g1(toxic_.delta) == key.delta1())) {
    return failure(ErrorCode::mismatch, "trapdoor.key", "the key was not generated from these toxic values");
  }
  prepare(key, compute);
  const auto [at_a, at_b, at_c] = values_at_tau<Fr>(lagrange_, a, b, compute);
  if (compute.cancelled()) return failure(ErrorCode::cancelled, "cancelled", "prove stage: cancelled");

  G1 public_part = G1::infinity();
  const auto publics = witness.public_inputs();
  public_part += key.ic()[0];
  for (std::size_t s = 0; s < publics.size(); ++s) public_part += times(key.ic()[s + 1], publics[s]);
  const Fr per_delta = toxic_.delta.inverse();
  const G1 all_wires = in_g1(toxic_.beta * at_a + toxic_.alpha * at_b + at_c);

  groth16::ProveSums<C> sums;
  sums.a = in_g1(at_a).to_affine();
  sums.b1 = in_g1(at_b).to_affine();
  sums.h = in_g1((at_a * at_b - at_c) * per_delta).to_affine();
  sums.l = (all_wires - public_part).times(per_delta.to_uint()).to_affine();
  return sums;
}

template class Trapdoor<groth16::Bn254>;
template class Trapdoor<groth16::Bls12_381>;

}  // namespace groth16d::faults
