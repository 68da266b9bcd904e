// A scene: a folder of circuit files, a private daemon that may read it, and the questions that tests ask of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "client/lib/private_daemon.hpp"
#include "client/lib/wait.hpp"
#include "groth16/algebra/curve_id.hpp"
#include "groth16/formats/byte_sink.hpp"

namespace groth16d::e2e {

namespace fs = std::filesystem;

// A folder that is gone with its owner.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// The files of one circuit, as snarkjs or our own setup names them.
struct CircuitFiles {
  fs::path zkey, r1cs, vk;
  std::vector<fs::path> witnesses;
};

// Every key of a scene is made from these toxic values, so a scripted prove stage can open them.
inline constexpr std::uint64_t kToxicSeed = 1;

// Writes circuit.r1cs, an insecure key, its verification key, and witnesses number 1 .. n.
using WriteCircuit = std::function<Result<void>(groth16::formats::ByteSink&)>;
using WriteWitness = std::function<Result<void>(std::uint64_t number, groth16::formats::ByteSink&)>;
CircuitFiles make_circuit_of(const fs::path& folder, const WriteCircuit& write_circuit,
                             const WriteWitness& write_witness, std::uint32_t n);

// The same for the demonstration's circuit, filled to 2^domain_log2 rows, and witnesses of keys 1 .. n.
CircuitFiles make_circuit(const fs::path& folder, groth16::CurveId curve, std::uint32_t domain_log2, std::uint32_t n);

// A private daemon that reads below `root`. Fails the test where it does not start.
client::PrivateDaemon start_daemon(const fs::path& root, std::uint32_t synth = 1, std::uint32_t cpu = 1,
                                   std::uint32_t final = 1);
client::Client connect(const client::PrivateDaemon& daemon);

// Registers under `name`; an insecure key is allowed.
void add_circuit(client::Client& client, const std::string& name, const CircuitFiles& files, bool with_r1cs = true);

// A request for `job` on a registered circuit with these witnesses.
v1::SubmitRequest request_for(const std::string& job, const std::string& circuit,
                              const std::vector<fs::path>& witnesses);

// Submits and waits, 20 minutes at most.
v1::JobStatus run_job(client::Client& client, const v1::SubmitRequest& request);
v1::JobStatus wait_for(client::Client& client, const std::string& job);

// Whether a proof is valid for its public signals under the verification key: our verifier, in this process.
bool is_valid(const fs::path& vk, const std::string& public_json, const std::string& proof_json);

// RESULT of a job that is DONE, every proof checked: valid, and none like another.
v1::ResultReply checked_result(client::Client& client, const std::string& job, const fs::path& vk);

// WORKER_LIST's entry of one slot.
v1::WorkerStatus worker_on(client::Client& client, const std::string& slot);

// Asks every 5 ms until it holds; false after the timeout.
bool eventually(const std::function<bool()>& holds, std::chrono::milliseconds timeout = std::chrono::minutes(5));

// Copies a file with bytes changed: `change` gets the whole content.
fs::path changed_copy(const fs::path& from, const fs::path& to, const std::function<void(std::string&)>& change);

}  // namespace groth16d::e2e
