#include "common/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include <toml++/toml.h>

#include "common/posix.hpp"

namespace groth16d {

namespace {

constexpr std::uint64_t kMaxFileBytes = 1 << 20;

void collect_leaves(const toml::table& table, const std::string& prefix, std::vector<std::string>& leaves) {
  for (const auto& [key, node] : table) {
    const std::string path = prefix.empty() ? std::string(key.str()) : fmt::format("{}.{}", prefix, key.str());
    if (const toml::table* inner = node.as_table()) {
      collect_leaves(*inner, path, leaves);
    } else {
      leaves.push_back(path);
    }
  }
}

std::optional<std::uint64_t> unit_bytes(std::string_view unit) {
  static constexpr std::array<std::string_view, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  if (unit.empty()) return 1;
  const auto found = std::find(kUnits.begin(), kUnits.end(), unit);
  if (found == kUnits.end()) return std::nullopt;
  return std::uint64_t{1} << (10 * (found - kUnits.begin()));
}

std::optional<std::uint64_t> unit_ms(std::string_view unit) {
  if (unit == "ms") return 1;
  if (unit == "s") return 1'000;
  if (unit == "min") return 60'000;
  if (unit == "h") return 3'600'000;
  if (unit == "d") return 86'400'000;
  return std::nullopt;
}

// "12 KiB": a whole number and what follows it.
struct Quantity {
  std::optional<std::uint64_t> number;
  std::string_view unit;
};

Quantity split_quantity(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  return {error == std::errc{} ? std::optional(number) : std::nullopt, unit};
}

}  // namespace

struct ConfigFile::Body {
  toml::table table;
  std::string name;
  std::set<std::string, std::less<>> asked;
  std::optional<Error> first_error;

  toml::node_view<toml::node> find(std::string_view key) {
    asked.emplace(key);
    return table.at_path(key);
  }

  void complain(std::string_view key, toml::node_view<toml::node> node, std::string_view error, std::string_view text) {
    if (first_error) return;
    const auto line = node.node() != nullptr ? node.node()->source().begin.line : 0;
    first_error = Error{ErrorCode::malformed, std::string(error), fmt::format("{}:{}: {}: {}", name, line, key, text)};
  }

