// The published parameters of Filecoin's circuits: the names of their files, where they are kept, and their digests.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "groth16/circuits/sector_shape.hpp"

namespace groth16::circuits {

// "v28-stacked-proof-of-replication-...": the name of both files without ".params" or ".vk". It follows from the shape.
std::string porep_parameter_stem(const SectorShape& shape);

// $FIL_PROOFS_PARAMETER_CACHE, else /var/tmp/filecoin-proof-parameters.
std::filesystem::path parameter_cache();

// The first 32 hexadecimal digits of a published file's BLAKE2b-512, as parameters.json has it; nothing for a name that
// is not published, or no replication proof's.
std::optional<std::string_view> published_digest(std::string_view file_name);

// Whether the bytes are those that were published under this name. Errors: parameters.unpublished (not_found),
// parameters.digest (mismatch).
groth16d::Result<void> check_published(std::string_view file_name, std::span<const std::byte> bytes);

}  // namespace groth16::circuits
