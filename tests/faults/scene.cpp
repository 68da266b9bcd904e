#include "tests/faults/scene.hpp"

#include <catch2/catch.hpp>

namespace groth16d::faults {

const e2e::CircuitFiles& circuit() {
  static const TemporaryFolder folder;
  static const e2e::CircuitFiles files = e2e::make_circuit(folder.path(), groth16::CurveId::bn254, 8, kWitnesses);
  return files;
}

client::Client Scene::start(const std::vector<std::string>& environment) {
  daemon.start(environment);
  auto client = daemon.client();
  e2e::add_circuit(client, kCircuit, circuit());
  await_resident(client, kCircuit);
  return client;
}

client::Client Scene::restart(const std::vector<std::string>& environment) {
  daemon.start(environment);
  return daemon.client();
}

v1::SubmitRequest request(const std::string& job, std::uint32_t partitions) {
  const auto& all = circuit().witnesses;
  return e2e::request_for(job, kCircuit, {all.begin(), all.begin() + partitions});
}

void submit(client::Client& client, const v1::SubmitRequest& request) {
  const auto accepted = client.submit(request);
  INFO((accepted ? std::string() : accepted.error().text));
  REQUIRE(accepted.has_value());
}

v1::JobStatus prove(client::Client& client, const std::string& job, std::uint32_t partitions) {
  submit(client, request(job, partitions));
  return check_proven(client, job);
}

v1::JobStatus check_proven(client::Client& client, const std::string& job) {
  const v1::JobStatus ended = e2e::wait_for(client, job);
  INFO("job " << job << ": " << ended.failure().text());
  REQUIRE(ended.state() == v1::DONE);
  const auto result = e2e::checked_result(client, job, circuit().vk);
  CHECK(result.partitions_size() == ended.partitions_size());
  return ended;
}

}  // namespace groth16d::faults
