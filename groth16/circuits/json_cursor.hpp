// JsonCursor: walks a JSON text of a known structure without building a tree. The caller says what comes next; the
// first thing that is otherwise is kept as the error, and from then on every read gives zeros and every loop ends.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "groth16/circuits/linear_combination.hpp"

namespace groth16::circuits {

// A text that comes piece by piece.
class TextPieces {
 public:
  virtual ~TextPieces() = default;
  // rest is the end of what was given last, and not read yet: rest again with 128 bytes of text or more behind it,
  // fewer only at the end. What was given before is gone.
  virtual std::string_view more(std::string_view rest) = 0;
};

class JsonCursor {
 public:
  // format: the first part of error names; file: for error texts. text outlives the cursor.
  JsonCursor(std::string_view format, std::string_view file, std::string_view text)
      : format_(format), file_(file), text_(text) {}
  // What string() returns is then good until the next read.
  JsonCursor(std::string_view format, std::string_view file, TextPieces& pieces)
      : format_(format), file_(file), pieces_(&pieces) {}

  bool ok() const { return !error_; }
  groth16d::Result<void> finish();  // after the last value: nothing but white space may follow

  // An object with these keys in any order, each exactly once: calls on_field(index of the key) before its value.
  // Values of other keys are skipped.
  template <std::size_t N, class OnField>
  void object(const std::array<std::string_view, N>& keys, OnField&& on_field) {
    std::array<bool, N> seen{};
    expect('{');
    for (bool more = !take('}'); ok() && more; more = next_or_end('}')) {
      const std::string key{string()};
      expect(':');
      std::size_t index = 0;
      while (index < N && keys[index] != key) ++index;
      if (index == N) {
        skip_value();
      } else if (seen[index]) {
        fail("duplicate_key", "the key \"" + key + "\" again");
      } else {
        seen[index] = true;
        on_field(index);
      }
    }
    for (std::size_t i = 0; i < N && ok(); ++i) {
      if (!seen[i]) fail("missing_key", "an object without its key \"" + std::string(keys[i]) + "\"");
    }
  }

  // An object with exactly one key: calls on_value(key) before its value.
  template <class OnValue>
  void variant(OnValue&& on_value) {
    expect('{');
    const std::string key{string()};
    expect(':');
    if (ok()) on_value(key);
    expect('}');
  }

  // Calls on_item(index) before each item. The number of items.
  template <class OnItem>
  std::size_t array(OnItem&& on_item) {
    std::size_t count = 0;
    expect('[');
    for (bool more = !take(']'); ok() && more; more = next_or_end(']')) on_item(count++);
    return count;
  }
  // An array of exactly count items.
  template <class OnItem>
  void array(std::size_t count, OnItem&& on_item) {
    const std::size_t found = array([&](std::size_t index) {
      if (index < count) return on_item(index);
      fail("count", "more than " + std::to_string(count) + " items");
    });
    if (ok() && found != count) {
      fail("count", std::to_string(found) + " items, expected " + std::to_string(count));
    }
  }

  std::uint64_t number(std::uint64_t largest);
  std::string_view string();  // one without escapes

  // 32 numbers 0 ... 255.
  std::array<std::uint8_t, 32> bytes32();
  // The same as a little-endian number below r.
  Scalar scalar();

  void skip_value();
  void fail(std::string_view rule, std::string text);

 private:
  static constexpr unsigned kMaxDepth = 64;

  bool has_more();  // behind the text at hand; moves positions in it
  void skip_space();
  bool take(char character);
  void expect(char character);
  bool next_or_end(char end);  // after a value: true for a comma, false for the end
  bool fast_bytes32(std::array<std::uint8_t, 32>& bytes);
  void skip_string();

  std::string_view format_, file_, text_;
  TextPieces* pieces_ = nullptr;  // until the last has come
  std::size_t position_ = 0;      // in text_
  std::size_t passed_ = 0;        // bytes before text_
  std::optional<groth16d::Error> error_;
};

}  // namespace groth16::circuits
