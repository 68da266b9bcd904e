#include "workers/load/builtin_source.hpp"

#include <string_view>

namespace groth16d::worker {

namespace {

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
  auto circuit = circuit_of_key(files, "params.r1cs",
                                groth16::circuits::builtin_circuit_of_sizes(params->n_inputs(), params->n_private()));
  if (!circuit) return tl::unexpected(circuit.error());
  if (Result<void> fits = params->check_sizes((*circuit)->sizes()); !fits) return tl::unexpected(fits.error());
  return BuiltinSource(std::move(*params), std::move(*circuit));
}

CircuitSummary BuiltinSource::summary(const Digest& key_digest) const {
  CircuitSummary summary = system_.summary(key_digest);
  summary.key_warnings = params_.warnings();
  summary.vk_digest = groth16::digest(params_.vk().key);
  return summary;
}

Result<void> BuiltinSource::convert(const Digest& key_digest, std::span<std::byte> key_segment,
                                    std::span<std::byte> r1cs_segment, const groth16::Compute& compute) const {
  const auto written = system_.write(key_segment, r1cs_segment, compute);
  if (!written) return tl::unexpected(written.error());
  const groth16::formats::ParamsLoadOptions options{true, groth16::formats::PointCheck::on_curve, &key_digest};
  return params_.load_key(written->system, written->key, options, compute);
}

}  // namespace groth16d::worker
