// How the files of the house look: each begins with its one idea, is short enough for one sitting, and is finished.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/house/source_tree.hpp"

using namespace groth16d::house;

namespace {

const std::vector<std::string>& written_by_hand() {
  static const std::vector<std::string> suffixes = {".cpp", ".hpp",   ".cu",  ".cuh",    ".proto",
                                                    ".sh",  ".cmake", ".mjs", ".circom", "CMakeLists.txt"};
  return suffixes;
}

bool begins_with_a_comment(const SourceFile& file) {
  if (file.lines.empty()) return false;
  const bool has_shebang = file.lines[0].starts_with("#!");
  if (has_shebang && file.lines.size() < 2) return false;
  const std::string& first = file.lines[has_shebang ? 1 : 0];
  return first.starts_with("// ") || first.starts_with("# ") || first.starts_with("/* ");
}

// The body of a header is introduced by the header.
bool is_body_of_a_header(const SourceFile& file) {
  return file.path.ends_with(".cpp") && std::filesystem::exists((root() / file.path).replace_extension(".hpp"));
}

}  // namespace

TEST_CASE("the first line of every file says what it is for") {
  std::vector<std::string> silent;
  for (const auto& file : files_with_suffix(written_by_hand())) {
    if (!is_body_of_a_header(file) && !begins_with_a_comment(file)) silent.push_back(file.path);
  }
  CHECK(silent == std::vector<std::string>{});
}

TEST_CASE("a file is read in one sitting") {
  constexpr std::size_t kLongestFile = 700;  // lines; a longer one holds two ideas
  std::vector<std::string> long_ones;
  for (const auto& file : files_with_suffix(written_by_hand())) {
    if (file.lines.size() > kLongestFile) long_ones.push_back(file.path);
  }
  CHECK(long_ones == std::vector<std::string>{});
}

TEST_CASE("nothing is left for later in the text") {
  // Written in two halves, so that this file does not find itself.
  static const std::vector<std::string> unfinished = {
      "TO"
      "DO",
      "FIX"
      "ME",
      "XX"
      "X:",
      "HA"
      "CK:"};
  std::vector<std::string> found;
  for (const auto& file : files_with_suffix(written_by_hand())) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const bool hit = std::any_of(unfinished.begin(), unfinished.end(), [&](const std::string& word) {
        return file.lines[i].find(word) != std::string::npos;
      });
      if (hit) found.push_back(file.path + ":" + std::to_string(i + 1));
    }
  }
  CHECK(found == std::vector<std::string>{});
}

TEST_CASE("no folder is a drawer for everything") {
  std::vector<std::string> drawers;
  for (const auto& file : files_with_suffix(written_by_hand())) {
    for (const auto& part : std::filesystem::path(folder_of(file.path))) {
      if (part == "utils" || part == "util" || part == "misc" || part == "helpers") drawers.push_back(file.path);
    }
  }
  CHECK(drawers == std::vector<std::string>{});
}