  // Strict: an integer is no text and a number no flag.
  template <class Type>
  std::optional<Type> value(std::string_view key, std::string_view type_name) {
    const auto node = find(key);
    if (!node) return std::nullopt;
    std::optional<Type> found = node.template value_exact<Type>();
    if (!found) complain(key, node, "config.type", fmt::format("expected {}", type_name));
    return found;
  }
};

ConfigFile::ConfigFile(std::unique_ptr<Body> body) : body_(std::move(body)) {}
ConfigFile::ConfigFile(ConfigFile&&) noexcept = default;
ConfigFile& ConfigFile::operator=(ConfigFile&&) noexcept = default;
ConfigFile::~ConfigFile() = default;

Result<ConfigFile> ConfigFile::read(const std::string& path) {
  Result<std::string> text = read_text_file(path, kMaxFileBytes);
  if (!text) return tl::unexpected<Error>(text.error());
  return parse(*text, path);
}

Result<ConfigFile> ConfigFile::parse(std::string_view text, std::string name) {
  auto body = std::make_unique<Body>();
  try {
    body->table = toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    const auto& place = error.source().begin;
    return failure(ErrorCode::malformed, "config.syntax",
                   fmt::format("{}:{}:{}: {}", name, place.line, place.column, error.description()));
  }
  body->name = std::move(name);
  return ConfigFile(std::move(body));
}

std::string ConfigFile::text(std::string_view key, std::string_view otherwise) {
  return body_->value<std::string>(key, "text").value_or(std::string(otherwise));
}

bool ConfigFile::flag(std::string_view key, bool otherwise) {
  return body_->value<bool>(key, "true or false").value_or(otherwise);
}

std::uint64_t ConfigFile::count(std::string_view key, std::uint64_t otherwise, std::uint64_t least,
                                std::uint64_t most) {
  const std::optional<std::int64_t> found = body_->value<std::int64_t>(key, "an integer");
  if (!found) return otherwise;
  if (*found < 0 || std::cmp_less(*found, least) || std::cmp_greater(*found, most)) {
    body_->complain(key, body_->find(key), "config.range",
                    fmt::format("{} is not within {} .. {}", *found, least, most));
    return otherwise;
  }
  return static_cast<std::uint64_t>(*found);
}

std::uint64_t ConfigFile::bytes(std::string_view key, std::uint64_t otherwise) {
  const auto node = body_->find(key);
  if (!node || !node.is_string()) return count(key, otherwise, 0, std::numeric_limits<std::int64_t>::max());
  Result<std::uint64_t> parsed = parse_bytes(*node.value_exact<std::string_view>());
  if (!parsed) {
    body_->complain(key, node, parsed.error().name, parsed.error().text);
    return otherwise;
  }
  return *parsed;
}

std::uint64_t ConfigFile::duration_ms(std::string_view key, std::uint64_t otherwise) {
  const std::optional<std::string> found = body_->value<std::string>(key, "a duration, such as \"5 s\"");
  if (!found) return otherwise;
  const Result<std::uint64_t> parsed = parse_duration_ms(*found);
  if (!parsed) {
    body_->complain(key, body_->find(key), parsed.error().name, parsed.error().text);
    return otherwise;
  }
  return *parsed;
}

bool ConfigFile::is(std::string_view key, std::string_view text) {
  return body_->find(key).value_exact<std::string_view>() == text;
}

void ConfigFile::refuse(std::string_view key, std::string_view why) {
  body_->complain(key, body_->find(key), "config.value", why);
}

std::vector<std::string> ConfigFile::texts(std::string_view key, std::vector<std::string> otherwise) {
  const auto node = body_->find(key);
  if (!node) return otherwise;
  const toml::array* array = node.as_array();
  if (array == nullptr || !std::all_of(array->begin(), array->end(), [](auto& item) { return item.is_string(); })) {
    body_->complain(key, node, "config.type", "expected a list of texts");
    return otherwise;
  }
  std::vector<std::string> texts;
  for (const toml::node& item : *array) texts.push_back(*item.value_exact<std::string>());
  return texts;
}

bool ConfigFile::has(std::string_view key) const { return static_cast<bool>(body_->table.at_path(key)); }

std::vector<std::string> ConfigFile::asked() const { return {body_->asked.begin(), body_->asked.end()}; }

std::vector<std::string> ConfigFile::names(std::string_view table) const {
  std::vector<std::string> names;
  const toml::table* found = body_->table.at_path(table).as_table();
  if (found == nullptr) return names;
  for (const auto& [key, node] : *found) names.emplace_back(key.str());
  return names;
}

Result<void> ConfigFile::finish() const {
  if (body_->first_error) return tl::unexpected<Error>(*body_->first_error);
  std::vector<std::string> leaves;
  collect_leaves(body_->table, "", leaves);
  for (const std::string& leaf : leaves) {
    if (!body_->asked.contains(leaf)) {
      return failure(ErrorCode::malformed, "config.unknown_key",
                     fmt::format("{}:{}: {}: no such key", body_->name,
                                 body_->table.at_path(leaf).node()->source().begin.line, leaf));
    }
  }
  return {};
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
  const Quantity quantity = split_quantity(text);
  const std::optional<std::uint64_t> factor = unit_bytes(quantity.unit);
  if (!quantity.number || !factor || *quantity.number > std::numeric_limits<std::uint64_t>::max() / *factor) {
    return failure(ErrorCode::malformed, "config.bytes",
                   fmt::format("\"{}\": expected a number of bytes, KiB, MiB, GiB or TiB", text));
  }
  return *quantity.number * *factor;
}

Result<std::uint64_t> parse_duration_ms(std::string_view text) {
  const Quantity quantity = split_quantity(text);
  const std::optional<std::uint64_t> factor = unit_ms(quantity.unit);
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();  // std::chrono::milliseconds
  if (!quantity.number || !factor || *quantity.number == 0 || *quantity.number > kMost / *factor) {
    return failure(ErrorCode::malformed, "config.duration",
                   fmt::format("\"{}\": expected a whole number above 0 of ms, s, min, h or d", text));
  }
  return *quantity.number * *factor;
}

}  // namespace groth16d
