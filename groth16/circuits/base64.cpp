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

// One group with padding.
std::size_t Base64Reader::read_last(std::span<std::byte> out) {
  const std::size_t padding = text_.ends_with("==") ? 2 : 1;
  std::array<char, 4> last{'A', 'A', 'A', 'A'};
  std::copy_n(text_.begin(), last.size() - padding, last.begin());
  text_ = {};
  const std::uint32_t group = group_of(last.data());
  const std::uint32_t unused = padding == 2 ? 0xffff : 0xff;
  is_bad_ = (group & (unused | kInvalid)) != 0;
  if (is_bad_) return 0;
  for (std::size_t i = 0; i < 3 - padding; ++i) out[i] = static_cast<std::byte>(group >> (16 - 8 * i));
  return 3 - padding;
}

std::size_t Base64Reader::read(std::span<std::byte> out) {
  if (is_bad_ || text_.empty()) return 0;
  const bool is_padded = text_.ends_with('=');
  const std::size_t n_whole = text_.size() / 4 - (is_padded ? 1 : 0), n_groups = std::min(n_whole, out.size() / 3);
  if (n_groups == 0) return read_last(out);
  std::uint32_t seen = 0;
  std::byte* to = out.data();
  for (std::size_t i = 0; i < n_groups; ++i, to += 3) {
    const std::uint32_t group = group_of(text_.data() + 4 * i);
    seen |= group;
    to[0] = static_cast<std::byte>(group >> 16);
    to[1] = static_cast<std::byte>(group >> 8);
    to[2] = static_cast<std::byte>(group);
  }
  text_.remove_prefix(4 * n_groups);
  is_bad_ = (seen & kInvalid) != 0;
  return is_bad_ ? 0 : 3 * n_groups;
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
