// The small parts of the core, each alone: budget, admission line, restart policy, blame matrix, names.
#include <catch2/catch.hpp>

#include "supervisor/budget/admission_line.hpp"
#include "supervisor/budget/budget.hpp"
#include "supervisor/budget/private_need.hpp"
#include "supervisor/core/core.hpp"
#include "supervisor/restart/blame.hpp"
#include "supervisor/restart/restart_policy.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;

namespace {

Charge witness(std::uint64_t bytes) {
  Charge charge;
  charge[BufferKind::witness] = bytes;
  return charge;
}

constexpr TimePoint at(std::int64_t ms) { return TimePoint{Millis{ms}}; }

}  // namespace

TEST_CASE("a reservation is made whole or not at all") {
  Budget budget(1000, 0);
  REQUIRE(budget.try_reserve({Holder::partition, 1}, witness(600), false));
  CHECK_FALSE(budget.try_reserve({Holder::partition, 2}, witness(401), false));
  CHECK(budget.used_bytes() == 600);
  CHECK(budget.find({Holder::partition, 2}) == nullptr);
  CHECK(budget.deficit(401, false) == 1);
  CHECK(budget.try_reserve({Holder::partition, 2}, witness(400), false));
}

TEST_CASE("giving back more than an account holds gives back what it holds") {
  Budget budget(1000, 0);
  REQUIRE(budget.try_reserve({Holder::partition, 1}, witness(600), false));
  budget.release({Holder::partition, 1}, BufferKind::witness, 5000);
  budget.release({Holder::partition, 1}, BufferKind::witness, 600);
  CHECK(budget.used_bytes() == 0);
}

TEST_CASE("only CRITICAL jobs may use the reserved share, and sums near 2^64 do not wrap") {
  Budget budget(1000, 300);
  REQUIRE(budget.try_reserve({Holder::slot, 0}, witness(100), false));
  CHECK(budget.ever_available(false) == 600);
  CHECK(budget.ever_available(true) == 900);
  CHECK_FALSE(budget.try_reserve({Holder::partition, 1}, witness(601), false));
  CHECK(budget.try_reserve({Holder::partition, 1}, witness(600), false));
  CHECK(budget.fits_reserved_share(300));
  CHECK(budget.try_reserve({Holder::partition, 2}, witness(300), true));
  CHECK_FALSE(budget.try_reserve({Holder::partition, 3}, witness(~0ull), true));
  CHECK(budget.used_bytes() == 1000);
}

TEST_CASE("nothing overtakes inside a class, and an aged front comes before every class") {
  AdmissionLine<int> line(Millis{1000});
  int low = 0, first = 1, second = 2, high = 3;
  line.insert(Priority::low, {1, 0}, at(0), &low);
  line.insert(Priority::normal, {3, 0}, at(10), &second);
  line.insert(Priority::normal, {2, 0}, at(20), &first);
  line.insert(Priority::high, {9, 0}, at(500), &high);
  CHECK(line.head(at(600))->entry == &high);
  CHECK(line.head(at(1000))->entry == &low);
  line.erase(Priority::low, {1, 0});
  line.erase(Priority::high, {9, 0});
  CHECK(line.head(at(600))->entry == &first);
}

