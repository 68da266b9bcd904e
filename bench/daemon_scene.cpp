#include "bench/daemon_scene.hpp"

#include <stdlib.h>

#include <cstdlib>
#include <iostream>

namespace groth16d::bench {
namespace {

void run(const std::string& command) {
  if (std::system(command.c_str()) != 0) give_up("failed: " + command);  // NOLINT(concurrency-mt-unsafe): one thread
}

// By the programs that users have.
fs::path make_files(const std::string& curve, unsigned domain_log2, unsigned n) {
  char name[] = "/tmp/groth16d-bench-XXXXXX";
  if (::mkdtemp(name) == nullptr) give_up("no temporary folder");
  fs::path folder = fs::canonical(name);
  const std::string here = "'" + folder.string() + "'";
  run("'" + (programs_folder() / "groth16-demo-circuit").string() + "' " + curve + " " + std::to_string(domain_log2) +
      " " + std::to_string(n) + " " + here);
  run("'" + (programs_folder() / "groth16ctl").string() + "' setup --insecure --r1cs " + here +
      "/circuit.r1cs --zkey " + here + "/circuit.zkey >/dev/null 2>&1");
  return folder;
}

client::PrivateDaemon start_daemon(const fs::path& root) {
  client::PrivateDaemonOptions options;
  options.program = (programs_folder() / "groth16d").string();
  options.roots = {root.string()};
  return expect(client::PrivateDaemon::start(options));
}

}  // namespace

void give_up(const std::string& what) {
  std::cerr << "bench: " << what << '\n';
  std::exit(1);
}

fs::path programs_folder() { return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "bin"; }

DaemonScene::DaemonScene(const std::string& curve, unsigned domain_log2, unsigned n_witnesses)
    : folder_(make_files(curve, domain_log2, n_witnesses)), daemon_(start_daemon(folder_)) {
  v1::CircuitAddRequest request;
  request.set_circuit(kCircuit);
  request.set_key_path((folder_ / "circuit.zkey").string());
  request.set_r1cs_path((folder_ / "circuit.r1cs").string());
  request.set_allow_insecure_key(true);
  expect(connect().add_circuit(request));
}

DaemonScene::~DaemonScene() {
  daemon_.stop();
  std::error_code ignored;  // it lies in a temporary folder
  fs::remove_all(folder_, ignored);
}

v1::SubmitRequest DaemonScene::request(const std::string& job, unsigned witness) const {
  v1::SubmitRequest request;
  request.set_job(job);
  request.set_circuit(kCircuit);
  request.add_partitions()->set_path((folder_ / ("witness-" + std::to_string(witness) + ".wtns")).string());
  return request;
}

}  // namespace groth16d::bench
