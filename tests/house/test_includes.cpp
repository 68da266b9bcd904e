// Who may include whom. The table is the architecture's ladder; the tests read every include line of the checkout.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/house/source_tree.hpp"

using namespace groth16d::house;

namespace {

struct Rule {
  std::string folder;                // the including file lies here or below
  std::vector<std::string> may_use;  // folders or single files, besides its own folder
  std::vector<std::string> never;    // system headers that it must not see, by prefix
};

// The first rule whose folder holds the file is the one that counts, so inner folders stand before outer ones.
const std::vector<Rule>& rules() {
  static const std::vector<Rule> table = {
      {"common", {}, {"zmq"}},
      {"shm", {"common"}, {"zmq"}},
      {"ipc", {"common"}, {"boost/interprocess"}},
      {"groth16/algebra", {"common"}, {"zmq", "spdlog"}},
      {"groth16/proof", {"common", "groth16/algebra"}, {"zmq", "spdlog"}},
      {"groth16/formats", {"common", "groth16/algebra", "groth16/proof"}, {"zmq", "spdlog"}},
      {"groth16/circuits", {"common", "groth16/algebra", "groth16/proof"}, {"zmq", "spdlog"}},
      {"cuda", {"common", "groth16"}, {"zmq", "spdlog"}},
      {"workers", {"common", "shm", "ipc", "groth16", "cuda"}, {}},
      // The three pure folders share the core's vocabulary of types.
      {"supervisor/budget", {"common/error.hpp", "supervisor/core"}, {}},
      {"supervisor/restart", {"common/error.hpp", "supervisor/core"}, {}},
      {"supervisor/core", {"common/error.hpp", "supervisor/budget", "supervisor/restart"}, {}},
      {"supervisor", {"common", "shm", "ipc"}, {}},
      {"client/lib", {"common", "ipc"}, {}},
      {"client/json", {"common", "ipc"}, {}},
      {"client/prove", {"common", "groth16"}, {}},
      {"client/ctl", {"common", "ipc", "client/lib", "client/json", "client/prove", "groth16"}, {}},
      {"client/web", {"common", "ipc", "client/lib", "client/json"}, {}},
      {"client/demo", {"common", "groth16"}, {}},
  };
  return table;
}

bool lies_in(const std::string& path, const std::string& place) {
  return path == place || (path.size() > place.size() && path.starts_with(place) && path[place.size()] == '/');
}

const Rule* rule_for(const std::string& path) {
  const auto rule =
      std::find_if(rules().begin(), rules().end(), [&](const Rule& r) { return lies_in(path, r.folder); });
  return rule == rules().end() ? nullptr : &*rule;
}

bool is_allowed(const Rule& rule, const Include& include) {
  if (lies_in(include.written, rule.folder)) return true;
  return std::any_of(rule.may_use.begin(), rule.may_use.end(),
                     [&](const std::string& place) { return lies_in(include.written, place); });
}

std::string where(const Include& include) {
  return include.from + ":" + std::to_string(include.line) + " includes " + include.written;
}

}  // namespace

TEST_CASE("a folder includes only the folders that the architecture gives it") {
  std::vector<std::string> broken;
  std::size_t checked = 0;
  for (const auto& include : includes()) {
    const Rule* rule = rule_for(include.from);
    if (rule == nullptr || !include.quoted) continue;
    ++checked;
    if (!is_allowed(*rule, include)) broken.push_back(where(include));
  }
  CHECK(checked > 50);
  CHECK(broken == std::vector<std::string>{});
}

TEST_CASE("no folder sees a library that its rule forbids") {
  std::vector<std::string> broken;
  for (const auto& include : includes()) {
    const Rule* rule = rule_for(include.from);
    if (rule == nullptr || include.quoted) continue;
    for (const auto& prefix : rule->never) {
      if (include.written.starts_with(prefix)) broken.push_back(where(include));
    }
  }
  CHECK(broken == std::vector<std::string>{});
}

TEST_CASE("the supervisor's core, budget and restart see the standard library and nothing of the system") {
  static const std::regex standard("[a-z_0-9]+");
  static const std::vector<std::string> pure = {"supervisor/core", "supervisor/budget", "supervisor/restart"};
  std::vector<std::string> broken;
  for (const auto& include : includes()) {
    const bool is_pure =
        std::any_of(pure.begin(), pure.end(), [&](const std::string& folder) { return lies_in(include.from, folder); });
    if (is_pure && !include.quoted && !std::regex_match(include.written, standard)) broken.push_back(where(include));
  }
  CHECK(broken == std::vector<std::string>{});
}

TEST_CASE("every quoted include is written from the root") {
  std::vector<std::string> broken;
  for (const auto& include : includes()) {
    const bool is_generated = include.written.ends_with(".pb.h");
    if (include.quoted && !is_generated && !std::filesystem::exists(root() / include.written)) {
      broken.push_back(where(include));
    }
  }
  CHECK(broken == std::vector<std::string>{});
}

TEST_CASE("no file includes itself by a detour") {
  std::map<std::string, std::set<std::string>> uses;
  for (const auto& include : includes()) {
    if (include.quoted) uses[include.from].insert(include.written);
  }
  std::map<std::string, int> state;  // 0 unseen, 1 being visited, 2 done
  std::vector<std::string> cycles;
  const auto visit = [&](const auto& self, const std::string& file) -> void {
    state[file] = 1;
    for (const auto& next : uses[file]) {
      if (state[next] == 1) cycles.push_back(file + " -> " + next);
      if (state[next] == 0) self(self, next);
    }
    state[file] = 2;
  };
  for (const auto& file : files_with_suffix({".cpp", ".hpp"})) {
    if (state[file.path] == 0) visit(visit, file.path);
  }
  CHECK(cycles == std::vector<std::string>{});
}

TEST_CASE("every source folder has a rule") {
  static const std::set<std::string> free = {"tests", "bench"};  // they may use everything, and nothing uses them
  std::vector<std::string> without;
  for (const auto& file : files_with_suffix({".cpp", ".hpp", ".cu", ".cuh"})) {
    if (rule_for(file.path) == nullptr && !free.contains(file.path.substr(0, file.path.find('/')))) {
      without.push_back(file.path);
    }
  }
  CHECK(without == std::vector<std::string>{});
}
