#include "groth16/formats/key_warnings.hpp"

#include <fmt/format.h>

#include "groth16/proof/proving_key.hpp"

namespace groth16::formats {

std::vector<std::string> key_warnings(const KeyFacts& key) {
  std::vector<std::string> texts;
  if ((key.warnings & kKeyDevelopment) != 0) {
    texts.push_back(key.file + ": made by a program that knew its secrets: for development only");
  } else if ((key.warnings & kKeyForgeable) != 0) {
    texts.push_back(key.file + ": nobody has contributed to it: anyone can forge proofs");
  }
  if (!key.has_transcript) texts.push_back(key.file + ": has no transcript of its ceremony");
  if (key.trailing_bytes > 0) texts.push_back(trailing_bytes_warning(key.file, key.trailing_bytes));
  return texts;
}

std::string trailing_bytes_warning(const std::string& file, std::uint64_t trailing_bytes) {
  return fmt::format("{}: {} bytes after the last section were ignored", file, trailing_bytes);
}

}  // namespace groth16::formats
