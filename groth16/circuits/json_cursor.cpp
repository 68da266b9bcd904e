#include "groth16/circuits/json_cursor.hpp"

namespace groth16::circuits {

namespace {

constexpr bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

groth16d::Result<void> JsonCursor::finish() {
  skip_space();
  if (ok() && position_ != text_.size()) fail("trailing", "more text behind the value");
  if (error_) return tl::unexpected<groth16d::Error>(*error_);
  return {};
}

void JsonCursor::fail(std::string_view rule, std::string text) {
  if (error_) return;
  error_ =
      groth16d::Error{groth16d::ErrorCode::malformed, std::string(format_) + "." + std::string(rule),
                      std::string(file_) + ": at byte " + std::to_string(passed_ + position_) + ": " + std::move(text)};
  position_ = text_.size();
  pieces_ = nullptr;
}

bool JsonCursor::has_more() {
  if (pieces_ == nullptr) return false;
  const std::size_t rest = text_.size() - position_;
  text_ = pieces_->more(text_.substr(position_));
  passed_ += position_;
  position_ = 0;
  if (text_.size() == rest) pieces_ = nullptr;
  return pieces_ != nullptr;
}

void JsonCursor::skip_space() {
  while ((position_ < text_.size() || has_more()) && is_space(text_[position_])) ++position_;
}

bool JsonCursor::take(char character) {
  skip_space();
  if (position_ >= text_.size() || text_[position_] != character) return false;
  ++position_;
  return true;
}

void JsonCursor::expect(char character) {
  if (!take(character)) fail("syntax", std::string("expected '") + character + "'");
}

bool JsonCursor::next_or_end(char end) {
  if (take(',')) return true;
  expect(end);
  return false;
}

std::uint64_t JsonCursor::number(std::uint64_t largest) {
  constexpr std::size_t kLongest = 20;  // digits of 2^64
  skip_space();
  if (text_.size() - position_ <= kLongest) has_more();
  const std::size_t start = position_;
  std::uint64_t value = 0;
  for (; position_ < text_.size() && is_digit(text_[position_]); ++position_) {
    const auto digit = static_cast<std::uint64_t>(text_[position_] - '0');
    if (value > (largest - digit) / 10 || digit > largest) {
      fail("number", "a number above " + std::to_string(largest));
      return 0;
    }
    value = 10 * value + digit;
  }
  const bool has_leading_zero = position_ - start > 1 && text_[start] == '0';
  if (position_ == start || has_leading_zero) fail("syntax", "expected a whole number");
  return ok() ? value : 0;
}

std::string_view JsonCursor::string() {
  expect('"');
  std::size_t length = 0;
  const auto is_inside = [&] { return position_ + length < text_.size(); };
  while ((is_inside() || has_more()) && text_[position_ + length] != '"' && text_[position_ + length] != '\\') ++length;
  if (!is_inside() || text_[position_ + length] == '\\') {
    position_ += length;
    fail("syntax", "expected a text without escapes and its end");
    return {};
  }
  const std::string_view found = text_.substr(position_, length);
  position_ += length + 1;
  return found;
}

// Nearly every byte of a file is part of such an array, without white space: one pass, no calls.
bool JsonCursor::fast_bytes32(std::array<std::uint8_t, 32>& bytes) {
  constexpr std::size_t kLongest = 1 + 32 * 4;
  if (text_.size() - position_ < kLongest && (!has_more() || text_.size() < kLongest)) return false;
  const char* at = text_.data() + position_;
  if (*at++ != '[') return false;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    unsigned value = 0, n_digits = 0;
    for (; n_digits < 3 && is_digit(*at); ++n_digits) value = 10 * value + static_cast<unsigned>(*at++ - '0');
    const bool has_leading_zero = n_digits > 1 && at[-static_cast<std::ptrdiff_t>(n_digits)] == '0';
    if (n_digits == 0 || has_leading_zero || value > 255 || *at++ != (i + 1 < bytes.size() ? ',' : ']')) return false;
    bytes[i] = static_cast<std::uint8_t>(value);
  }
  position_ = static_cast<std::size_t>(at - text_.data());
  return true;
}

std::array<std::uint8_t, 32> JsonCursor::bytes32() {
  std::array<std::uint8_t, 32> bytes{};
  skip_space();
  if (fast_bytes32(bytes)) return bytes;
  array(bytes.size(), [&](std::size_t i) { bytes[i] = static_cast<std::uint8_t>(number(255)); });
  return bytes;
}

Scalar JsonCursor::scalar() {
  const auto bytes = bytes32();
  const Scalar value = Scalar::from_le_bytes(std::as_bytes(std::span(bytes)));
  if (!Fr::is_canonical(value)) fail("not_canonical", "32 bytes that are no number below r");
  return value;
}

void JsonCursor::skip_string() {
  ++position_;
  bool is_escaped = false;
  for (; position_ < text_.size() || has_more(); ++position_) {
    const char c = text_[position_];
    if (c == '"' && !is_escaped) break;
    is_escaped = c == '\\' && !is_escaped;
  }
  if (position_ >= text_.size()) return fail("syntax", "a text without an end");
  ++position_;
}

// Brackets are counted, and what they hold is not looked at: nobody reads it.
void JsonCursor::skip_value() {
  unsigned depth = 0;
  do {
    skip_space();
    if (position_ >= text_.size()) return fail("syntax", "a value without an end");
    const char c = text_[position_];
    if (c == '"') {
      skip_string();
    } else if (c == '{' || c == '[') {
      ++position_;
      if (++depth > kMaxDepth) return fail("depth", "nested deeper than " + std::to_string(kMaxDepth));
    } else if (depth > 0 && (c == '}' || c == ']')) {
      ++position_;
      --depth;
    } else if (depth > 0 && (c == ',' || c == ':')) {
      ++position_;
    } else {
      const std::size_t start = passed_ + position_;
      while ((position_ < text_.size() || has_more()) &&
             std::string_view(",:{}[]\" \n\r\t").find(text_[position_]) == std::string_view::npos) {
        ++position_;
      }
      if (passed_ + position_ == start) return fail("syntax", "expected a value");
    }
  } while (depth > 0 && ok());
}

}  // namespace groth16::circuits
