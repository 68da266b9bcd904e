#include "workers/load/circuit.hpp"

#include <algorithm>
#include <cstring>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "common/clock.hpp"
#include "common/failpoint.hpp"
#include "groth16/proof/flat_array.hpp"
#include "groth16/proof/packed_witness.hpp"
#include "workers/load/builtin_source.hpp"
#include "workers/load/parsed_circuit.hpp"
#include "workers/load/recipe_source.hpp"
#include "workers/load/segment_part.hpp"
#include "workers/runtime/populate.hpp"

namespace groth16d::worker {

namespace {

using groth16::Compute;
using groth16::ConstraintSystem;

// Beside the caller where there is a thread for it, and else when its result is asked for.
template <class Fn>
auto beside(const Compute& compute, Fn fn) {
  return std::async(compute.threads() > 1 ? std::launch::async : std::launch::deferred, std::move(fn));
}

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

void populate(const CircuitFiles& files, const Compute& compute) {
  populate_for_reading(files.key.bytes(), compute);
  if (files.r1cs != nullptr) populate_for_reading(files.r1cs->bytes(), compute);
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

// ---------------------------------------------------------------- the cache

Result<SourceIdentity> source_of(const CircuitFiles& files) {
  SourceIdentity source;
  const Result<FileIdentity> key = files.key.identity();
  if (!key) return tl::unexpected(key.error());
  source.key = *key;
  if (files.r1cs == nullptr) return source;
  const Result<FileIdentity> r1cs = files.r1cs->identity();
  if (!r1cs) return tl::unexpected(r1cs.error());
  source.r1cs = *r1cs;
  return source;
}

// A key that the operator does not allow is for the reader of keys to refuse, in its words.
bool is_allowed(const CircuitFiles& files, const CircuitSummary& summary) {
  return files.allow_insecure || summary.key_warnings == 0;
}

std::optional<CachedCircuit> find_entry(const CircuitFiles& files, const KeyCache& cache) {
  const Result<SourceIdentity> source = cache.is_on() ? source_of(files) : SourceIdentity{};
  if (!source) return std::nullopt;
  auto entry = cache.find(*source);
  if (!entry || !is_allowed(files, entry->circuit().summary)) return std::nullopt;
  return entry;
}

v1::CircuitFacts told(const CircuitFiles& files, const CircuitSummary& summary, std::uint64_t source_bytes_read) {
  v1::CircuitFacts facts =
      facts_of(summary, {files.key.name(), files.r1cs == nullptr ? std::string() : files.r1cs->name()});
  facts.set_source_bytes_read(source_bytes_read);
  return facts;
}

std::uint64_t bytes_of(const CircuitFiles& files) {
  return files.key.bytes().size() + (files.r1cs == nullptr ? 0 : files.r1cs->bytes().size());
}

// ---------------------------------------------------------------- inspect

template <class C>
Result<SystemFacts> measure_system(const ParsedCircuit& circuit) {
  SystemFacts facts;
  facts.witness_bytes = groth16::packed_witness_bytes_bound(circuit.sizes);
  facts.has_c = circuit.r1cs.has_value();
  const auto builder = circuit.r1cs ? system_of_r1cs<C>(circuit) : system_of_key<C>(circuit);
  if (!builder) return tl::unexpected(builder.error());
  facts.r1cs_bytes = builder->serialized_bytes();
  return facts;
}

// Source: RecipeSource or BuiltinSource.
template <class Source>
Result<CircuitSummary> inspect_builtin(const CircuitFiles& files, const Compute& compute) {
  const Result<Source> source = Source::parse(files);
  if (!source) return tl::unexpected(source.error());
  compute.beat();
  return files.key.digest(compute).map([&](const Digest& digest) { return source->summary(digest); });
}

Result<CircuitSummary> inspect(const CircuitFiles& files, const Compute& compute) {
  if (is_recipe(files.key)) return inspect_builtin<RecipeSource>(files, compute);
  if (is_params(files.key)) return inspect_builtin<BuiltinSource>(files, compute);
  populate(files, compute);
  auto hashing = beside(compute, [&] { return digests_of(files, compute); });
  const Result<ParsedCircuit> circuit = ParsedCircuit::parse(files, compute);
  if (!circuit) return tl::unexpected(circuit.error());
  const Result<SystemFacts> system =
      groth16::with_curve(circuit->curve(), [&]<class C>() { return measure_system<C>(*circuit); });
  if (!system) return tl::unexpected(system.error());
  const Result<CircuitDigests> digests = hashing.get();
  if (!digests) return tl::unexpected(digests.error());
  return summary_of(*circuit, *digests, *system);
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

// Writes the system, where it could be collected, into the segment and opens it there.
template <class C>
Result<ConstraintSystem<C>> write_system(Result<groth16::ConstraintSystemBuilder<C>> builder,
                                         std::span<std::byte> segment, const Compute& compute) {
  if (!builder) return tl::unexpected(builder.error());
  const auto out = part_of(segment, builder->serialized_bytes(), "constraint system");
  if (!out) return tl::unexpected(out.error());
  builder->write(*out);
  compute.beat();
  return ConstraintSystem<C>::open(*out);
}

// The system with C, after A and B of the key were found to be the same.
template <class C>
Result<ConstraintSystem<C>> load_compared_system(const ParsedCircuit& circuit, std::span<std::byte> segment,
                                                 const Compute& compute) {
  auto system = write_system<C>(system_of_r1cs<C>(circuit), segment, compute);
  if (!system) return system;

  auto key_builder = system_of_key<C>(circuit);
  if (!key_builder) return tl::unexpected(key_builder.error());
  PrivateBytes bytes(key_builder->serialized_bytes());
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
  const groth16::formats::ZkeyLoadOptions options{files.allow_insecure, false, &digest};
  return circuit.key.load_key<C>(circuit.sizes, *out, options, compute);
}

Result<CircuitSummary> convert_parts(const CircuitFiles& files, const CircuitDigests& inspected,
                                     std::span<std::byte> key_segment, std::span<std::byte> r1cs_segment,
                                     const Compute& compute, const MultiplesOnDemand& multiples) {
  if (is_recipe(files.key)) {
    const Result<RecipeSource> source = RecipeSource::parse(files);
    if (!source) return tl::unexpected(source.error());
    return source->make(inspected.key, key_segment, r1cs_segment, multiples, compute);
  }
  if (is_params(files.key)) {
    const Result<BuiltinSource> source = BuiltinSource::parse(files);
    if (!source) return tl::unexpected(source.error());
    return source->convert(inspected.key, key_segment, r1cs_segment, compute).map([&] {
      return source->summary(inspected.key);
    });
  }
  populate(files, compute);
  const Result<ParsedCircuit> circuit = ParsedCircuit::parse(files, compute);
  if (!circuit) return tl::unexpected(circuit.error());
  auto loading_key = beside(compute, [&] {
    return groth16::with_curve(
        circuit->curve(), [&]<class C>() { return load_key<C>(*circuit, files, inspected.key, key_segment, compute); });
  });
  const Result<SystemFacts> system =
      groth16::with_curve(circuit->curve(), [&]<class C>() { return load_system<C>(*circuit, r1cs_segment, compute); });
  if (!system) return tl::unexpected(system.error());
  if (Result<void> wanted = unless_cancelled(compute); !wanted) return tl::unexpected(wanted.error());
  if (GROTH16D_FAILPOINT("load.middle")) return failpoint_error("load.middle");
  if (const Result<void> key = loading_key.get(); !key) return tl::unexpected(key.error());
  return summary_of(*circuit, inspected, *system);
}

// What was converted is what was inspected: files that did not stand still are hashed after the conversion, so that a
// change explains any other complaint.
Result<CircuitSummary> convert(const CircuitFiles& files, const Inspections& inspections,
                               const CircuitDigests& inspected, std::span<std::byte> key_segment,
                               std::span<std::byte> r1cs_segment, const Compute& compute,
                               const MultiplesOnDemand& multiples) {
  Result<CircuitSummary> summary =
      unless_changed(files, convert_parts(files, inspected, key_segment, r1cs_segment, compute, multiples));
  if (!summary && summary.error().code == ErrorCode::cancelled) return summary;
  if (const Result<SourceIdentity> now = source_of(files); now && inspections.knows(*now, inspected)) return summary;
  const Result<CircuitDigests> found = unless_changed(files, digests_of(files, compute));
  if (!found) return tl::unexpected(found.error());
  if (Result<void> same = check_digest(files.key, found->key, inspected.key); !same)
    return tl::unexpected(same.error());
  if (files.r1cs == nullptr) return summary;
  if (Result<void> same = check_digest(*files.r1cs, found->r1cs, inspected.r1cs); !same)
    return tl::unexpected(same.error());
  return summary;
}

// The entry's payloads in both segments; nullopt: it is not of what was inspected, or it is damaged and gone now.
Result<std::optional<PreparedCircuit>> load_cached(const CircuitFiles& files, const KeyCache& cache,
                                                   const CircuitDigests& inspected, std::span<std::byte> key_segment,
                                                   std::span<std::byte> r1cs_segment, const Compute& compute) {
  const auto entry = find_entry(files, cache);
  if (!entry) return std::nullopt;
  const CircuitSummary& summary = entry->circuit().summary;
  if (summary.key_digest != inspected.key || summary.r1cs_digest != inspected.r1cs) return std::nullopt;
  const auto key = part_of(key_segment, summary.key_bytes, "proving key");
  if (!key) return tl::unexpected(key.error());
  const auto r1cs = part_of(r1cs_segment, summary.r1cs_bytes, "constraint system");
  if (!r1cs) return tl::unexpected(r1cs.error());
  const Result<void> read = entry->read(*key, *r1cs, compute);
  if (read) return entry->circuit();
  if (read.error().code == ErrorCode::cancelled) return tl::unexpected(read.error());
  spdlog::warn("{}; it is removed, and the files are converted again", read.error().text);
  // A conversion does not write between the sections: nothing of the damage may stay there.
  std::ranges::fill(*key, std::byte{0});
  std::ranges::fill(*r1cs, std::byte{0});
  if (const auto source = source_of(files)) cache.remove(*source);
  return std::nullopt;
}

std::int64_t now_ns() { return static_cast<std::int64_t>(wall_ms()) * 1'000'000; }

bool stood_still(const CircuitFiles& files, const SourceIdentity& before, std::int64_t began_ns) {
  const Result<SourceIdentity> now = source_of(files);
  return now && *now == before && settled(before.key, began_ns) && settled(before.r1cs, began_ns);
}

// Kept only where the files stood still from before they were read until now. Losing the entry loses time only.
void keep(const CircuitFiles& files, const KeyCache& cache, const SourceIdentity& before, std::int64_t began_ns,
          const PreparedCircuit& circuit, std::span<const std::byte> key_segment,
          std::span<const std::byte> r1cs_segment, const Compute& compute) {
  if (!stood_still(files, before, began_ns)) {
    spdlog::info("{}: not cached: it was changed just before or while it was read", files.key.name());
    return;
  }
  const Result<void> kept = cache.store(before, circuit, key_segment, r1cs_segment, compute);
  if (!kept) spdlog::warn("{}: not cached: {}", files.key.name(), kept.error().text);
}

}  // namespace

MultiplesOnDemand host_multiples() {
  using Multiples = groth16::HostMultiples<groth16::Bls12_381>;
  return []() -> Result<std::unique_ptr<const groth16::GeneratorMultiples<groth16::Bls12_381>>> {
    return std::make_unique<const Multiples>();
  };
}

Result<v1::CircuitFacts> inspect_circuit(const CircuitFiles& files, const KeyCache& cache, Inspections& inspections,
                                         const Compute& compute) {
  if (const auto entry = find_entry(files, cache)) return told(files, entry->circuit().summary, 0);
  const std::int64_t began_ns = now_ns();
  const Result<SourceIdentity> before = source_of(files);
  if (!before) return tl::unexpected(before.error());
  const Result<CircuitSummary> summary = unless_changed(files, inspect(files, compute));
  if (!summary) return tl::unexpected(summary.error());
  if (stood_still(files, *before, began_ns)) {
    inspections.remember(*before, {summary->key_digest, summary->r1cs_digest});
  }
  return told(files, *summary, bytes_of(files));
}

Result<LoadedCircuit> load_circuit(const CircuitFiles& files, const KeyCache& cache, const Inspections& inspections,
                                   const CircuitDigests& inspected, std::span<std::byte> key_segment,
                                   std::span<std::byte> r1cs_segment, const Compute& compute,
                                   const MultiplesOnDemand& multiples) {
  const auto cached = load_cached(files, cache, inspected, key_segment, r1cs_segment, compute);
  if (!cached) return tl::unexpected(cached.error());
  if (*cached) return LoadedCircuit{told(files, (*cached)->summary, 0), **cached};
  const std::int64_t began_ns = now_ns();
  const Result<SourceIdentity> before = source_of(files);
  if (!before) return tl::unexpected(before.error());
  const Result<CircuitSummary> summary =
      convert(files, inspections, inspected, key_segment, r1cs_segment, compute, multiples);
  if (!summary) return tl::unexpected(summary.error());
  const auto key = key_segment.first(summary->key_bytes), r1cs = r1cs_segment.first(summary->r1cs_bytes);
  const PreparedCircuit circuit{*summary, checksum_of_payload(key, compute), checksum_of_payload(r1cs, compute)};
  if (cache.is_on() && summary->is_generated == 0) keep(files, cache, *before, began_ns, circuit, key, r1cs, compute);
  if (Result<void> wanted = unless_cancelled(compute); !wanted) return tl::unexpected(wanted.error());
  return LoadedCircuit{told(files, *summary, bytes_of(files)), circuit};
}

}  // namespace groth16d::worker
