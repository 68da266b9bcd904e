// The steps in their order.
#include "groth16/proof/prove.hpp"

#include <future>
#include <string>
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

// A proof that does not verify is the witness's fault wherever a row of the system says so.
template <class C>
Error diagnose(Error error, const PackedWitness<C>& witness, const Compute& compute) {
  if (!witness.system().has_c()) return error;
  if (const auto row = first_unsatisfied_row(witness.system(), witness, compute)) {
    error.text += "; the witness does not satisfy constraint " + std::to_string(*row);
  }
  return error;
}

}  // namespace

template <class C>
Result<Proof<C>> prove(const ProvingKey<C>& key, const PackedWitness<C>& witness, const Compute& compute) {
  const ConstraintSystem<C>& system = witness.system();
  std::vector<typename C::Fr> a(system.domain_size()), b(system.domain_size());
  evaluate<C>(system, witness, a, b, compute);
  // Side by side: where the end of a sum has work for one thread, the other has the rest.
  auto summing_b2 = std::async(std::launch::async, [&] { return b_g2_msm(key, witness, compute); });
  const auto sums = prove_sums<C>(key, witness, a, b, compute);
  const auto b2 = summing_b2.get();
  if (!sums) return tl::unexpected(sums.error());
  if (!b2) return tl::unexpected(b2.error());
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
