// Reading the checkout: plain directory walks and one regular expression.
#include "tests/house/source_tree.hpp"

#include <algorithm>
#include <fstream>
#include <regex>

namespace groth16d::house {
namespace {

namespace fs = std::filesystem;

bool is_left_out(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name == "build" || name == "node_modules" || (name.size() > 1 && name[0] == '.' && name != ".ci");
}

bool ends_with_one_of(const std::string& name, const std::vector<std::string>& suffixes) {
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [&](const std::string& suffix) { return name.ends_with(suffix); });
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

fs::path root() { return GROTH16D_SOURCE_DIR; }

std::vector<SourceFile> files_with_suffix(const std::vector<std::string>& suffixes) {
  std::vector<SourceFile> found;
  for (auto entry = fs::recursive_directory_iterator(root()); entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry->is_directory() && is_left_out(entry->path())) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file() && ends_with_one_of(entry->path().filename().string(), suffixes)) {
      found.push_back({fs::relative(entry->path(), root()).string(), lines_of(entry->path())});
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return found;
}

std::vector<Include> includes() {
  static const std::regex pattern(R"(^\s*#\s*include\s*(["<])([^">]+)[">].*)");
  std::vector<Include> found;
  for (const auto& file : files_with_suffix({".cpp", ".hpp", ".h", ".cu", ".cuh"})) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      std::smatch match;
      if (std::regex_match(file.lines[i], match, pattern)) {
        found.push_back({file.path, i + 1, match[2].str(), match[1].str() == "\""});
      }
    }
  }
  return found;
}

std::string folder_of(const std::string& path) { return fs::path(path).parent_path().string(); }

}  // namespace groth16d::house
