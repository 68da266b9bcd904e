#include "workers/load/parsed_circuit.hpp"

#include <string>

#include <fmt/format.h>

namespace groth16d::worker {

namespace {

using groth16::CurveId;
using groth16::SystemSizes;
using groth16::formats::R1csFile;
using groth16::formats::R1csHeader;
using groth16::formats::ZkeyFile;

Result<void> check_same_number(const char* name, const char* what, const R1csFile& r1cs, std::uint64_t found,
                               const ZkeyFile& key, std::uint64_t expected) {
  if (found == expected) return {};
  return failure(ErrorCode::mismatch, name,
                 fmt::format("{}: {} {}, but the key {} has {}: they are of different circuits", r1cs.file(), found,
                             what, key.file(), expected));
}

Result<void> check_same_sizes(const R1csFile& r1cs, const ZkeyFile& key, const SystemSizes& sizes) {
  const R1csHeader& header = r1cs.header();
  if (header.curve != key.header().curve) {
    return failure(ErrorCode::mismatch, "r1cs.curve",
                   fmt::format("{}: is for {}, but the key {} is for {}", r1cs.file(),
                               groth16::curve_name(header.curve), key.file(), groth16::curve_name(key.header().curve)));
  }
  if (auto same = check_same_number("r1cs.wire_count", "wires", r1cs, header.n_wires, key, sizes.n_vars); !same)
    return same;
  if (auto same =
          check_same_number("r1cs.public_count", "public signals", r1cs, header.n_public(), key, sizes.n_public);
      !same) {
    return same;
  }
  return check_same_number("r1cs.constraint_count", "constraints", r1cs, header.n_constraints, key,
                           sizes.n_constraints);
}

template <class C>
Result<CircuitSummary> summary_on(const ParsedCircuit& circuit, const CircuitDigests& digests,
                                  const SystemFacts& system) {
  const auto verifying_key = circuit.key.verifying_key<C>();
  if (!verifying_key) return tl::unexpected(verifying_key.error());
  const SystemSizes& sizes = circuit.sizes;
  CircuitSummary summary;
  summary.curve = static_cast<std::uint32_t>(C::id);
  summary.domain_log2 = sizes.domain_log2;
  summary.n_vars = sizes.n_vars;
  summary.n_public = sizes.n_public;
  summary.n_constraints = sizes.n_constraints;
  summary.n_boolean = system.n_boolean;
  summary.key_bytes = circuit.key.key_bytes<C>(sizes);
  summary.r1cs_bytes = system.r1cs_bytes;
  summary.witness_bytes = system.witness_bytes;
  summary.has_c = system.has_c ? 1 : 0;
  summary.key_warnings = circuit.key.warnings();
  summary.has_transcript = circuit.key.has_transcript() ? 1 : 0;
  summary.key_trailing_bytes = circuit.key.trailing_bytes();
  if (circuit.r1cs) summary.r1cs_trailing_bytes = circuit.r1cs->trailing_bytes();
  summary.key_digest = digests.key;
  summary.vk_digest = groth16::digest(*verifying_key);
  if (circuit.r1cs) summary.r1cs_digest = digests.r1cs;
  return summary;
}

}  // namespace

Result<ParsedCircuit> ParsedCircuit::parse(const CircuitFiles& files, const groth16::Compute& compute) {
  Result<ZkeyFile> key = ZkeyFile::parse(files.key.name(), files.key.bytes());
  if (!key) return tl::unexpected(key.error());
  if (!files.allow_insecure) {
    if (Result<void> secure = key->refuse_insecure(); !secure) return tl::unexpected(secure.error());
  }
  const Result<SystemSizes> sizes = key->check_coefficients(compute);
  if (!sizes) return tl::unexpected(sizes.error());
  ParsedCircuit circuit{std::move(*key), std::nullopt, *sizes};
  if (files.r1cs != nullptr) {
    Result<R1csFile> r1cs = R1csFile::parse(files.r1cs->name(), files.r1cs->bytes());
    if (!r1cs) return tl::unexpected(r1cs.error());
    if (Result<void> same = check_same_sizes(*r1cs, circuit.key, *sizes); !same) return tl::unexpected(same.error());
    circuit.r1cs = std::move(*r1cs);
  }
  return circuit;
}

Result<CircuitSummary> summary_of(const ParsedCircuit& circuit, const CircuitDigests& digests,
                                  const SystemFacts& system) {
  return groth16::with_curve(circuit.curve(), [&]<class C>() { return summary_on<C>(circuit, digests, system); });
}

}  // namespace groth16d::worker
