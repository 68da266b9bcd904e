// The simulation is worth what it finds: faults that this project exists to prevent are put into the core one by one,
// and each must be caught by the promise that it breaks, within a few seeds.
#include <catch2/catch.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "supervisor/core/mutation.hpp"
#include "tests/core/simulation.hpp"

using namespace groth16d::supervisor;
using namespace groth16d::supervisor::test;

namespace {

constexpr std::uint64_t kSeeds = 500;  // each fault shows within so many

struct Case {
  Mutation mutation;
  const char* name;
  std::vector<std::string> promises;  // one of them catches it first
};

const Case kCases[] = {
    {Mutation::permit_back_after_synthesis, "a permit that is given back after synthesis", {"I11"}},
    {Mutation::small_overtakes_large, "small partitions that overtake a large one", {"I12"}},
    {Mutation::release_at_request, "memory that counts as free before it is gone", {"I11"}},
    {Mutation::no_fencing, "messages of an old epoch that are believed", {"W9", "W14", "I3"}},
    {Mutation::attempts_not_counted, "attempts with one number", {"I9"}},
    {Mutation::one_id_two_jobs, "two jobs with one id", {"W19"}},
    {Mutation::retry_synthesises_again, "a retry that throws the witness away", {"W20"}},
    {Mutation::ab_kept_to_the_end, "ab that is kept to the end", {"I13"}},
    {Mutation::accepted_before_durable, "an acknowledgement before its commit", {"W3"}},
    {Mutation::reclaim_at_signal, "leases that come back before the death", {"W9"}},
    {Mutation::budget_ignored, "a budget that promises everything", {"I1"}},
    {Mutation::heartbeat_is_progress, "a hanging worker that passes for a working one", {"I6"}},
    {Mutation::done_before_stored, "a result before its commit", {"I5", "I7"}},
    {Mutation::credit_ignored, "assignments beyond the credit", {"I8"}},
    {Mutation::exit_before_empty, "a drain that leaves something behind", {"I10"}},
    {Mutation::keys_made_by_readers, "a key that is made on the host beside a card", {"W27"}},
    {Mutation::b2_for_nobody, "a B2 that a finalizer sums and nobody needs", {"W25"}},
    {Mutation::rows_for_nobody, "rows in memory where only GPU workers prove", {"W24"}},
};

class Mutated {
 public:
  explicit Mutated(Mutation mutation) { active_mutation = mutation; }
  ~Mutated() { active_mutation = Mutation::none; }
  Mutated(const Mutated&) = delete;
  Mutated& operator=(const Mutated&) = delete;
};

// "event 17: I11: ..." -> "I11"
std::string promise_of(const std::string& fault) {
  const std::size_t begin = fault.find(": ");
  const std::size_t from = begin == std::string::npos || !fault.starts_with("event ") ? 0 : begin + 2;
  return fault.substr(from, fault.find(':', from) - from);
}

}  // namespace

TEST_CASE("every fault that is put into the core is caught by the promise that it breaks") {
  for (const Case& fault : kCases) {
    const Mutated mutated(fault.mutation);
    std::vector<std::string> faults;
    std::uint64_t seed = 0;
    while (faults.empty() && seed < kSeeds) faults = simulate(++seed).faults;
    INFO(fault.name);
    REQUIRE_FALSE(faults.empty());
    std::printf("%s: caught at seed %llu by %s\n", fault.name, static_cast<unsigned long long>(seed),
                faults.front().c_str());
    CHECK_THAT(fault.promises, Catch::Matchers::VectorContains(promise_of(faults.front())));
  }
}

TEST_CASE("without a fault nothing is caught") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) REQUIRE(simulate(seed).faults == std::vector<std::string>{});
}
