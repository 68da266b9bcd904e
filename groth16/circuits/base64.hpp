// Base64 (RFC 4648, section 4): the standard alphabet, padded, nothing else between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace groth16::circuits {

// Nothing unless the text is whole groups of four of the alphabet, padding at its end only and its unused bits 0.
std::optional<std::vector<std::byte>> decode_base64(std::string_view text);

std::string encode_base64(std::span<const std::byte> bytes);

}  // namespace groth16::circuits
