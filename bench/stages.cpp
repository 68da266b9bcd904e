// Whole proofs through the daemon: the time of each stage and the peak memory of each process, for one circuit of each
// curve. Markdown, as docs/PERFORMANCE.md shows it.
//
// Witnesses are proven one after another, so no stage shares the cores with another partition's; prove and b2 of one
// partition run at the same time, as in service. Peak memory is the kernel's VmHWM: the process's own pages and those
// of the shared segments that it has mapped.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "bench/daemon_scene.hpp"
#include "bench/timing.hpp"
#include "client/lib/wait.hpp"

namespace {

using namespace groth16d;
using namespace groth16d::bench;

v1::JobStatus prove(client::Client& client, const v1::SubmitRequest& request) {
  expect(client.submit(request));
  v1::JobStatus status = expect(client::wait_for_job(client, request.job(), {}));
  if (status.state() != v1::DONE)
    give_up("job " + request.job() + " ended without a proof: " + status.failure().text());
  return status;
}

// "VmHWM:   1234 kB" of a process, in MiB; 0 where it is gone.
double peak_mib(std::uint64_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr) / 1024;
  return 0;
}

void bench_curve(const std::string& curve, unsigned domain_log2, unsigned runs) {
  const DaemonScene scene(curve, domain_log2, runs + 1);
  auto client = scene.connect();
  prove(client, scene.request("warm-up", runs + 1));  // loads the key

  std::map<std::string, std::vector<double>> stages;
  std::vector<double> whole;
  for (unsigned i = 1; i <= runs; ++i) {
    const auto status = prove(client, scene.request("job-" + std::to_string(i), i));
    double end = 0;
    for (const auto& span : status.timeline()) {
      stages[span.stage()].push_back(static_cast<double>(span.end_ms() - span.begin_ms()));
      end = std::max(end, static_cast<double>(span.end_ms()));
    }
    whole.push_back(end);
  }

  std::printf("\n%s, 2^%u rows, median of %u\n\n| stage | ms |\n|---|---|\n", curve.c_str(), domain_log2, runs);
  for (const char* stage : {"inspect", "synth", "prove", "b2", "assemble"})
    std::printf("| %s | %.0f |\n", stage, median(stages[stage]));
  std::printf("| accepted to proven | %.0f |\n", median(whole));
  std::printf("\n| process | peak MiB |\n|---|---|\n| groth16d | %.0f |\n",
              peak_mib(static_cast<std::uint64_t>(scene.daemon().pid())));
  for (const auto& worker : expect(client.workers()))
    std::printf("| %s | %.0f |\n", worker.slot().c_str(), peak_mib(worker.pid()));
  for (const auto& circuit : expect(client.circuits(kCircuit)))
    std::printf("\nSegments: key %.1f MiB, r1cs %.1f MiB; one partition reserves %.1f MiB.\n",
                static_cast<double>(circuit.key_bytes()) / 1048576, static_cast<double>(circuit.r1cs_bytes()) / 1048576,
                static_cast<double>(circuit.partition_bytes()) / 1048576);
  std::fflush(stdout);
}

}  // namespace

// bench_stages [DOMAIN_LOG2 [RUNS]]: default 2^17 rows, 5 runs.
int main(int argc, char** argv) {
  const unsigned domain_log2 = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 17;
  const unsigned runs = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 5;
  if (domain_log2 < 3 || domain_log2 > 24 || runs == 0) give_up("usage: bench_stages [DOMAIN_LOG2 (3 to 24) [RUNS]]");
  for (const char* curve : {"bn128", "bls12381"}) bench_curve(curve, domain_log2, runs);
}
