#include "groth16/circuits/parameter_files.hpp"

#include <array>
#include <cstdlib>

#include "common/blake2.hpp"
#include "common/digest.hpp"

namespace groth16::circuits {

using groth16d::ErrorCode;
using groth16d::failure;

namespace {

constexpr std::string_view kVersion = "v28-";
constexpr std::string_view kDefaultCache = "/var/tmp/filecoin-proof-parameters";
constexpr std::size_t kPublishedDigits = 32;

std::string tree_name(const TreeArities& arities) {
  return "merkletree-poseidon_hasher-" + std::to_string(arities.base) + "-" + std::to_string(arities.sub) + "-" +
         std::to_string(arities.top);
}

struct Published {
  std::string_view sector, params, vk;
};
constexpr std::array<Published, 5> kPublished{{
    {"2KiB", "434fb1338ecfaf0f59256f30dde4968f", "dc1ade9929ade1708238f155343044ac"},
    {"8MiB", "09e612e4eeb7a0eb95679a88404f960c", "b687beb9adbd9dabe265a7e3620813e4"},
    {"512MiB", "6c77597eb91ab936c1cef4cf19eba1b3", "065179da19fbe515507267677f02823e"},
    {"32GiB", "6a388072a518cf46ebd661f5cc46900a", "0c7b4aac1c40fdb7eb82bc355b41addf"},
    {"64GiB", "1801f8a6e1b00bceb00cc27314bb5ce3", "a89884252c04c298d0b3c81bfd884164"},
}};

}  // namespace

std::string porep_parameter_stem(const SectorShape& shape) {
  const std::string identifier =
      "layered_drgporep::PublicParams{ graph: stacked_graph::StackedGraph{expansion_degree: 8 base_graph: "
      "drgraph::BucketGraph{size: " +
      std::to_string(shape.nodes) +
      "; degree: 6; hasher: poseidon_hasher} }, challenges: LayerChallenges { layers: " + std::to_string(shape.layers) +
      ", max_count: " + std::to_string(shape.challenges) + " }, tree: " + tree_name(shape.arities) + " }";
  return std::string(kVersion) + "stacked-proof-of-replication-" + tree_name(shape.arities) + "-sha256_hasher-" +
         groth16d::to_hex(groth16d::sha256(identifier));
}

std::filesystem::path parameter_cache() {
  const char* folder = std::getenv("FIL_PROOFS_PARAMETER_CACHE");
  return folder != nullptr && *folder != '\0' ? folder : kDefaultCache;
}

std::optional<std::string_view> published_digest(std::string_view file_name) {
  for (const Published& published : kPublished) {
    const std::string stem = porep_parameter_stem(sector_of_name(published.sector).value());
    if (file_name == stem + ".params") return published.params;
    if (file_name == stem + ".vk") return published.vk;
  }
  return std::nullopt;
}

groth16d::Result<void> check_published(std::string_view file_name, std::span<const std::byte> bytes) {
  const auto expected = published_digest(file_name);
  if (!expected) {
    return failure(ErrorCode::not_found, "parameters.unpublished",
                   std::string(file_name) + ": no file of parameters is published under this name");
  }
  const std::string found = groth16d::to_hex(groth16d::blake2b_512(bytes)).substr(0, kPublishedDigits);
  if (found == *expected) return {};
  return failure(
      ErrorCode::mismatch, "parameters.digest",
      std::string(file_name) + ": its BLAKE2b-512 begins with " + found + ", published is " + std::string(*expected));
}

}  // namespace groth16::circuits
