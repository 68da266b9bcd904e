// Base64 (RFC 4648, section 4): the standard alphabet, padded, nothing else between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace groth16::circuits {

// Decodes a text piece by piece, so that its bytes need not all be there at once. It is whole groups of four of the
// alphabet, with padding at its end only and its unused bits 0.
class Base64Reader {
 public:
  explicit Base64Reader(std::string_view text) : text_(text), is_bad_(text.size() % 4 != 0) {}

  // Writes the next bytes, as many as fit by threes; out.size() >= 3. Their number; 0 at the end, or before what is no
  // base64.
  std::size_t read(std::span<std::byte> out);

  // Whether it came to what is no base64.
  bool is_bad() const { return is_bad_; }

 private:
  std::size_t read_last(std::span<std::byte> out);

  std::string_view text_;  // what is left
  bool is_bad_;
};

std::string encode_base64(std::span<const std::byte> bytes);

}  // namespace groth16::circuits
