// A configuration is taken whole or refused with the place that is wrong.
#include <catch2/catch.hpp>

#include "common/config.hpp"

using namespace groth16d;

namespace {

constexpr const char* kText = R"(
[budget]
total = "2 GiB"
margin = 4096
[workers]
synth = 3
pinned = true
roots = ["/a", "/b"]
name = "n"
)";

std::string error_name(const Result<void>& result) { return result ? "" : result.error().name; }

}  // namespace

TEST_CASE("values are read with their types, and defaults where there are none") {
  auto file = ConfigFile::parse(kText, "test.toml").value();
  CHECK(file.bytes("budget.total", 1) == std::uint64_t{2} << 30);
  CHECK(file.bytes("budget.margin", 1) == 4096);
  CHECK(file.count("workers.synth", 1, 0, 8) == 3);
  CHECK(file.count("workers.final", 2, 0, 8) == 2);
  CHECK(file.flag("workers.pinned", false));
  CHECK(file.texts("workers.roots", {}) == std::vector<std::string>{"/a", "/b"});
  CHECK(file.text("workers.name", "") == "n");
  CHECK(file.has("workers.synth"));
  CHECK_FALSE(file.has("workers.final"));
  CHECK(file.names("budget") == std::vector<std::string>{"margin", "total"});
  CHECK(file.finish());
}

TEST_CASE("a wrong type, a value out of range and an unknown key are refused with key and line") {
  auto wrong_type = ConfigFile::parse("a = 1\n", "t").value();
  CHECK(wrong_type.text("a", "default") == "default");
  CHECK(error_name(wrong_type.finish()) == "config.type");

  auto out_of_range = ConfigFile::parse("\na = 9\n", "t").value();
  CHECK(out_of_range.count("a", 1, 0, 8) == 1);
  CHECK(error_name(out_of_range.finish()) == "config.range");
  CHECK(out_of_range.finish().error().text == "t:2: a: 9 is not within 0 .. 8");

  auto negative = ConfigFile::parse("a = -1\n", "t").value();
  negative.bytes("a", 0);
  CHECK(error_name(negative.finish()) == "config.range");

  auto mixed = ConfigFile::parse("a = [\"x\", 1]\n", "t").value();
  mixed.texts("a", {});
  CHECK(error_name(mixed.finish()) == "config.type");

  auto unknown = ConfigFile::parse("[b]\nc = 1\n", "t").value();
  CHECK(error_name(unknown.finish()) == "config.unknown_key");
  CHECK(unknown.finish().error().text == "t:2: b.c: no such key");
}

TEST_CASE("what is no TOML is refused with its place, and an absent file by name") {
  CHECK(ConfigFile::parse("a = \n", "t").error().name == "config.syntax");
  CHECK(ConfigFile::read("/no/such/file.toml").error().code == ErrorCode::not_found);
}

TEST_CASE("sizes have binary units and do not overflow") {
  CHECK(parse_bytes("1536").value() == 1536);
  CHECK(parse_bytes("12 KiB").value() == 12288);
  CHECK(parse_bytes("1TiB").value() == std::uint64_t{1} << 40);
  for (const char* text : {"", "x", "1 GB", "-1", "1.5 GiB", "1 GiB ", "99999999999 GiB", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK(parse_bytes(text).error().name == "config.bytes");
  }
}

TEST_CASE("durations have units, are above zero and do not overflow") {
  CHECK(parse_duration_ms("250ms").value() == 250);
  CHECK(parse_duration_ms("5 s").value() == 5'000);
  CHECK(parse_duration_ms("7 d").value() == 7ull * 86'400'000);
  for (const char* text : {"", "5", "s", "0 s", "-1 s", "1.5 h", "5 hours", "99999999999999 d"}) {
    CAPTURE(text);
    CHECK(parse_duration_ms(text).error().name == "config.duration");
  }
}

TEST_CASE("a caller's own rule is reported with the key's line, and a word is told from other values") {
  auto file = ConfigFile::parse("a = \"auto\"\nb = 3\n", "t").value();
  CHECK(file.is("a", "auto"));
  CHECK_FALSE(file.is("b", "auto"));
  CHECK_FALSE(file.is("c", "auto"));
  file.refuse("b", "must be even");
  CHECK(file.finish().error().text == "t:2: b: must be even");
}
