#include "workers/load/builtin_source.hpp"

#include <string_view>

#include <fmt/format.h>

#include "common/failpoint.hpp"
#include "groth16/proof/packed_witness.hpp"
#include "workers/load/segment_part.hpp"
#include "workers/runtime/role.hpp"

namespace groth16d::worker {

namespace {

using Curve = groth16::Bls12_381;
using groth16::ConstraintSystem;
using groth16::formats::BellpersonParams;

// The first byte of an uncompressed point has no flag, the first of a .zkey has two.
bool begins_as_params(std::span<const std::byte> bytes) {
  constexpr std::size_t kCountAt = 864;  // of ic, behind three points of G1 and of G2
  if (bytes.size() < kCountAt + 4 || (bytes[0] & std::byte{0xe0}) != std::byte{0}) return false;
  const std::uint64_t n_inputs = groth16::formats::load_u32_big_endian(bytes.data() + kCountAt);
  return groth16::circuits::has_builtin_circuit(n_inputs);
}

}  // namespace

bool is_params(const GuardedFile& key) {
  return std::string_view(key.name()).ends_with(".params") || begins_as_params(key.bytes());
}

Result<BuiltinSource> BuiltinSource::parse(const CircuitFiles& files) {
  auto params = BellpersonParams::parse(files.key.name(), files.key.bytes());
  if (!params) return tl::unexpected(params.error());
  if (!files.allow_insecure) {
    if (Result<void> secure = params->refuse_insecure(); !secure) return tl::unexpected(secure.error());
  }
  if (files.r1cs != nullptr) {
    return failure(ErrorCode::mismatch, "params.r1cs",
                   fmt::format("{}: {} is for a built-in circuit, which has a constraint system of its own",
                               files.r1cs->name(), files.key.name()));
  }
  auto circuit = groth16::circuits::builtin_circuit_of_sizes(params->n_inputs(), params->n_private());
  if (!circuit) {
    return failure(circuit.error().code, circuit.error().name,
                   fmt::format("{}: {}", files.key.name(), circuit.error().text));
  }
  if (Result<void> fits = params->check_sizes((*circuit)->sizes()); !fits) return tl::unexpected(fits.error());
  return BuiltinSource(std::move(*params), std::move(*circuit));
}

CircuitSummary BuiltinSource::summary(const Digest& key_digest) const {
  const groth16::SystemSizes sizes = circuit_->sizes();
  CircuitSummary summary;
  summary.curve = static_cast<std::uint32_t>(Curve::id);
  summary.domain_log2 = sizes.domain_log2;
  summary.n_vars = sizes.n_vars;
  summary.n_public = sizes.n_public;
  summary.n_constraints = sizes.n_constraints;
  summary.n_boolean = plan_.n_boolean;
  summary.key_bytes = BellpersonParams::key_bytes(sizes);
  summary.r1cs_bytes = plan_.bytes();
  summary.witness_bytes = groth16::packed_witness_bytes(sizes, plan_.n_boolean, true);
  summary.has_c = 1;
  summary.key_warnings = params_.warnings();
  summary.is_builtin = 1;
  summary.key_digest = key_digest;
  summary.vk_digest = groth16::digest(params_.vk().key);
  return summary;
}

Result<void> BuiltinSource::convert(const Digest& key_digest, std::span<std::byte> key_segment,
                                    std::span<std::byte> r1cs_segment, const groth16::Compute& compute) const {
  const auto r1cs = part_of(r1cs_segment, plan_.bytes(), "constraint system");
  if (!r1cs) return tl::unexpected(r1cs.error());
  const auto key = part_of(key_segment, BellpersonParams::key_bytes(circuit_->sizes()), "proving key");
  if (!key) return tl::unexpected(key.error());
  if (auto written = circuit_->write_system(plan_, *r1cs, compute); !written) return written;
  const auto system = ConstraintSystem<Curve>::open(*r1cs);
  if (!system) return tl::unexpected(system.error());
  if (GROTH16D_FAILPOINT("load.middle")) return failpoint_error("load.middle");
  const groth16::formats::ParamsLoadOptions options{true, groth16::formats::PointCheck::on_curve, &key_digest};
  return params_.load_key(*system, *key, options, compute);
}

}  // namespace groth16d::worker
