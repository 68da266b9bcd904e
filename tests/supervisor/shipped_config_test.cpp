// The configuration file that is shipped documents every key, and says of each what is true.
#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "supervisor/reload.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;

namespace {

struct DocumentedKey {
  std::string value;       // as the file shows it
  std::string paragraph;   // the comment above
  bool is_active = false;  // without a "#": the package's choice, not the default
};

// "#key = value" or "key = value" below "[table]"; the comments right above belong to it.
std::multimap<std::string, DocumentedKey> documented_keys() {
  std::multimap<std::string, DocumentedKey> keys;
  std::string table, paragraph;
  std::ifstream file(GROTH16D_SHIPPED_CONFIG);
  REQUIRE(file);
  for (std::string line; std::getline(file, line);) {
    const std::size_t equals = line.find(" = ");
    if (line.starts_with("[")) {
      table = line.substr(1, line.size() - 2) + ".";
    } else if (line.starts_with("# ")) {
      paragraph += line;
    } else if (equals != std::string::npos) {
      const std::size_t begin = line.starts_with("#") ? 1 : 0;
      keys.emplace(table + line.substr(begin, equals - begin),
                   DocumentedKey{line.substr(equals + 3), paragraph, begin == 0});
    } else {
      paragraph.clear();
    }
  }
  return keys;
}

// The file with its defaults said aloud, and without the package's choices.
std::string with_defaults_only() {
  std::string text;
  std::ifstream file(GROTH16D_SHIPPED_CONFIG);
  for (std::string line; std::getline(file, line);) {
    if (line.find(" = ") == std::string::npos || line.starts_with("# "))
      text += line.starts_with("[") ? line : "";
    else if (line.starts_with("#"))
      text += line.substr(1);
    text += '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("the shipped configuration shows every key that there is, once, and no other") {
  std::vector<std::string> shown;
  for (const auto& [key, documented] : documented_keys())
    if (!documented.is_active) shown.push_back(key);
  CHECK(shown == known_keys());
}

TEST_CASE("the values that it shows as defaults are the defaults") {
  const auto shown = parse_config(with_defaults_only(), "groth16d.toml");
  INFO((shown ? "" : shown.error().text));
  REQUIRE(shown);
  for (const ConfigChange& change : changes_between(default_config(), *shown))
    FAIL_CHECK(change.key << ": the default is " << change.before << ", the file shows " << change.after);
}

TEST_CASE("it explains every key, and marks exactly those that a running daemon cannot change") {
  for (const auto& [key, documented] : documented_keys()) {
    INFO(key);
    if (documented.is_active) continue;
    CHECK_FALSE(documented.paragraph.empty());
    const bool is_slot = key.starts_with("slots.");  // marked once, above the table
    CHECK((is_slot || documented.paragraph.find("[restart]") != std::string::npos) == needs_restart(key));
  }
}

TEST_CASE("it is a good configuration as it is") {
  const auto config = read_config(GROTH16D_SHIPPED_CONFIG);
  REQUIRE(config);
  CHECK(check_config(*config));
}
