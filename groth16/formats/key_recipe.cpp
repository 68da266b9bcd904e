#include "groth16/formats/key_recipe.hpp"

#include <charconv>

namespace groth16::formats {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

constexpr std::string_view kFirstLine = "groth16d development key 1\n";
constexpr std::string_view kCircuit = "circuit ", kSeed = "seed ";
constexpr std::size_t kLongestName = 64;

// Takes the line off the text; without its end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

auto unexpected_line(const std::string& file, int number, const char* expected) {
  return failure(ErrorCode::malformed, "key_recipe.line",
                 file + ": line " + std::to_string(number) + ": expected " + expected);
}

}  // namespace

bool begins_as_key_recipe(std::string_view text) { return text.starts_with(kFirstLine); }

Result<KeyRecipe> parse_key_recipe(const std::string& file, std::string_view text) {
  if (!begins_as_key_recipe(text)) return unexpected_line(file, 1, "\"groth16d development key 1\"");
  text.remove_prefix(kFirstLine.size());
  KeyRecipe recipe;
  std::string_view line = take_line(text);
  if (!line.starts_with(kCircuit) || line.size() == kCircuit.size() || line.size() > kCircuit.size() + kLongestName) {
    return unexpected_line(file, 2, "\"circuit \" and the name of a built-in circuit");
  }
  recipe.circuit = line.substr(kCircuit.size());
  line = take_line(text);
  const std::string_view digits = line.starts_with(kSeed) ? line.substr(kSeed.size()) : std::string_view();
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), recipe.seed);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) {
    return unexpected_line(file, 3, "\"seed \" and a number below 2^64");
  }
  if (!text.empty()) return unexpected_line(file, 4, "the end");
  return recipe;
}

std::string key_recipe_text(const KeyRecipe& recipe) {
  return std::string(kFirstLine) + std::string(kCircuit) + recipe.circuit + "\n" + std::string(kSeed) +
         std::to_string(recipe.seed) + "\n";
}

}  // namespace groth16::formats
