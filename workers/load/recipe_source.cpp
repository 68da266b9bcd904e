#include "workers/load/recipe_source.hpp"

#include <string_view>

#include "groth16/formats/bellperson_vk.hpp"
#include "groth16/formats/key_recipe.hpp"
#include "groth16/proof/keygen.hpp"

namespace groth16d::worker {

namespace {

using Curve = BuiltinSystem::Curve;

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
  auto circuit = circuit_of_key(files, "recipe.r1cs", groth16::circuits::builtin_circuit(recipe->circuit));
  if (!circuit) return tl::unexpected(circuit.error());
  return RecipeSource(std::move(*circuit), recipe->seed);
}

CircuitSummary RecipeSource::summary(const Digest& key_digest) const {
  CircuitSummary summary = system_.summary(key_digest);
  summary.key_warnings = groth16::kKeyDevelopment;
  summary.is_generated = 1;
  return summary;
}

Result<CircuitSummary> RecipeSource::make(const Digest& key_digest, std::span<std::byte> key_segment,
                                          std::span<std::byte> r1cs_segment, const MultiplesOnDemand& multiples,
                                          const groth16::Compute& compute) const {
  const auto written = system_.write(key_segment, r1cs_segment, compute);
  if (!written) return tl::unexpected(written.error());
  const auto multiplier = multiples();
  if (!multiplier) return tl::unexpected(multiplier.error());
  auto toxic = groth16::ToxicWaste<Curve>::from_seed(seed_);
  toxic.gamma =
      groth16::formats::development_gamma();  // that of the .params which `groth16ctl setup` makes of the seed
  const auto made =
      groth16::generate_key<Curve>(written->system, toxic, groth16::HBasis::monomial, groth16::DomainRoot::seven,
                                   written->key, **multiplier, compute, &key_digest);
  if (!made) return tl::unexpected(made.error());
  const auto key = groth16::ProvingKey<Curve>::open(written->key);
  if (!key) return tl::unexpected(key.error());
  CircuitSummary summary = this->summary(key_digest);
  summary.vk_digest = key->vk_digest();
  return summary;
}

}  // namespace groth16d::worker
