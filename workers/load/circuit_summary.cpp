#include "workers/load/circuit_summary.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "groth16/algebra/curves.hpp"
#include "groth16/formats/key_warnings.hpp"
#include "groth16/proof/b2.hpp"
#include "groth16/proof/constraint_system_builder.hpp"
#include "groth16/proof/evaluate.hpp"
#include "groth16/proof/keygen.hpp"
#include "groth16/proof/packed_witness.hpp"
#include "groth16/proof/proving_key.hpp"
#include "groth16/proof/sums.hpp"

namespace groth16d::worker {

namespace {

using groth16::ConstraintSystem;
using groth16::CurveId;
using groth16::ProvingKey;
using groth16::SystemSizes;

// Code, protobuf, small buffers: what any stage takes beside what it computes with.
constexpr std::uint64_t kStageBaseBytes = std::uint64_t{8} << 20;

tl::unexpected<Error> malformed(const char* name, std::string text) {
  return failure(ErrorCode::malformed, name, "circuit summary: " + std::move(text));
}

bool is_known(std::uint32_t curve) {
  return curve == static_cast<std::uint32_t>(CurveId::bn254) || curve == static_cast<std::uint32_t>(CurveId::bls12_381);
}

template <class C>
Result<void> check_sizes(const CircuitSummary& summary) {
  const SystemSizes sizes = summary.sizes();
  if (const auto checked = groth16::ConstraintSystemBuilder<C>::check_sizes(sizes); !checked)
    return malformed("summary.sizes", checked.error().text);
  if (summary.n_boolean > sizes.n_private()) {
    return malformed("summary.sizes",
                     fmt::format("{} boolean wires of {} private ones", summary.n_boolean, sizes.n_private()));
  }
  const groth16::KeySizes key_sizes{sizes, summary.h_basis()};
  const std::uint64_t key_bytes = groth16::key_header<C>(key_sizes, groth16::DomainRoot::five).total_bytes;
  if (summary.key_bytes != key_bytes) {
    return malformed("summary.bytes", fmt::format("a key of {} bytes, expected {}", summary.key_bytes, key_bytes));
  }
  return {};
}

template <class C>
Result<void> check_contents_on(const CircuitSummary& summary, std::span<const std::byte> key_bytes,
                               std::span<const std::byte> r1cs_bytes) {
  const auto key = ProvingKey<C>::open(key_bytes);
  if (!key) return tl::unexpected(key.error());
  if (key->sizes() != summary.sizes() || key->key_digest() != summary.key_digest ||
      key->vk_digest() != summary.vk_digest || key->warnings() != summary.key_warnings ||
      key->basis() != summary.h_basis()) {
    return failure(ErrorCode::mismatch, "summary.key", "the proving key is not the one that its header describes");
  }
  const auto system = ConstraintSystem<C>::open(r1cs_bytes);
  if (!system) return tl::unexpected(system.error());
  if (system->sizes() != summary.sizes() || system->n_boolean() != summary.n_boolean ||
      system->has_c() != (summary.has_c != 0) || groth16::packed_witness_bytes(*system) != summary.witness_bytes) {
    return failure(ErrorCode::mismatch, "summary.system",
                   "the constraint system is not the one that its header describes");
  }
  return {};
}

void add_warnings(const CircuitSummary& summary, const CircuitFileNames& names, v1::CircuitFacts& facts) {
  const groth16::formats::KeyFacts key{names.key, summary.key_warnings,
                                       summary.has_transcript != 0 || summary.is_builtin != 0,
                                       summary.key_trailing_bytes};
  for (std::string& text : groth16::formats::key_warnings(key)) facts.add_warnings(std::move(text));
  if (summary.r1cs_trailing_bytes > 0)
    facts.add_warnings(groth16::formats::trailing_bytes_warning(names.r1cs, summary.r1cs_trailing_bytes));
}

std::string as_text(const Digest& digest) {
  return std::string(reinterpret_cast<const char*>(digest.data()), digest.size());
}

// Peaks beyond a worker's resting size. Threads of another worker are not known here: as many as there are cores.
template <class C>
void add_private_peaks(const CircuitSummary& summary, v1::CircuitFacts& facts) {
  const SystemSizes sizes = summary.sizes();
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t n_full = sizes.n_private() - summary.n_boolean;
  const std::uint64_t evaluation = groth16::evaluate_private_bytes(sizes);
  // The collected terms of a system take at most three times its flat form (8 to 12 bytes a term against 6, and the
  // dictionary's index); with an .r1cs the flat form of the key's system is held beside it, to be compared.
  const std::uint64_t collected = (summary.has_c != 0 ? 4 : 3) * summary.r1cs_bytes;
  // A built-in system is written in place, and two sets of wires with their ranks say where a key's points go.
  const std::uint64_t sets = 2 * sizes.n_vars / 64 * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
  const std::uint64_t read = summary.is_builtin != 0 ? sets : collected;
  const std::uint64_t made = summary.is_generated != 0 ? groth16::generate_key_private_bytes<C>(sizes) : 0;
  facts.set_load_private_bytes(kStageBaseBytes + std::max(read, made));
  facts.set_synth_private_bytes(kStageBaseBytes + evaluation);
  facts.set_prove_private_bytes(kStageBaseBytes + groth16::prove_private_bytes<C>(sizes, n_full, threads));
  facts.set_b2_private_bytes(kStageBaseBytes + groth16::b2_private_bytes<C>(sizes, n_full, threads));
  facts.set_assemble_private_bytes(kStageBaseBytes + evaluation);
}

template <class C>
v1::CircuitFacts facts_on(const CircuitSummary& summary, const CircuitFileNames& names) {
  v1::CircuitFacts facts;
  facts.set_curve(std::string(C::name));
  facts.set_n_vars(summary.n_vars);
  facts.set_n_public(summary.n_public);
  facts.set_n_constraints(summary.n_constraints);
  facts.set_domain_log2(summary.domain_log2);
  facts.set_n_boolean(summary.n_boolean);
  facts.set_has_c(summary.has_c != 0);
  facts.set_is_generated(summary.is_generated != 0);
  facts.set_key_digest(as_text(summary.key_digest));
  facts.set_vk_digest(as_text(summary.vk_digest));
  if (summary.has_c != 0 && summary.is_builtin == 0) facts.set_r1cs_digest(as_text(summary.r1cs_digest));
  add_warnings(summary, names, facts);
  facts.set_key_bytes(summary.key_bytes);
  facts.set_r1cs_bytes(summary.r1cs_bytes);
  facts.set_witness_bytes(summary.witness_bytes);
  facts.set_ab_bytes(2 * summary.sizes().domain_size() * sizeof(typename C::Fr));
  add_private_peaks<C>(summary, facts);
  return facts;
}

}  // namespace

Result<void> check_summary(const CircuitSummary& summary) {
  if (!is_known(summary.curve)) return malformed("summary.curve", fmt::format("curve number {}", summary.curve));
  constexpr std::uint32_t kWarnings = groth16::kKeyForgeable | groth16::kKeyDevelopment;
  if (summary.has_c > 1 || summary.has_transcript > 1 || summary.is_builtin > 1 || summary.is_generated > 1 ||
      summary.reserved != 0 || (summary.key_warnings & ~kWarnings) != 0) {
    return malformed("summary.flags", "a flag has a value that it cannot have");
  }
  return groth16::with_curve(static_cast<CurveId>(summary.curve),
                             [&]<class C>() -> Result<void> { return check_sizes<C>(summary); });
}

Result<void> check_contents(const CircuitSummary& summary, std::span<const std::byte> key,
                            std::span<const std::byte> r1cs) {
  return groth16::with_curve(static_cast<CurveId>(summary.curve),
                             [&]<class C>() { return check_contents_on<C>(summary, key, r1cs); });
}

v1::CircuitFacts facts_of(const CircuitSummary& summary, const CircuitFileNames& names) {
  return groth16::with_curve(static_cast<CurveId>(summary.curve),
                             [&]<class C>() { return facts_on<C>(summary, names); });
}

}  // namespace groth16d::worker
