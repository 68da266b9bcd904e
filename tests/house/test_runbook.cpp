// The runbook knows every alarm, every event of the log and every verb, and none that there is not.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "tests/house/source_tree.hpp"

using namespace groth16d::house;

namespace {

using Names = std::set<std::string>;

std::string text_of(const std::string& path) {
  std::ifstream file(root() / path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The first group of every match.
Names found(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  Names names;
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match)
    names.insert((*match)[1]);
  return names;
}

// The part of the runbook below a heading, to the next one of its depth.
std::string section(const std::string& heading) {
  const std::string page = "\n" + text_of("docs/OPERATIONS.md");
  const std::size_t begin = page.find("\n## " + heading);
  INFO(heading);
  REQUIRE(begin != std::string::npos);
  return page.substr(begin, page.find("\n## ", begin + 1) - begin);
}

// A row of a table begins with its name.
Names rows(const std::string& table) { return found(table, "\n\\| `?([^`|]+?)`? \\|"); }

// What the code gives to a LogScope: words on its lines, and on those that choose one.
Names events_of_the_code() {
  Names events;
  for (const SourceFile& file : files_with_suffix({".cpp"})) {
    if (!file.path.starts_with("supervisor/") && !file.path.starts_with("workers/")) continue;
    for (const std::string& line : file.lines) {
      if (line.find("LogScope scope(") == std::string::npos && line.find("char* event = ") == std::string::npos)
        continue;
      events.merge(found(line, "\"([a-z]+(?:\\.[a-z]+)?)\""));
    }
  }
  return events;
}

Names difference(const Names& all, const Names& without) {
  Names left;
  std::set_difference(all.begin(), all.end(), without.begin(), without.end(), std::inserter(left, left.end()));
  return left;
}

// As the program writes them into its manual.
Names verbs_of_groth16ctl() {
  const std::string command = std::string(GROTH16D_PROGRAMS_DIR) + "/groth16ctl describe man";
  FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string manual;
  for (int letter = std::fgetc(pipe); letter != EOF; letter = std::fgetc(pipe)) manual += static_cast<char>(letter);
  REQUIRE(::pclose(pipe) == 0);
  return found(manual, "\\.SS \"([^\"]+)\"");
}

}  // namespace

TEST_CASE("every alarm has a row in the runbook, and every row that is named like one is an alarm") {
  const Names alarms = found(text_of("systemd/monitoring/groth16d.rules.yml"), "- alert: (\\w+)");
  const Names described = found(section("6. Alarms"), "\n\\| (Groth16d\\w+) \\|");
  CHECK(alarms.size() > 10);
  CHECK(difference(alarms, described) == Names{});
  CHECK(difference(described, alarms) == Names{});
}

TEST_CASE("every event of the log has a row in the runbook, and every row is an event") {
  const Names events = events_of_the_code();
  Names described = rows(section("5. The log"));
  described.erase("EVENT");  // the head of the table
  CHECK(events.size() > 10);
  CHECK(difference(events, described) == Names{});
  CHECK(difference(described, events) == Names{});
}

TEST_CASE("every verb of groth16ctl has a row in the runbook, and every row is a verb") {
  const Names verbs = verbs_of_groth16ctl();
  Names described = rows(section("11. Every verb"));
  described.erase("verb");
  CHECK(verbs.size() > 30);
  CHECK(difference(verbs, described) == Names{});
  CHECK(difference(described, verbs) == Names{});
}
