// The steps in their order.
#include "groth16/proof/prove.hpp"

#include <future>
#include <string>
#include <utility>
#include <vector>

#include "groth16/proof/assemble.hpp"
#include "groth16/proof/b2.hpp"
#include "groth16/proof/blinding.hpp"
#include "groth16/proof/evaluate.hpp"
#include "groth16/proof/sums.hpp"
#include "groth16/proof/verify.hpp"

namespace groth16 {

using groth16d::Error;
using groth16d::Result;

namespace {

// From here on the sums run side by side: a fifth less time, but for smaller circuits 6 of 24 MiB more memory.
constexpr std::uint64_t kRowsSideBySide = std::uint64_t{1} << 15;

// A proof that does not verify is the witness's fault wherever a row of the system says so.
template <class C>
Error diagnose(Error error, const PackedWitness<C>& witness, const Compute& compute) {
  if (!witness.system().has_c()) return error;
  if (const auto row = first_unsatisfied_row(witness.system(), witness, compute)) {
    error.text += "; the witness does not satisfy constraint " + std::to_string(*row);
  }
  return error;
}

template <class C>
Result<typename C::G1> evaluated_h_sum(const ProvingKey<C>& key, const PackedWitness<C>& witness,
                                       const Compute& compute) {
  const ConstraintSystem<C>& system = witness.system();
  if (const auto checked = check_belong_together(key, system); !checked) return tl::unexpected(checked.error());
  std::vector<typename C::Fr> a(system.domain_size()), b(system.domain_size());
  evaluate<C>(system, witness, a, b, compute);
  return h_sum<C>(key, a, b, compute);
}

}  // namespace

template <class C>
Result<Proof<C>> prove(const ProvingKey<C>& key, const PackedWitness<C>& witness, const Compute& compute) {
  // Sums over the witness have stretches for one thread, those over H hardly: side by side, no core waits.
  const bool side_by_side = witness.system().domain_size() >= kRowsSideBySide;
  auto summing = std::async(side_by_side ? std::launch::async : std::launch::deferred, [&] {
    return std::pair(b_g2_msm(key, witness, compute), witness_sums<C>(key, witness, compute));
  });
  const auto h = evaluated_h_sum(key, witness, compute);
  auto [b2, sums] = summing.get();
  if (!h) return tl::unexpected(h.error());
  if (!sums) return tl::unexpected(sums.error());
  if (!b2) return tl::unexpected(b2.error());
  sums->h = *h;
  const auto blinding = Blinding<C>::draw();
  if (!blinding) return tl::unexpected(blinding.error());

  const Proof<C> proof = assemble(key, *sums, *b2, *blinding);
  const auto verified = verify(verifying_key(key), witness.public_inputs(), proof);
  if (!verified) return tl::unexpected(diagnose(verified.error(), witness, compute));
  return proof;
}

template Result<Proof<Bn254>> prove(const ProvingKey<Bn254>&, const PackedWitness<Bn254>&, const Compute&);
template Result<Proof<Bls12_381>> prove(const ProvingKey<Bls12_381>&, const PackedWitness<Bls12_381>&, const Compute&);

}  // namespace groth16
