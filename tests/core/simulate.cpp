// simulate COUNT: that many seeded days of bad luck on every core, then what was reached. simulate --seed N replays
// one.
//
// Each process takes the next seed from memory that all of them share, and adds its sums there; so a seed that crashes
// the simulation is known as well as one that breaks a promise. Exit code 0: every promise was kept, 1: one was not.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "tests/core/coverage.hpp"
#include "tests/core/simulation.hpp"

using namespace groth16d::supervisor::test;

namespace {

constexpr std::uint64_t kLeastEvents = 300;  // a seed, in the mean: fewer would mean that little happened

struct Share {  // one process's part; it alone writes to it
  std::atomic<std::uint64_t> seed{0}, finished{0};
  SimulationSums sums;
  Coverage coverage;
};

struct Board {
  std::atomic<std::uint64_t> next{0}, last{0}, failed{0};  // seeds; failed 0: none
};

void* shared_memory(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("simulate: mmap");
    std::exit(2);
  }
  return memory;
}

int print_replay(std::uint64_t seed) {
  std::printf("seed %llu failed; replay it with\n  ./run sim --seed %llu --trace\n",
              static_cast<unsigned long long>(seed), static_cast<unsigned long long>(seed));
  return 1;
}

int replay(std::uint64_t seed, bool trace) {
  Coverage coverage;
  const SimulationResult result = simulate(seed, {.tracing = trace, .coverage = &coverage});
  std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), describe(result.sums).c_str());
  for (const std::string& fault : result.faults) std::printf("%s\n", fault.c_str());
  return result.faults.empty() ? 0 : print_replay(seed);
}

void work(Board& board, Share& share) {
  while (board.failed == 0) {
    const std::uint64_t seed = board.next++;
    if (seed > board.last) return;
    share.seed = seed;
    const SimulationResult result = simulate(seed, {.coverage = &share.coverage});
    share.sums.add(result.sums);
    ++share.finished;
    if (result.faults.empty()) continue;
    for (const std::string& fault : result.faults) std::printf("%s\n", fault.c_str());
    std::fflush(stdout);
    std::uint64_t none = 0;
    board.failed.compare_exchange_strong(none, seed);
    return;
  }
}

std::uint64_t finished(const Share* shares, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += shares[i].finished;
  return sum;
}

// Waits for every process; one that ended by a signal gives its seed to the board.
void watch(Board& board, const Share* shares, const std::vector<pid_t>& pids, std::uint64_t count) {
  const auto begin = std::chrono::steady_clock::now();
  auto told = begin;
  for (std::size_t left = pids.size(); left > 0;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (std::chrono::steady_clock::now() - told < std::chrono::seconds(5)) continue;
      told = std::chrono::steady_clock::now();
      const std::uint64_t done = finished(shares, pids.size());
      const double seconds = std::chrono::duration<double>(told - begin).count();
      std::printf("%llu of %llu seeds, %.0f a second\n", static_cast<unsigned long long>(done),
                  static_cast<unsigned long long>(count), static_cast<double>(done) / seconds);
      std::fflush(stdout);
      continue;
    }
    --left;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    const auto at = static_cast<std::size_t>(std::find(pids.begin(), pids.end(), pid) - pids.begin());
    std::printf("a simulation died (wait status %d)\n", status);
    if (at < pids.size()) board.failed = shares[at].seed.load();
  }
}

int simulate_many(std::uint64_t first, std::uint64_t count, std::size_t processes) {
  auto* board = new (shared_memory(sizeof(Board))) Board;
  auto* shares = new (shared_memory(sizeof(Share) * processes)) Share[processes];
  board->next = first;
  board->last = first + count - 1;
  const auto begin = std::chrono::steady_clock::now();
  std::fflush(stdout);
  std::vector<pid_t> pids;
  for (std::size_t i = 0; i < processes; ++i) {
    const pid_t pid = fork();
    if (pid < 0) {
      std::perror("simulate: fork");
      std::exit(2);
    }
    if (pid == 0) {
      work(*board, shares[i]);
      _exit(0);
    }
    pids.push_back(pid);
  }
  watch(*board, shares, pids, count);

  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  SimulationSums sums;
  Coverage coverage;
  for (std::size_t i = 0; i < processes; ++i) {
    sums.add(shares[i].sums);
    coverage.add(shares[i].coverage);
  }
  const std::uint64_t done = finished(shares, processes);
  const std::uint64_t mean = done > 0 ? sums.events / done : 0;
  coverage.print(stdout);
  std::printf(
      "\n%llu seeds in %.1f s (%.0f a second on %zu cores), %llu events a seed, %zu pairs of state and event\n%s\n",
      static_cast<unsigned long long>(done), seconds, static_cast<double>(done) / seconds, processes,
      static_cast<unsigned long long>(mean), coverage.pairs(), describe(sums).c_str());
  if (board->failed != 0) return print_replay(board->failed);
  if (done >= 1'000 && mean < kLeastEvents) {
    std::printf("fewer than %llu events a seed\n", static_cast<unsigned long long>(kLeastEvents));
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Drives the supervisor's core through seeded days of bad luck in virtual time.", "simulate");
  std::uint64_t count = 1'000, seed = 0, first = 1;
  std::size_t processes = std::max(1u, std::thread::hardware_concurrency());
  bool trace = false;
  app.add_option("COUNT", count, "how many seeds")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--first", first, "the first of them")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--processes", processes, "how many at a time")->check(CLI::Range(1, 1'024))->capture_default_str();
  app.add_option("--seed", seed, "replay this one")->check(CLI::PositiveNumber);
  app.add_flag("--trace", trace, "print every event and action of --seed");
  CLI11_PARSE(app, argc, argv);
  return seed > 0 ? replay(seed, trace) : simulate_many(first, count, processes);
}
