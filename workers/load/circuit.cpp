#include "workers/load/circuit.hpp"

#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/failpoint.hpp"
#include "groth16/proof/flat_array.hpp"
#include "groth16/proof/packed_witness.hpp"
#include "workers/load/parsed_circuit.hpp"

namespace groth16d::worker {

namespace {

using groth16::Compute;
using groth16::ConstraintSystem;

Result<CircuitDigests> digests_of(const CircuitFiles& files, const Compute& compute) {
  CircuitDigests digests;
  const Result<Digest> key = files.key.digest(compute);
  if (!key) return tl::unexpected(key.error());
  digests.key = *key;
  if (files.r1cs == nullptr) return digests;
  const Result<Digest> r1cs = files.r1cs->digest(compute);
  if (!r1cs) return tl::unexpected(r1cs.error());
  digests.r1cs = *r1cs;
  return digests;
}

// A file that was shortened explains every other complaint about it.
template <class T>
Result<T> unless_changed(const CircuitFiles& files, Result<T> result) {
  if (Result<void> whole = files.key.check_unchanged(); !whole) return tl::unexpected(whole.error());
  if (files.r1cs == nullptr) return result;
  if (Result<void> whole = files.r1cs->check_unchanged(); !whole) return tl::unexpected(whole.error());
  return result;
}

Result<void> check_digest(const GuardedFile& file, const Digest& found, const Digest& inspected) {
  if (found == inspected) return {};
  return failure(ErrorCode::conflict, "file.changed",
                 fmt::format("{}: changed since it was inspected: SHA-256 is {}, was {}", file.name(), to_hex(found),
                             to_hex(inspected)));
}

// ---------------------------------------------------------------- inspect

template <class C>
Result<SystemFacts> measure_system(const ParsedCircuit& circuit) {
  SystemFacts facts;
  facts.witness_bytes = groth16::packed_witness_bytes_bound(circuit.sizes);
  facts.has_c = circuit.r1cs.has_value();
  if (!circuit.r1cs) {
    facts.r1cs_bytes = system_of_key<C>(circuit).serialized_bytes();
    return facts;
  }
  const auto builder = system_of_r1cs<C>(circuit);
  if (!builder) return tl::unexpected(builder.error());
  facts.r1cs_bytes = builder->serialized_bytes();
  return facts;
}

Result<v1::CircuitFacts> inspect(const CircuitFiles& files, const Compute& compute) {
  const Result<ParsedCircuit> circuit = ParsedCircuit::parse(files, compute);
  if (!circuit) return tl::unexpected(circuit.error());
  const Result<SystemFacts> system =
      groth16::with_curve(circuit->curve(), [&]<class C>() { return measure_system<C>(*circuit); });
  if (!system) return tl::unexpected(system.error());
  const Result<CircuitDigests> digests = digests_of(files, compute);
  if (!digests) return tl::unexpected(digests.error());
  return circuit_facts(*circuit, *digests, *system);
}

// ---------------------------------------------------------------- load

// A flat form in private memory, aligned as the segments are.
class PrivateBytes {
 public:
  explicit PrivateBytes(std::uint64_t size) : words_((size + 7) / 8), size_(size) {}
  std::span<std::byte> span() { return std::as_writable_bytes(std::span(words_)).first(size_); }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_;
};

Result<std::span<std::byte>> part_of(std::span<std::byte> segment, std::uint64_t size, const char* what) {
  if (segment.size() >= size) return segment.first(size);
  return failure(ErrorCode::internal, "segment.too_small",
                 fmt::format("the {} takes {} bytes, its segment has {}", what, size, segment.size()));
}

// Writes the system into the segment and opens it there.
template <class C>
Result<ConstraintSystem<C>> write_system(groth16::ConstraintSystemBuilder<C> builder, std::span<std::byte> segment,
                                         const Compute& compute) {
  const auto out = part_of(segment, builder.serialized_bytes(), "constraint system");
  if (!out) return tl::unexpected(out.error());
  builder.write(*out);
  compute.beat();
  return ConstraintSystem<C>::open(*out);
}

// The system with C, after A and B of the key were found to be the same.
template <class C>
Result<ConstraintSystem<C>> load_compared_system(const ParsedCircuit& circuit, std::span<std::byte> segment,
                                                 const Compute& compute) {
  auto builder = system_of_r1cs<C>(circuit);
  if (!builder) return tl::unexpected(builder.error());
  auto system = write_system<C>(std::move(*builder), segment, compute);
  if (!system) return system;

  auto key_builder = system_of_key<C>(circuit);
  PrivateBytes bytes(key_builder.serialized_bytes());
  const auto of_key = write_system<C>(std::move(key_builder), bytes.span(), compute);
  if (!of_key) return tl::unexpected(of_key.error());
  const Result<void> same =
      groth16::formats::check_same_circuit<C>(*of_key, circuit.key.file(), *system, circuit.r1cs->file(), compute);
  if (!same) return tl::unexpected(same.error());
  return system;
}

template <class C>
Result<SystemFacts> load_system(const ParsedCircuit& circuit, std::span<std::byte> segment, const Compute& compute) {
  const auto system = circuit.r1cs ? load_compared_system<C>(circuit, segment, compute)
                                   : write_system<C>(system_of_key<C>(circuit), segment, compute);
  if (!system) return tl::unexpected(system.error());
  SystemFacts facts;
  facts.r1cs_bytes = groth16::load_flat<groth16::SystemHeader>(segment).total_bytes;
  facts.witness_bytes = groth16::packed_witness_bytes(*system);
  facts.n_boolean = system->n_boolean();
  facts.has_c = system->has_c();
  return facts;
}

template <class C>
Result<void> load_key(const ParsedCircuit& circuit, const CircuitFiles& files, const Digest& digest,
                      std::span<std::byte> segment, const Compute& compute) {
  const auto out = part_of(segment, circuit.key.key_bytes<C>(circuit.sizes), "proving key");
  if (!out) return tl::unexpected(out.error());
  groth16::Digest file_digest;
  static_assert(sizeof file_digest == sizeof digest);
  std::memcpy(file_digest.data(), digest.data(), sizeof digest);
  const groth16::formats::ZkeyLoadOptions options{files.allow_insecure, false, &file_digest};
  return circuit.key.load_key<C>(circuit.sizes, *out, options, compute);
}

Result<v1::CircuitFacts> load(const CircuitFiles& files, const CircuitDigests& inspected,
                              std::span<std::byte> key_segment, std::span<std::byte> r1cs_segment,
                              const Compute& compute) {
  const Result<ParsedCircuit> circuit = ParsedCircuit::parse(files, compute);
  if (!circuit) return tl::unexpected(circuit.error());
  const Result<SystemFacts> system =
      groth16::with_curve(circuit->curve(), [&]<class C>() { return load_system<C>(*circuit, r1cs_segment, compute); });
  if (!system) return tl::unexpected(system.error());
  if (Result<void> wanted = unless_cancelled(compute); !wanted) return tl::unexpected(wanted.error());
  if (GROTH16D_FAILPOINT("load.middle")) return failpoint_error("load.middle");
  const Result<void> key = groth16::with_curve(
      circuit->curve(), [&]<class C>() { return load_key<C>(*circuit, files, inspected.key, key_segment, compute); });
  if (!key) return tl::unexpected(key.error());
  return circuit_facts(*circuit, inspected, *system);
}

}  // namespace

Result<v1::CircuitFacts> inspect_circuit(const CircuitFiles& files, const Compute& compute) {
  return unless_changed(files, inspect(files, compute));
}

Result<v1::CircuitFacts> load_circuit(const CircuitFiles& files, const CircuitDigests& inspected,
                                      std::span<std::byte> key_segment, std::span<std::byte> r1cs_segment,
                                      const Compute& compute) {
  Result<v1::CircuitFacts> facts = unless_changed(files, load(files, inspected, key_segment, r1cs_segment, compute));
  if (!facts && facts.error().code == ErrorCode::cancelled) return facts;
  // Hashed after the conversion: what was converted is what was inspected, and a change explains any other complaint.
  const Result<CircuitDigests> found = unless_changed(files, digests_of(files, compute));
  if (!found) return tl::unexpected(found.error());
  if (Result<void> same = check_digest(files.key, found->key, inspected.key); !same)
    return tl::unexpected(same.error());
  if (files.r1cs != nullptr) {
    if (Result<void> same = check_digest(*files.r1cs, found->r1cs, inspected.r1cs); !same) {
      return tl::unexpected(same.error());
    }
  }
  return facts;
}

}  // namespace groth16d::worker
