// What a user should hear of a key before trusting its proofs, in the words that every program uses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace groth16::formats {

struct KeyFacts {
  std::string file;
  std::uint32_t warnings = 0;  // bits of KeyHeader::warnings
  bool has_transcript = false;
  std::uint64_t trailing_bytes = 0;
};

std::vector<std::string> key_warnings(const KeyFacts& key);

// Of any file in sections that has such bytes.
std::string trailing_bytes_warning(const std::string& file, std::uint64_t trailing_bytes);

}  // namespace groth16::formats
