#include "workers/load/parsed_circuit.hpp"

#include <algorithm>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "groth16/proof/b2.hpp"
#include "groth16/proof/evaluate.hpp"
#include "groth16/proof/sums.hpp"

namespace groth16d::worker {

namespace {

using groth16::CurveId;
using groth16::SystemSizes;
using groth16::formats::R1csFile;
using groth16::formats::R1csHeader;
using groth16::formats::ZkeyFile;

// Code, protobuf, small buffers: what any stage takes beside what it computes with.
constexpr std::uint64_t kStageBaseBytes = std::uint64_t{8} << 20;

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

void add_warnings(const ParsedCircuit& circuit, v1::CircuitFacts& facts) {
  const ZkeyFile& key = circuit.key;
  if ((key.warnings() & groth16::kKeyDevelopment) != 0) {
    facts.add_warnings(key.file() + ": made by a program that knew its secrets: for development only");
  } else if ((key.warnings() & groth16::kKeyForgeable) != 0) {
    facts.add_warnings(key.file() + ": nobody has contributed to it: anyone can forge proofs");
  }
  if (!key.has_transcript()) facts.add_warnings(key.file() + ": has no transcript of its ceremony");
  if (key.trailing_bytes() > 0) {
    facts.add_warnings(
        fmt::format("{}: {} bytes after the last section were ignored", key.file(), key.trailing_bytes()));
  }
  if (circuit.r1cs && circuit.r1cs->trailing_bytes() > 0) {
    facts.add_warnings(fmt::format("{}: {} bytes after the last section were ignored", circuit.r1cs->file(),
                                   circuit.r1cs->trailing_bytes()));
  }
}

std::string as_text(const auto& digest) {
  return std::string(reinterpret_cast<const char*>(digest.data()), digest.size());
}

// Peaks beyond a worker's resting size. Threads of another worker are not known here: as many as there are cores.
template <class C>
void add_private_peaks(const SystemSizes& sizes, const SystemFacts& system, v1::CircuitFacts& facts) {
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t n_full = sizes.n_private() - system.n_boolean;
  const std::uint64_t evaluation = groth16::evaluate_private_bytes(sizes);
  // The collected terms of a system take at most three times its flat form (8 to 12 bytes a term against 6, and the
  // dictionary's index); with an .r1cs the flat form of the key's system is held beside it, to be compared.
  facts.set_load_private_bytes(kStageBaseBytes + (system.has_c ? 4 : 3) * system.r1cs_bytes);
  facts.set_synth_private_bytes(kStageBaseBytes + evaluation);
  facts.set_prove_private_bytes(kStageBaseBytes + groth16::prove_private_bytes<C>(sizes, n_full, threads));
  facts.set_b2_private_bytes(kStageBaseBytes + groth16::b2_private_bytes<C>(sizes, n_full, threads));
  facts.set_assemble_private_bytes(kStageBaseBytes + evaluation);
}

template <class C>
Result<v1::CircuitFacts> facts_on(const ParsedCircuit& circuit, const CircuitDigests& digests,
                                  const SystemFacts& system) {
  const auto verifying_key = circuit.key.verifying_key<C>();
  if (!verifying_key) return tl::unexpected(verifying_key.error());
  const SystemSizes& sizes = circuit.sizes;
  v1::CircuitFacts facts;
  facts.set_curve(std::string(C::name));
  facts.set_n_vars(sizes.n_vars);
  facts.set_n_public(sizes.n_public);
  facts.set_n_constraints(sizes.n_constraints);
  facts.set_domain_log2(sizes.domain_log2);
  facts.set_n_boolean(system.n_boolean);
  facts.set_has_c(system.has_c);
  facts.set_key_digest(as_text(digests.key));
  facts.set_vk_digest(as_text(groth16::digest(*verifying_key)));
  if (circuit.r1cs) facts.set_r1cs_digest(as_text(digests.r1cs));
  add_warnings(circuit, facts);
  facts.set_key_bytes(circuit.key.key_bytes<C>(sizes));
  facts.set_r1cs_bytes(system.r1cs_bytes);
  facts.set_witness_bytes(system.witness_bytes);
  facts.set_ab_bytes(2 * sizes.domain_size() * sizeof(typename C::Fr));
  add_private_peaks<C>(sizes, system, facts);
  return facts;
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

Result<v1::CircuitFacts> circuit_facts(const ParsedCircuit& circuit, const CircuitDigests& digests,
                                       const SystemFacts& system) {
  return groth16::with_curve(circuit.curve(), [&]<class C>() { return facts_on<C>(circuit, digests, system); });
}

}  // namespace groth16d::worker
