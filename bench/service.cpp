// What a service proves with a key that stays: jobs of one circuit by one, two and eight clients, each of which submits
// its share and then takes the results. Beside it what rapidsnark needs for as many proofs, one process a proof, on
// this kind of machine (2 cores, idle). Markdown, as docs/PERFORMANCE.md shows it.
//
// Every proof is verified here once more, and all jobs have the same public signals.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "bench/daemon_scene.hpp"
#include "bench/timing.hpp"
#include "client/lib/wait.hpp"
#include "groth16/formats/snarkjs_json.hpp"
#include "groth16/proof/verify.hpp"

namespace {

using namespace groth16d;
using namespace groth16d::bench;

// rapidsnark, sha256_512 on BN254, whole process. Not measured here.
constexpr double kRapidsnark_s = 0.377, kRapidsnarkCpu_s = 0.672;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Processor seconds of a process and of those that it has started and not yet waited for.
double cpu_seconds_of_tree(pid_t pid) {
  const fs::path place = "/proc/" + std::to_string(pid);
  const std::string stat = text_of(place / "stat");
  std::istringstream fields(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
  const std::vector<std::string> words{std::istream_iterator<std::string>(fields), {}};
  double ticks = words.size() > 12 ? std::stod(words[11]) + std::stod(words[12]) : 0;
  double of_children = 0;
  for (const auto& task : fs::directory_iterator(place / "task")) {
    std::istringstream children(text_of(task.path() / "children"));
    for (pid_t child = 0; children >> child;) of_children += cpu_seconds_of_tree(child);
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK)) + of_children;
}

class Service {
 public:
  explicit Service(const fs::path& circuit) : circuit_(fs::canonical(circuit)), daemon_(start()) {
    v1::CircuitAddRequest request;
    request.set_circuit(kCircuit);
    request.set_key_path((circuit_ / "circuit.zkey").string());
    request.set_allow_insecure_key(true);
    expect(connect().add_circuit(request));
    const auto vk = expect(groth16::formats::parse_verification_key_json("verification_key.json",
                                                                         text_of(circuit_ / "verification_key.json")));
    if (!std::holds_alternative<groth16::VerifyingKey<groth16::Bn254>>(vk)) give_up("the circuit is not of bn128");
    key_ = std::get<groth16::VerifyingKey<groth16::Bn254>>(vk);
  }

  double cpu_seconds() const { return cpu_seconds_of_tree(daemon_.pid()); }

  // One client's jobs, submitted one after the other and then waited for.
  void prove(const std::string& prefix, unsigned count) {
    auto client = connect();
    for (unsigned i = 0; i < count; ++i) {
      v1::SubmitRequest request;
      request.set_job(prefix + std::to_string(i));
      request.set_circuit(kCircuit);
      request.add_partitions()->set_path((circuit_ / "witness.wtns").string());
      expect(client.submit(request));
    }
    for (unsigned i = 0; i < count; ++i) {
      const std::string job = prefix + std::to_string(i);
      const auto ended = expect(client::wait_for_job(client, job, {}));
      if (ended.state() != v1::DONE) give_up(job + " has no proof");
    }
  }

  // Whether each of these jobs has a proof of the same statement.
  void check(const std::string& prefix, unsigned count) {
    auto client = connect();
    for (unsigned i = 0; i < count; ++i) {
      const auto result = expect(client.result(prefix + std::to_string(i)));
      const auto& partition = result.partitions(0);
      if (publics_.empty()) publics_ = partition.public_json();
      if (partition.public_json() != publics_) give_up("two jobs have other public signals");
      const auto proof =
          expect(groth16::formats::parse_proof_json<groth16::Bn254>("proof.json", partition.proof_json()));
      const auto publics =
          expect(groth16::formats::parse_public_json("public.json", partition.public_json(), groth16::CurveId::bn254));
      if (auto valid = groth16::verify(key_, publics, proof); !valid) give_up(valid.error().text);
    }
  }

 private:
  client::PrivateDaemon start() const {
    client::PrivateDaemonOptions options;
    options.program = (programs_folder() / "groth16d").string();
    options.roots = {circuit_.string()};
    return expect(client::PrivateDaemon::start(options));
  }
  client::Client connect() const { return expect(client::Client::connect(daemon_.address(), 120'000)); }

  fs::path circuit_;
  client::PrivateDaemon daemon_;
  groth16::VerifyingKey<groth16::Bn254> key_;
  std::string publics_;
};

void row(Service& service, unsigned clients, unsigned jobs) {
  const auto name_of = [&](unsigned c) { return std::to_string(clients) + "-clients-" + std::to_string(c) + "-"; };
  const auto share_of = [&](unsigned c) { return jobs / clients + (c < jobs % clients ? 1 : 0); };
  const double cpu_before = service.cpu_seconds();
  const double seconds = seconds_of([&] {
    std::vector<std::jthread> threads;
    for (unsigned c = 0; c < clients; ++c) threads.emplace_back([&, c] { service.prove(name_of(c), share_of(c)); });
  });
  const double cpu = service.cpu_seconds() - cpu_before;
  for (unsigned c = 0; c < clients; ++c) service.check(name_of(c), share_of(c));
  std::printf("| %u | %.2f | %.0f | %.0f | %.1f | %.1f |\n", clients, seconds, 1e3 * seconds / jobs, 1e3 * cpu / jobs,
              jobs * kRapidsnark_s / seconds, jobs * kRapidsnarkCpu_s / cpu);
  std::fflush(stdout);
}

}  // namespace

// bench_service FOLDER [JOBS]: FOLDER as bench/circuits.mjs makes it for sha256_512-bn128; 100 jobs.
int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: bench_service FOLDER [JOBS]\n", stderr);
    return 2;
  }
  const unsigned jobs = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 100;
  Service service(argv[1]);
  service.prove("first-", 1);
  std::printf(
      "\n%u jobs, key resident\n\n| clients | s | ms a job | processor ms a job | rapidsnark * : ours, wall | "
      "processor "
      "|\n|---|---|---|---|---|---|\n",
      jobs);
  for (const unsigned clients : {1U, 2U, 8U}) row(service, clients, jobs);
}
