// Scene: one circuit, made once for a test program, and a daemon that proves it with programs of its own.
#pragma once

#include <string>
#include <vector>

#include "tests/faults/daemon.hpp"

namespace groth16d::faults {

inline constexpr std::uint32_t kWitnesses = 8;
inline constexpr char kCircuit[] = "fifth";

// 2^8 rows on BN254: stages of milliseconds, so what a test waits for is what it tests.
const e2e::CircuitFiles& circuit();

class Scene {
 public:
  explicit Scene(ProveStage prove = ProveStage::real, Settings settings = {})
      : programs(prove), daemon(programs, circuit().zkey.parent_path(), std::move(settings)) {}

  // Starts the daemon, registers the circuit and waits until it is resident.
  client::Client start(const std::vector<std::string>& environment = {});
  // Starts it again on the same state.
  client::Client restart(const std::vector<std::string>& environment = {});

  ProgramFolder programs;
  Daemon daemon;
};

// A request for the first witnesses of the circuit.
v1::SubmitRequest request(const std::string& job, std::uint32_t partitions = 1);
void submit(client::Client& client, const v1::SubmitRequest& request);
// Submits, waits, and checks as check_proven does.
v1::JobStatus prove(client::Client& client, const std::string& job, std::uint32_t partitions = 1);
// Waits until the job is DONE, and checks that every proof verifies and none is another's copy.
v1::JobStatus check_proven(client::Client& client, const std::string& job);

}  // namespace groth16d::faults
