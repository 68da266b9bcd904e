#include "workers/final/assemble_stage.hpp"

#include <fmt/format.h>

#include "common/failpoint.hpp"
#include "groth16/formats/proof_binary.hpp"
#include "groth16/formats/snarkjs_json.hpp"
#include "groth16/proof/assemble.hpp"
#include "groth16/proof/b2.hpp"
#include "groth16/proof/evaluate.hpp"
#include "groth16/proof/prove.hpp"
#include "groth16/proof/sums.hpp"
#include "groth16/proof/verify.hpp"
#include "workers/statement.hpp"

namespace groth16d::worker {

namespace {

using groth16::Compute;

Failure unverified(ErrorCode code, std::string name, std::string text) {
  return {{code, std::move(name), std::move(text)}, true, v1::BLAME_VERIFICATION};
}

// Why a proof that was assembled without an error does not verify. Nobody is blamed before this has looked.
template <class C>
Failure diagnose(const Partition<C>& partition, const Compute& compute) {
  if (!partition.system.has_c()) {
    return unverified(ErrorCode::unsatisfied, "proof.unverified", std::string(groth16::kUnverifiedWithoutC));
  }
  const auto row = groth16::first_unsatisfied_row(partition.system, partition.witness, compute);
  if (!row) {
    return unverified(
        ErrorCode::internal, "proof.wrong_sums",
        "the proof does not verify although the witness satisfies every constraint: a sum or the key is wrong");
  }
  return {{ErrorCode::unsatisfied, "witness.unsatisfied",
           fmt::format("the witness does not satisfy constraint {} (counted from 0, of {})", *row,
                       partition.system.n_constraints())},
          false,
          v1::BLAME_INPUT};
}

template <class C>
Outcome<groth16::Proof<C>> assembled_proof(const AssemblyInput& input, const Partition<C>& partition) {
  const auto sums = groth16::sums_from_bytes<C>(std::as_bytes(std::span(input.sums)));
  if (!sums) return tl::unexpected(unverified(ErrorCode::internal, "proof.wrong_sums", sums.error().text));
  const auto b2 = groth16::b2_from_bytes<C>(std::as_bytes(std::span(input.b2)));
  if (!b2) return tl::unexpected(unverified(ErrorCode::internal, "proof.wrong_sums", b2.error().text));
  const auto blinding = groth16::Blinding<C>::draw();
  if (!blinding) return tl::unexpected(failure_of_slot(blinding.error()));
  return groth16::assemble(partition.key, *sums, *b2, *blinding);
}

template <class C>
AssembledProof written(const groth16::Proof<C>& proof, std::span<const groth16::UInt<4>> public_inputs) {
  const auto compressed = groth16::formats::compress(proof);
  return {std::string(reinterpret_cast<const char*>(compressed.data()), compressed.size()),
          groth16::formats::proof_json(proof), groth16::formats::public_json(public_inputs)};
}

template <class C>
Outcome<AssembledProof> assemble_partition(const AssemblyInput& input, const Partition<C>& partition,
                                           const Compute& compute) {
  const auto public_inputs = partition.witness.public_inputs();
  if (auto same = check_statement(input.statement, C::id, public_inputs); !same) {
    return tl::unexpected(failure_of(same.error(), v1::BLAME_INPUT));
  }
  const Outcome<groth16::Proof<C>> proof = assembled_proof<C>(input, partition);
  if (!proof) return tl::unexpected(proof.error());
  if (GROTH16D_FAILPOINT("assemble.middle")) {
    return tl::unexpected(failure_of_slot(failpoint_error("assemble.middle").value()));
  }
  const auto verified = groth16::verify(groth16::verifying_key(partition.key), public_inputs, *proof);
  if (!verified) return tl::unexpected(diagnose(partition, compute));
  return written(*proof, public_inputs);
}

}  // namespace

Outcome<AssembledProof> assemble_stage(const AssemblyInput& input, const Compute& compute) {
  const Result<groth16::CurveId> curve = curve_of_key(input.partition.key);
  if (!curve) return tl::unexpected(failure_of_slot(curve.error()));
  // Opening and assembling fail in different words, so the outcome travels inside the result of opening.
  const Result<Outcome<AssembledProof>> opened = groth16::with_curve(*curve, [&]<class C>() {
    return Partition<C>::with(input.partition, [&](const Partition<C>& partition) {
      return Result<Outcome<AssembledProof>>(assemble_partition<C>(input, partition, compute));
    });
  });
  if (!opened) return tl::unexpected(failure_of_slot(opened.error()));
  return *opened;
}

}  // namespace groth16d::worker
