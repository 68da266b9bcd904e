// Whole proofs through the daemon: the time of each stage and the peak memory of each process, for one circuit of each
// curve. Markdown, as docs/PERFORMANCE.md shows it.
//
// Witnesses are proven one after another, so no stage shares the cores with another partition's; prove and b2 of one
// partition run at the same time, as in service. Peak memory is the kernel's VmHWM: the process's own pages and those
// of the shared segments that it has mapped.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "client/lib/private_daemon.hpp"
#include "client/lib/wait.hpp"

namespace {

using namespace groth16d;
namespace fs = std::filesystem;

constexpr char kCircuit[] = "bench";

[[noreturn]] void give_up(const std::string& what) {
  std::cerr << "bench_stages: " << what << '\n';
  std::exit(1);
}

template <class T>
T expect(Result<T> result) {
  if (!result) give_up(result.error().text);
  return std::move(*result);
}

void run(const std::string& command) {
  if (std::system(command.c_str()) != 0) give_up("failed: " + command);  // NOLINT(concurrency-mt-unsafe): one thread
}

// Circuit, insecure key and n witnesses in `folder`, by the programs that users have.
void make_files(const fs::path& programs, const std::string& curve, unsigned domain_log2, unsigned n,
                const fs::path& folder) {
  fs::create_directories(folder);
  const std::string here = "'" + folder.string() + "'";
  run("'" + (programs / "groth16-demo-circuit").string() + "' " + curve + " " + std::to_string(domain_log2) + " " +
      std::to_string(n) + " " + here);
  run("'" + (programs / "groth16ctl").string() + "' setup --insecure --r1cs " + here + "/circuit.r1cs --zkey " + here +
      "/circuit.zkey >/dev/null 2>&1");
}

void add_circuit(client::Client& client, const fs::path& folder) {
  v1::CircuitAddRequest request;
  request.set_circuit(kCircuit);
  request.set_key_path((folder / "circuit.zkey").string());
  request.set_r1cs_path((folder / "circuit.r1cs").string());
  request.set_allow_insecure_key(true);
  expect(client.add_circuit(request));
}

v1::JobStatus prove(client::Client& client, const std::string& job, const fs::path& witness) {
  v1::SubmitRequest request;
  request.set_job(job);
  request.set_circuit(kCircuit);
  request.add_partitions()->set_path(witness.string());
  expect(client.submit(request));
  v1::JobStatus status = expect(client::wait_for_job(client, job, {}));
  if (status.state() != v1::DONE) give_up("job " + job + " ended without a proof: " + status.failure().text());
  return status;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// "VmHWM:   1234 kB" of a process, in MiB; 0 where it is gone.
double peak_mib(std::uint64_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr) / 1024;
  return 0;
}

void bench_curve(const fs::path& programs, const std::string& curve, unsigned domain_log2, unsigned runs) {
  char name[] = "/tmp/groth16d-bench-XXXXXX";
  if (mkdtemp(name) == nullptr) give_up("no temporary folder");
  const fs::path folder = fs::canonical(name);
  make_files(programs, curve, domain_log2, runs + 1, folder);

  client::PrivateDaemonOptions options;
  options.program = (programs / "groth16d").string();
  options.roots = {folder.string()};
  auto daemon = expect(client::PrivateDaemon::start(options));
  auto client = expect(client::Client::connect(daemon.address()));
  add_circuit(client, folder);
  prove(client, "warm-up", folder / ("witness-" + std::to_string(runs + 1) + ".wtns"));  // loads the key

  std::map<std::string, std::vector<double>> stages;
  std::vector<double> whole;
  for (unsigned i = 1; i <= runs; ++i) {
    const auto status = prove(client, "job-" + std::to_string(i), folder / ("witness-" + std::to_string(i) + ".wtns"));
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
              peak_mib(static_cast<std::uint64_t>(daemon.pid())));
  for (const auto& worker : expect(client.workers()))
    std::printf("| %s | %.0f |\n", worker.slot().c_str(), peak_mib(worker.pid()));
  for (const auto& circuit : expect(client.circuits(kCircuit)))
    std::printf("\nSegments: key %.1f MiB, r1cs %.1f MiB; one partition reserves %.1f MiB.\n",
                static_cast<double>(circuit.key_bytes()) / 1048576, static_cast<double>(circuit.r1cs_bytes()) / 1048576,
                static_cast<double>(circuit.partition_bytes()) / 1048576);
  std::fflush(stdout);
  daemon.stop();
  fs::remove_all(folder);
}

}  // namespace

// bench_stages [DOMAIN_LOG2 [RUNS]]: default 2^17 rows, 5 runs.
int main(int argc, char** argv) {
  const unsigned domain_log2 = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 17;
  const unsigned runs = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 5;
  if (domain_log2 < 3 || domain_log2 > 24 || runs == 0) give_up("usage: bench_stages [DOMAIN_LOG2 (3 to 24) [RUNS]]");
  const fs::path programs = fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "bin";
  for (const char* curve : {"bn128", "bls12381"}) bench_curve(programs, curve, domain_log2, runs);
}
