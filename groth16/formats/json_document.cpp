// parse_json: the library's event parser feeding a builder that enforces the limits.
#include "groth16/formats/json_document.hpp"

#include <fmt/format.h>

#include <vector>

namespace groth16::formats {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;
using nlohmann::json;

namespace {

// Builds the value from the parser's events; returning false from an event stops the parser.
class Builder final : public nlohmann::json_sax<json> {
 public:
  explicit Builder(unsigned max_depth) : max_depth_(max_depth) {}

  json& root() { return root_; }
  const std::string& error_name() const { return error_name_; }
  const std::string& error_text() const { return error_text_; }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return stop("json.syntax", "a binary value"); }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (open_.back()->contains(name)) {
      return stop("json.duplicate_key", fmt::format("the key \"{}\" occurs twice in one object", name.substr(0, 64)));
    }
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    return stop("json.syntax", fmt::format("not valid JSON at byte {}", position));
  }

 private:
  bool stop(std::string name, std::string text) {
    error_name_ = std::move(name);
    error_text_ = std::move(text);
    return false;
  }

  json& place(json value) {
    if (open_.empty()) return root_ = std::move(value);
    json& parent = *open_.back();
    if (parent.is_object()) return parent[key_] = std::move(value);
    parent.push_back(std::move(value));
    return parent.back();
  }

  bool add(json value) {
    place(std::move(value));
    return true;
  }

  // The pointers stay valid: a container only grows while it is the innermost open one.
  bool open(json container) {
    if (open_.size() == max_depth_) return stop("json.depth", fmt::format("nested deeper than {}", max_depth_));
    open_.push_back(&place(std::move(container)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  unsigned max_depth_;
  json root_;
  std::vector<json*> open_;  // from the root to the innermost container that is not closed
  std::string key_;
  std::string error_name_, error_text_;
};

}  // namespace

Result<json> parse_json(const std::string& file, std::string_view text, JsonLimits limits) {
  if (text.size() > limits.max_bytes) {
    return failure(ErrorCode::too_large, "json.too_large",
                   fmt::format("{}: {} bytes of JSON, at most {} are read", file, text.size(), limits.max_bytes));
  }
  // The library takes a NUL for the end of the text and would ignore what follows.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return failure(ErrorCode::malformed, "json.nul", fmt::format("{}: a NUL byte at offset {}", file, nul));
  }
  Builder builder(limits.max_depth);
  try {
    if (json::sax_parse(text, &builder)) return std::move(builder.root());
  } catch (const std::exception&) {  // out of memory; the library reports everything else as an event
    return failure(ErrorCode::too_large, "json.too_large", fmt::format("{}: the JSON does not fit into memory", file));
  }
  return failure(ErrorCode::malformed, builder.error_name(), fmt::format("{}: {}", file, builder.error_text()));
}

}  // namespace groth16::formats
