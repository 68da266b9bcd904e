// A TOML configuration file read strictly: a wrong type, a value out of range and a key that nobody asked for are
// errors.
//
//   auto file = ConfigFile::read("/etc/groth16d/groth16d.toml");
//   auto count = file->count("workers.synth", 2, 0, 256);      // key, default, least, most
//   auto total = file->bytes("budget.total", 0);               // 12345, or "240 GiB"
//   if (auto ok = file->finish(); !ok) ...                     // first thing that was wrong, with its line
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace groth16d {

class ConfigFile {
 public:
  // Errors: not_found or system from reading, malformed "config.syntax" with line and column.
  static Result<ConfigFile> read(const std::string& path);
  static Result<ConfigFile> parse(std::string_view text, std::string name);

  ConfigFile(ConfigFile&&) noexcept;
  ConfigFile& operator=(ConfigFile&&) noexcept;
  ~ConfigFile();

  // Keys are dotted paths. Each getter returns the default after an error; finish() reports the first one.
  std::string text(std::string_view key, std::string_view otherwise);
  bool flag(std::string_view key, bool otherwise);
  std::uint64_t count(std::string_view key, std::uint64_t otherwise, std::uint64_t least, std::uint64_t most);
  std::uint64_t bytes(std::string_view key, std::uint64_t otherwise);  // an integer, or text as parse_bytes takes it
  std::uint64_t duration_ms(std::string_view key, std::uint64_t otherwise);  // text as parse_duration_ms takes it
  std::vector<std::string> texts(std::string_view key, std::vector<std::string> otherwise);

  // The value is this very text; anything else is left to the getter that follows.
  bool is(std::string_view key, std::string_view text);

  // The caller's own rule: finish() will report malformed "config.value" with the key's line.
  void refuse(std::string_view key, std::string_view why);

  bool has(std::string_view key) const;

  // Every key that a getter was called for, in alphabetical order.
  std::vector<std::string> asked() const;

  // Names of the entries of a table, in alphabetical order; empty where there is no such table.
  std::vector<std::string> names(std::string_view table) const;

  // malformed "config.type", "config.range", "config.value", "config.bytes", "config.duration" or "config.unknown_key".
  Result<void> finish() const;

 private:
  struct Body;
  explicit ConfigFile(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

// "1536", "12 KiB", "240GiB": binary units B KiB MiB GiB TiB. Error: malformed "config.bytes".
Result<std::uint64_t> parse_bytes(std::string_view text);

// "250 ms", "5s", "10 min", "2 h", "7 d", never 0. Error: malformed "config.duration".
Result<std::uint64_t> parse_duration_ms(std::string_view text);

}  // namespace groth16d
