#include "tests/faults/prove_script.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <utility>

namespace groth16d::faults {
namespace {

struct Verb {
  std::string_view name;
  ProveAction action;
  bool has_number;
};

constexpr std::array<Verb, 13> kVerbs{{{"slow", ProveAction::slow, true},
                                       {"slow-times", ProveAction::slow_times, true},
                                       {"fail", ProveAction::fail, false},
                                       {"refuse", ProveAction::refuse, false},
                                       {"stuck", ProveAction::stuck, false},
                                       {"freeze", ProveAction::freeze, false},
                                       {"linger", ProveAction::linger, false},
                                       {"ignore", ProveAction::ignore, true},
                                       {"wrong-point", ProveAction::wrong_point, false},
                                       {"leak", ProveAction::leak, true},
                                       {"vandalize", ProveAction::vandalize, false},
                                       {"exit", ProveAction::exit, true},
                                       {"signal", ProveAction::signal, true}}};

bool parse_number(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line.substr(0, line.find('#')));
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// SplitMix64's finalizer: spreads seed, call and rule over all bits.
std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

bool ProveScript::parse_condition(std::string_view text, Condition& condition) {
  using Kind = Condition::Kind;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon + 1 == text.size()) return false;
  const std::string_view what = text.substr(0, colon);
  std::string_view value = text.substr(colon + 1);
  condition.name = value;
  if (what == "slot" || what == "job") {
    condition.kind = what == "slot" ? Kind::slot : Kind::job;
    return true;
  }
  if (what == "call" && value.ends_with('+')) {
    condition.kind = Kind::calls_from;
    value.remove_suffix(1);
  } else if (what == "call" || what == "chance") {
    condition.kind = what == "call" ? Kind::call : Kind::chance;
  } else {
    return false;
  }
  return parse_number(value, condition.number);
}

bool ProveScript::parse_rule(const std::vector<std::string>& words, Rule& rule) {
  if (words.size() < 2) return false;
  if (words[0] != "always") {
    std::istringstream conditions(words[0]);
    for (std::string text; std::getline(conditions, text, ',');) {
      if (!parse_condition(text, rule.conditions.emplace_back())) return false;
    }
  }
  const auto verb = std::find_if(kVerbs.begin(), kVerbs.end(), [&](const Verb& v) { return v.name == words[1]; });
  if (verb == kVerbs.end() || words.size() != (verb->has_number ? 3U : 2U)) return false;
  rule.step.action = verb->action;
  return !verb->has_number || parse_number(words[2], rule.step.number);
}

bool ProveScript::parse_line(const std::vector<std::string>& words) {
  if (words.empty()) return true;
  if (words[0] == "toxic" || words[0] == "random") {
    return words.size() == 2 && parse_number(words[1], words[0] == "toxic" ? toxic_seed_ : random_seed_);
  }
  return parse_rule(words, rules_.emplace_back());
}

Result<ProveScript> ProveScript::parse(std::string_view text) {
  ProveScript script;
  std::istringstream lines{std::string(text)};
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!script.parse_line(words_of(line))) {
      return failure(ErrorCode::malformed, "script.line",
                     std::string(kScriptName) + ":" + std::to_string(number) + ": \"" + line + "\" is no rule");
    }
  }
  return script;
}

bool ProveScript::holds(const Condition& condition, std::size_t rule, const ProveCall& call) const {
  switch (condition.kind) {
    case Condition::Kind::call:
      return call.number == condition.number;
    case Condition::Kind::calls_from:
      return call.number >= condition.number;
    case Condition::Kind::chance:
      return mixed(mixed(random_seed_) ^ mixed(call.number * 64 + rule)) % 1000 < condition.number;
    case Condition::Kind::slot:
      return call.slot == condition.name;
    case Condition::Kind::job:
      return call.job.starts_with(condition.name);
  }
  return false;
}

std::vector<ProveStep> ProveScript::steps_of(const ProveCall& call) const {
  std::vector<ProveStep> steps;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const auto& conditions = rules_[i].conditions;
    if (std::all_of(conditions.begin(), conditions.end(), [&](const Condition& c) { return holds(c, i, call); }))
      steps.push_back(rules_[i].step);
  }
  return steps;
}

}  // namespace groth16d::faults
