// A key recipe says one thing in one way.
#include "groth16/formats/key_recipe.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace groth16::formats;

namespace {

std::string refusal(const std::string& text) {
  const auto recipe = parse_key_recipe("r", text);
  REQUIRE_FALSE(recipe);
  CHECK(recipe.error().name == "key_recipe.line");
  return recipe.error().text;
}

}  // namespace

TEST_CASE("a recipe that was written is read again") {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{17}, ~std::uint64_t{0}}) {
    const KeyRecipe recipe{"porep-32GiB", seed};
    const std::string text = key_recipe_text(recipe);
    CHECK(begins_as_key_recipe(text));
    const auto read = parse_key_recipe("r", text);
    REQUIRE(read);
    CHECK(*read == recipe);
  }
}

TEST_CASE("what is no recipe is refused by its line") {
  const std::string first = "groth16d development key 1\n";
  CHECK_FALSE(begins_as_key_recipe("groth16d development key 2\n"));
  CHECK(refusal("zkey").starts_with("r: line 1: "));
  CHECK(refusal(first).starts_with("r: line 2: "));
  CHECK(refusal(first + "circuit \nseed 1\n").starts_with("r: line 2: "));
  CHECK(refusal(first + "circuit " + std::string(65, 'x') + "\nseed 1\n").starts_with("r: line 2: "));
  CHECK(refusal(first + "circuit c\n").starts_with("r: line 3: "));
  for (const char* seed : {"", "-1", "1 ", "x", "18446744073709551616"})
    CHECK(refusal(first + "circuit c\nseed " + seed + "\n").starts_with("r: line 3: "));
  CHECK(refusal(first + "circuit c\nseed 1\nmore\n").starts_with("r: line 4: "));
}
