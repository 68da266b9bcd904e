// How long a client waits for SUBMIT's answer, which comes after the input is on the disk and the journal is committed,
// while many jobs wait and the workers keep the cores busy. Markdown, as docs/PERFORMANCE.md shows it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "bench/daemon_scene.hpp"

namespace {

using namespace groth16d;
using namespace groth16d::bench;

// Milliseconds of each of `count` SUBMITs by one client.
std::vector<double> submit(const DaemonScene& scene, const std::string& prefix, unsigned count) {
  auto client = scene.connect();
  std::vector<double> times;
  for (unsigned i = 0; i < count; ++i) {
    const auto request = scene.request(prefix + std::to_string(i), 1);
    const auto begin = std::chrono::steady_clock::now();
    expect(client.submit(request));
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  return times;
}

void row(const char* what, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  std::printf("| %s | %.2f | %.2f | %.2f |\n", what, times[times.size() / 2], times[times.size() * 99 / 100],
              times.back());
}

}  // namespace

// bench_submit [QUEUED]: how many jobs wait before the first measured one; default 1000.
int main(int argc, char** argv) {
  const unsigned queued = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1000;
  constexpr unsigned kMeasured = 500;
  constexpr unsigned kClients = 8;
  const DaemonScene scene("bn128", 14, 1);
  submit(scene, "queued-", queued);

  std::printf("\nSUBMIT with %u jobs queued\n\n| clients | median ms | 99 %% ms | most ms |\n|---|---|---|---|\n",
              queued);
  row("1", submit(scene, "one-", kMeasured));
  std::vector<std::vector<double>> times(kClients);
  {
    std::vector<std::jthread> clients;
    for (unsigned c = 0; c < kClients; ++c)
      clients.emplace_back(
          [&, c] { times[c] = submit(scene, "client-" + std::to_string(c) + "-", kMeasured / kClients); });
  }
  std::vector<double> all;
  for (const auto& of_client : times) all.insert(all.end(), of_client.begin(), of_client.end());
  row("8 at once", all);
}
