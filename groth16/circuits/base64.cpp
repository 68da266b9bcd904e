#include "groth16/circuits/base64.hpp"

#include <algorithm>
#include <array>

namespace groth16::circuits {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint32_t kInvalid = std::uint32_t{1} << 31;

// A character's six bits at its place of a group, for each of the four places; kInvalid outside the alphabet. So a
// group costs four look-ups, which keeps 50 MB well below 100 ms.
constexpr auto kPlaces = [] {
  std::array<std::array<std::uint32_t, 256>, 4> places{};
  for (auto& place : places) place.fill(kInvalid);
  for (std::uint32_t value = 0; value < kAlphabet.size(); ++value) {
    const auto character = static_cast<unsigned char>(kAlphabet[value]);
    for (unsigned place = 0; place < 4; ++place) places[place][character] = value << (18 - 6 * place);
  }
  return places;
}();

std::uint32_t group_of(const char* text) {
  std::uint32_t bits = 0;
  for (unsigned place = 0; place < 4; ++place) bits |= kPlaces[place][static_cast<unsigned char>(text[place])];
  return bits;
}

}  // namespace

std::optional<std::vector<std::byte>> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  std::vector<std::byte> bytes(text.size() / 4 * 3);
  std::uint32_t seen = 0;
  std::byte* to = bytes.data();
  const std::size_t whole = text.size() - (padding != 0 ? 4 : 0);
  for (std::size_t i = 0; i < whole; i += 4, to += 3) {
    const std::uint32_t group = group_of(text.data() + i);
    seen |= group;
    to[0] = static_cast<std::byte>(group >> 16);
    to[1] = static_cast<std::byte>(group >> 8);
    to[2] = static_cast<std::byte>(group);
  }
  if (padding != 0) {
    std::array<char, 4> last{'A', 'A', 'A', 'A'};
    for (std::size_t i = 0; i < 4 - padding; ++i) last[i] = text[whole + i];
    const std::uint32_t group = group_of(last.data());
    const std::uint32_t unused = padding == 2 ? 0xffff : 0xff;
    if ((group & unused) != 0) return std::nullopt;
    seen |= group;
    for (unsigned i = 0; i < 3 - padding; ++i) to[i] = static_cast<std::byte>(group >> (16 - 8 * i));
    bytes.resize(bytes.size() - padding);
  }
  if ((seen & kInvalid) != 0) return std::nullopt;
  return bytes;
}

std::string encode_base64(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < count; ++j) group |= static_cast<std::uint32_t>(bytes[i + j]) << (16 - 8 * j);
    for (std::size_t j = 0; j < 4; ++j) text.push_back(j <= count ? kAlphabet[(group >> (18 - 6 * j)) & 63] : '=');
  }
  return text;
}

}  // namespace groth16::circuits
