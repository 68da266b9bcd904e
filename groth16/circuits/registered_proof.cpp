#include "groth16/circuits/registered_proof.hpp"

namespace groth16::circuits {

namespace {

struct Variant {
  std::string_view suffix;
  GraphVersion graph;
  ChallengeRule rule;
};

// In the order of the numbers: 5 sizes each.
constexpr std::array<Variant, 4> kVariants{{
    {"V1", GraphVersion::legacy, ChallengeRule::interactive},
    {"V1_1", GraphVersion::fixed, ChallengeRule::interactive},
    {"V1_1_Feat_SyntheticPoRep", GraphVersion::fixed, ChallengeRule::synthetic},
    {"V1_2_Feat_NonInteractivePoRep", GraphVersion::fixed, ChallengeRule::non_interactive},
}};
constexpr std::array<std::string_view, 5> kSizes{"2KiB", "8MiB", "512MiB", "32GiB", "64GiB"};
constexpr std::string_view kPrefix = "StackedDrg";
constexpr std::uint32_t kProductionLayers = 11;

RegisteredProof registered_proof(std::size_t variant, std::size_t size) {
  RegisteredProof proof;
  proof.sector = sector_of_name(kSizes[size]).value();
  proof.porep_id[0] = static_cast<std::uint8_t>(variant * kSizes.size() + size);
  proof.graph = kVariants[variant].graph;
  proof.rule = kVariants[variant].rule;
  return proof;
}

}  // namespace

std::uint32_t RegisteredProof::partitions() const {
  const bool is_production = sector.layers == kProductionLayers;
  const std::uint32_t interactive = is_production ? 176 : 2;
  const std::uint32_t non_interactive = is_production ? 2253 : 26;
  const std::uint32_t least = rule == ChallengeRule::non_interactive ? non_interactive : interactive;
  return (least + sector.challenges - 1) / sector.challenges;
}

groth16d::Result<RegisteredProof> registered_proof_of_name(std::string_view name) {
  for (std::size_t variant = 0; variant < kVariants.size(); ++variant) {
    for (std::size_t size = 0; size < kSizes.size(); ++size) {
      if (name == std::string(kPrefix).append(kSizes[size]).append(kVariants[variant].suffix))
        return registered_proof(variant, size);
    }
  }
  return groth16d::failure(groth16d::ErrorCode::malformed, "registered_proof.name",
                           "\"" + std::string(name.substr(0, 64)) + "\" is no registered replication proof");
}

std::vector<RegisteredProof> registered_proofs_of(const SectorShape& sector) {
  std::vector<RegisteredProof> proofs;
  for (std::size_t size = 0; size < kSizes.size(); ++size) {
    if (sector_name(sector.sector_bytes()) != kSizes[size]) continue;
    for (std::size_t variant = 0; variant < kVariants.size(); ++variant)
      proofs.push_back(registered_proof(variant, size));
  }
  return proofs;
}

std::string size_class_name(const SectorShape& sector) {
  return std::string(kPrefix) + sector_name(sector.sector_bytes()) + "V1";
}

}  // namespace groth16::circuits
