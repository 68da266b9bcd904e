#include "workers/load/builtin_system.hpp"

#include <utility>

#include <fmt/format.h>

#include "common/failpoint.hpp"
#include "groth16/formats/bellperson_params.hpp"
#include "groth16/proof/packed_witness.hpp"
#include "workers/load/segment_part.hpp"

namespace groth16d::worker {

Result<BuiltinCircuitPointer> circuit_of_key(const CircuitFiles& files, const char* r1cs_error,
                                             Result<BuiltinCircuitPointer> found) {
  if (files.r1cs != nullptr) {
    return failure(ErrorCode::mismatch, r1cs_error,
                   fmt::format("{}: {} is for a built-in circuit, which has a constraint system of its own",
                               files.r1cs->name(), files.key.name()));
  }
  if (!found) {
    return failure(found.error().code, found.error().name, fmt::format("{}: {}", files.key.name(), found.error().text));
  }
  return found;
}

CircuitSummary BuiltinSystem::summary(const Digest& key_digest) const {
  const groth16::SystemSizes sizes = circuit_->sizes();
  CircuitSummary summary;
  summary.curve = static_cast<std::uint32_t>(Curve::id);
  summary.domain_log2 = sizes.domain_log2;
  summary.n_vars = sizes.n_vars;
  summary.n_public = sizes.n_public;
  summary.n_constraints = sizes.n_constraints;
  summary.n_boolean = plan_.n_boolean;
  summary.key_bytes = groth16::formats::BellpersonParams::key_bytes(sizes);
  summary.r1cs_bytes = plan_.bytes();
  summary.witness_bytes = groth16::packed_witness_bytes(sizes, plan_.n_boolean, true);
  summary.has_c = 1;
  summary.is_builtin = 1;
  summary.key_digest = key_digest;
  return summary;
}

Result<BuiltinSystem::Written> BuiltinSystem::write(std::span<std::byte> key_segment, std::span<std::byte> r1cs_segment,
                                                    const groth16::Compute& compute) const {
  const auto r1cs = part_of(r1cs_segment, plan_.bytes(), "constraint system");
  if (!r1cs) return tl::unexpected(r1cs.error());
  const auto key_bytes = groth16::formats::BellpersonParams::key_bytes(circuit_->sizes());
  const auto key = part_of(key_segment, key_bytes, "proving key");
  if (!key) return tl::unexpected(key.error());
  if (auto written = circuit_->write_system(plan_, *r1cs, compute); !written) return tl::unexpected(written.error());
  const auto system = groth16::ConstraintSystem<Curve>::open(*r1cs);
  if (!system) return tl::unexpected(system.error());
  if (GROTH16D_FAILPOINT("load.middle")) return failpoint_error("load.middle");
  return Written{*system, *key};
}

}  // namespace groth16d::worker
