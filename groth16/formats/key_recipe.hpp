// A key recipe: a few lines of text in the place of a built-in circuit's key, from which a key for development is made
// where it will be used, on a card if there is one. Whoever reads it knows the key's secrets.
//
//   groth16d development key 1
//   circuit porep-32GiB
//   seed 17
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/error.hpp"

namespace groth16::formats {

struct KeyRecipe {
  std::string circuit;
  std::uint64_t seed = 0;  // of ToxicWaste::from_seed
  bool operator==(const KeyRecipe&) const = default;
};

// Whether the file is to be read as a recipe.
bool begins_as_key_recipe(std::string_view text);

// Error (malformed): key_recipe.line, with the line's number and what was expected.
groth16d::Result<KeyRecipe> parse_key_recipe(const std::string& file, std::string_view text);

std::string key_recipe_text(const KeyRecipe& recipe);

}  // namespace groth16::formats
