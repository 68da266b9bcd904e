// The script's language: which rules hold for a call, and which lines are none.
#include <catch2/catch.hpp>

#include "tests/faults/prove_script.hpp"

using namespace groth16d::faults;

namespace {

std::vector<ProveAction> actions(const ProveScript& script, const ProveCall& call) {
  std::vector<ProveAction> found;
  for (const ProveStep& step : script.steps_of(call)) found.push_back(step.action);
  return found;
}

}  // namespace

TEST_CASE("rules are obeyed in their order where all of their conditions hold") {
  const auto script = ProveScript::parse(
      "toxic 7   # of every key\n\nalways slow 20\ncall:3 signal 11\ncall:5+ fail\nslot:cpu-1,job:bad exit 69\n");
  REQUIRE(script.has_value());
  CHECK(script->toxic_seed() == 7);
  using enum ProveAction;
  CHECK(actions(*script, {1, "cpu-0", "a"}) == std::vector{slow});
  CHECK(actions(*script, {3, "cpu-0", "a"}) == std::vector{slow, signal});
  CHECK(actions(*script, {6, "cpu-1", "bad-1"}) == std::vector{slow, fail, exit});
  CHECK(actions(*script, {4, "cpu-0", "bad-1"}) == std::vector{slow});
  CHECK(script->steps_of({1, "", ""}).front().number == 20);
}

TEST_CASE("chances are met about as often as they say, and the same way for the same seed") {
  const auto script = ProveScript::parse("random 5\nchance:250 fail\nchance:0 stuck\nchance:1000 slow 1\n");
  const auto other = ProveScript::parse("random 6\nchance:250 fail\n");
  REQUIRE((script && other));
  int failures = 0, differences = 0;
  for (std::uint64_t call = 1; call <= 4000; ++call) {
    const bool fails = actions(*script, {call, "", ""}).front() == ProveAction::fail;
    failures += fails ? 1 : 0;
    differences += fails == other->steps_of({call, "", ""}).empty() ? 1 : 0;
    REQUIRE(actions(*script, {call, "", ""}).back() == ProveAction::slow);
  }
  CHECK(failures > 900);
  CHECK(failures < 1100);
  CHECK(differences > 1000);
}

TEST_CASE("a line that is no rule is refused with its number") {
  for (const char* line : {"always", "always slow", "always fail 3", "call:x fail", "call: fail", "when fail",
                           "always dance", "toxic", "toxic x", "call:1,nonsense fail"}) {
    INFO(line);
    const auto script = ProveScript::parse(std::string("always slow 1\n") + line);
    REQUIRE_FALSE(script.has_value());
    CHECK(script.error().text.find("prove-script:2") != std::string::npos);
  }
}
