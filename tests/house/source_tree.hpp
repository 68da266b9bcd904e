// The checkout as the house tests see it: its text files and the include lines in them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace groth16d::house {

struct SourceFile {
  std::string path;  // from the root: "groth16/algebra/field.hpp"
  std::vector<std::string> lines;
};

struct Include {
  std::string from;     // the including file, from the root
  std::size_t line;     // 1-based
  std::string written;  // what stands between the quotes or brackets
  bool quoted;          // "..." and not <...>
};

// The root of the checkout.
std::filesystem::path root();

// Every file under version control's folders whose name ends in one of the given suffixes, sorted by path. build/,
// node_modules/ and hidden folders other than .ci are left out.
std::vector<SourceFile> files_with_suffix(const std::vector<std::string>& suffixes);

// The include lines of all C++ files.
std::vector<Include> includes();

// The folder of a path: "groth16/algebra" of "groth16/algebra/field.hpp".
std::string folder_of(const std::string& path);

}  // namespace groth16d::house
