#include "workers/load/recipe_source.hpp"

#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "common/failpoint.hpp"
#include "groth16/formats/bellperson_params.hpp"
#include "groth16/formats/key_recipe.hpp"
#include "groth16/proof/keygen.hpp"
#include "groth16/proof/packed_witness.hpp"
#include "workers/load/segment_part.hpp"

namespace groth16d::worker {

namespace {

using Curve = groth16::Bls12_381;
using groth16::ConstraintSystem;
using groth16::HBasis;

std::string_view text_of(const GuardedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

}  // namespace

bool is_recipe(const GuardedFile& key) { return groth16::formats::begins_as_key_recipe(text_of(key)); }

Result<RecipeSource> RecipeSource::parse(const CircuitFiles& files) {
  const std::string& name = files.key.name();
  const auto recipe = groth16::formats::parse_key_recipe(name, text_of(files.key));
  if (!recipe) return tl::unexpected(recipe.error());
  if (!files.allow_insecure) {
    return failure(
        ErrorCode::malformed, "recipe.insecure",
        name + ": whoever reads it can forge proofs for the key that it makes, and such keys are not allowed");
  }
  if (files.r1cs != nullptr) {
    return failure(ErrorCode::mismatch, "recipe.r1cs",
                   fmt::format("{}: {} is for a built-in circuit, which has a constraint system of its own",
                               files.r1cs->name(), name));
  }
  auto circuit = groth16::circuits::builtin_circuit(recipe->circuit);
  if (!circuit) {
    return failure(circuit.error().code, circuit.error().name, fmt::format("{}: {}", name, circuit.error().text));
  }
  return RecipeSource(std::move(*circuit), recipe->seed);
}

CircuitSummary RecipeSource::summary(const Digest& key_digest) const {
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
  summary.key_warnings = groth16::kKeyDevelopment;
  summary.is_builtin = 1;
  summary.is_generated = 1;
  summary.key_digest = key_digest;
  return summary;
}

Result<CircuitSummary> RecipeSource::make(const Digest& key_digest, std::span<std::byte> key_segment,
                                          std::span<std::byte> r1cs_segment, const MultiplesOnDemand& multiples,
                                          const groth16::Compute& compute) const {
  CircuitSummary summary = this->summary(key_digest);
  const auto r1cs = part_of(r1cs_segment, summary.r1cs_bytes, "constraint system");
  if (!r1cs) return tl::unexpected(r1cs.error());
  const auto key = part_of(key_segment, summary.key_bytes, "proving key");
  if (!key) return tl::unexpected(key.error());
  if (auto written = circuit_->write_system(plan_, *r1cs, compute); !written) return tl::unexpected(written.error());
  const auto system = ConstraintSystem<Curve>::open(*r1cs);
  if (!system) return tl::unexpected(system.error());
  if (GROTH16D_FAILPOINT("load.middle")) return failpoint_error("load.middle");
  const auto multiplier = multiples();
  if (!multiplier) return tl::unexpected(multiplier.error());
  const auto toxic = groth16::ToxicWaste<Curve>::from_seed(seed_);
  groth16::Digest source;
  static_assert(sizeof source == sizeof key_digest);
  std::memcpy(source.data(), key_digest.data(), sizeof source);
  const auto made = groth16::generate_key<Curve>(*system, toxic, HBasis::monomial, groth16::DomainRoot::seven, *key,
                                                 **multiplier, compute, &source);
  if (!made) return tl::unexpected(made.error());
  const auto opened = groth16::ProvingKey<Curve>::open(*key);
  if (!opened) return tl::unexpected(opened.error());
  summary.vk_digest = opened->vk_digest();
  return summary;
}

}  // namespace groth16d::worker