TEST_CASE("restarts back off exponentially up to the bound, and too many in the window fail the slot") {
  CoreConfig config;
  config.restart_limit = 20;
  RestartPolicy policy(config);
  SplitMix64 jitter(7);
  Millis expected{500};
  for (int death = 0; death < 10; ++death) {
    const auto verdict = policy.on_death(Death::crash, 0, at(death), jitter);
    REQUIRE_FALSE(verdict.failed);
    CHECK(verdict.delay >= expected);
    CHECK(verdict.delay <= expected + expected / 4 + Millis{1});
    expected = std::min(expected * 2, Millis{60'000});
  }
  policy.on_success();
  CHECK(policy.on_death(Death::crash, 0, at(20), jitter).delay < Millis{700});

  CoreConfig five;
  RestartPolicy intense(five);
  for (int death = 0; death < 5; ++death) CHECK_FALSE(intense.on_death(Death::crash, 0, at(death), jitter).failed);
  CHECK(intense.on_death(Death::crash, 0, at(299'000), jitter).failed);
}

TEST_CASE("an operator's kill restarts at once and counts against nobody") {
  CoreConfig config;
  RestartPolicy policy(config);
  SplitMix64 jitter(7);
  for (int death = 0; death < 100; ++death) {
    const auto verdict = policy.on_death(Death::operator_kill, 0, at(death), jitter);
    CHECK_FALSE(verdict.failed);
    CHECK(verdict.delay == Millis{0});
  }
}

TEST_CASE("deaths outside the window, and those of a guilty job, do not count") {
  CoreConfig config;
  RestartPolicy policy(config);
  SplitMix64 jitter(7);
  for (int death = 0; death < 5; ++death) policy.on_death(Death::crash, 42, at(death), jitter);
  policy.forgive(42);
  CHECK_FALSE(policy.on_death(Death::crash, 0, at(10), jitter).failed);
  for (int death = 0; death < 20; ++death)
    CHECK_FALSE(policy.on_death(Death::crash, 0, at(1'000'000 + death * 100'000), jitter).failed);
}

TEST_CASE("three lost devices in five minutes, or a configuration error, fail the slot") {
  CoreConfig config;
  RestartPolicy policy(config);
  SplitMix64 jitter(7);
  CHECK_FALSE(policy.on_death(Death::unusable, 0, at(0), jitter).failed);
  CHECK_FALSE(policy.on_death(Death::unusable, 0, at(1), jitter).failed);
  CHECK(policy.on_death(Death::unusable, 0, at(2), jitter).failed);
  CHECK(RestartPolicy(config).on_death(Death::configuration, 0, at(0), jitter).failed);
}

TEST_CASE("a slot is blamed for jobs that failed on it alone") {
  BlameMatrix blame;
  const SlotId a{Role::cpu, 0}, b{Role::cpu, 1};
  for (std::uint64_t job = 1; job <= 3; ++job) blame.record(job, a);
  CHECK(blame.jobs_failed_only_on(a) == 3);
  blame.record(3, b);  // this one fails everywhere
  CHECK(blame.jobs_failed_only_on(a) == 2);
  blame.acquit_slot(a);
  CHECK(blame.jobs_failed_only_on(a) == 0);
  CHECK(blame.jobs_failed_only_on(b) == 1);
}

TEST_CASE("slot names have one spelling") {
  CHECK(parse_slot("synth-12") == SlotId{Role::synth, 12});
  CHECK(to_string(SlotId{Role::final, 0}) == "final-0");
  for (const char* bad : {"", "synth", "synth-", "synth-01", "synth--1", "synth-1 ", "other-1", "synth-99999999999"})
    CHECK_FALSE(parse_slot(bad).has_value());
}

TEST_CASE("a segment is a header page and whole pages of payload") {
  CHECK(segment_bytes(0) == 4096);
  CHECK(segment_bytes(1) == 8192);
  CHECK(segment_bytes(4096) == 8192);
  CHECK(segment_bytes(~0ull) % 4096 == 0);
}

TEST_CASE("a configuration that cannot work names the setting") {
  CoreConfig config;
  config.role(Role::synth).slots = 0;
  REQUIRE_FALSE(Core::create(config).has_value());
  CHECK(Core::create(config).error().text.find("synth.slots") != std::string::npos);
  config = CoreConfig{};
  config.budget_total_bytes = 1 << 20;
  REQUIRE_FALSE(Core::create(config).has_value());
  CHECK(Core::create(config).error().text.find("a budget of ") != std::string::npos);
}

// ------------------------------------------------------------------ private memory

namespace {

PrivateNeeds prove_formula(std::uint64_t bytes) {
  PrivateNeeds needs;
  needs[Stage::prove] = bytes;
  return needs;
}

std::uint64_t corrected_prove(const ObservedPeaks& peaks, std::uint64_t formula) {
  return peaks.corrected(prove_formula(formula), 10)[Stage::prove];
}

}  // namespace

TEST_CASE("a need is the formula until a whole assignment was observed") {
  ObservedPeaks peaks;
  CHECK(corrected_prove(peaks, 1000) == 1000);
  peaks.observe(Stage::prove, 400, false);  // it failed, perhaps before its peak
  CHECK(corrected_prove(peaks, 1000) == 1000);
  peaks.observe(Stage::prove, 300, true);
  CHECK(corrected_prove(peaks, 1000) == 400 + 20 + 10);
}

TEST_CASE("a correction goes above the formula only where a peak was above it") {
  ObservedPeaks peaks;
  peaks.observe(Stage::prove, 999, true);
  CHECK(corrected_prove(peaks, 1000) == 1000);
  peaks.observe(Stage::prove, 1001, false);
  CHECK(corrected_prove(peaks, 1000) == 1001 + 50 + 10);
  CHECK(peaks[Stage::prove].bytes == 1001);
}

TEST_CASE("a partition reserves its largest stage, and PROVE and B2 together") {
  PrivateNeeds needs;
  needs[Stage::synth] = 70;
  needs[Stage::prove] = 60;
  needs[Stage::b2] = 20;
  needs[Stage::assemble] = 30;
  CHECK(needs.whole_life() == 80);
  CHECK(needs.after_synthesis(false, true) == 30);
  CHECK(needs.after_synthesis(true, false) == 60);
  needs[Stage::synth] = 90;
  CHECK(needs.whole_life() == 90);
}
