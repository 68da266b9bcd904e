// A JSON text from outside as a value: bounded in size and depth, no NUL byte, no key twice in one object, and no
// exception of the JSON library ever leaves. Used by the readers of this folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "common/error.hpp"

namespace groth16::formats {

struct JsonLimits {
  std::uint64_t max_bytes = 64 << 20;  // a verification key of 200,000 public signals
  unsigned max_depth = 8;              // snarkjs's deepest value has 4
};

// Errors: json.too_large, json.nul, json.syntax (with the byte's position), json.depth, json.duplicate_key.
groth16d::Result<nlohmann::json> parse_json(const std::string& file, std::string_view text, JsonLimits limits = {});

}  // namespace groth16::formats
