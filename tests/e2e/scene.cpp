#include "tests/e2e/scene.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>
#include <variant>

#include "client/demo/fifth_power_circuit.hpp"
#include "common/posix.hpp"
#include "groth16/formats/snarkjs_json.hpp"
#include "groth16/proof/verify.hpp"
#include "tests/e2e/run_program.hpp"

namespace groth16d::e2e {
namespace {

namespace formats = groth16::formats;

constexpr std::uint64_t kPlaintext = 20'260'131;
constexpr std::uint64_t kMaxTextBytes = std::uint64_t{64} << 20;
constexpr std::chrono::minutes kPatience{20};  // 40 partitions take two minutes on two idle cores, not all are idle

template <class Fn>
void write_file(const fs::path& path, Fn&& write) {
  auto file = formats::OutputFile::create(path);
  REQUIRE(file.has_value());
  REQUIRE(write(*file).has_value());
  REQUIRE(file->commit().has_value());
}

template <class C>
bool is_valid_for(const groth16::VerifyingKey<C>& key, const std::string& public_json, const std::string& proof_json) {
  const auto publics = formats::parse_public_json("public.json", public_json, C::id);
  const auto proof = formats::parse_proof_json<C>("proof.json", proof_json);
  return publics && proof && groth16::verify(key, std::span<const typename C::Scalar>(*publics), *proof).has_value();
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "groth16d-e2e-XXXXXX").string();
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  path_ = fs::canonical(name);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

CircuitFiles make_circuit_of(const fs::path& folder, const WriteCircuit& write_circuit,
                             const WriteWitness& write_witness, std::uint32_t n) {
  fs::create_directories(folder);
  CircuitFiles files{folder / "circuit.zkey", folder / "circuit.r1cs", folder / "verification_key.json", {}};
  write_file(files.r1cs, write_circuit);
  for (std::uint64_t number = 1; number <= n; ++number) {
    files.witnesses.push_back(folder / ("witness-" + std::to_string(number) + ".wtns"));
    write_file(files.witnesses.back(), [&](formats::ByteSink& sink) { return write_witness(number, sink); });
  }
  const Outcome setup = ctl({"setup", "--insecure", "--seed", std::to_string(kToxicSeed), "--r1cs", files.r1cs,
                             "--zkey", files.zkey, "--vk", files.vk});
  INFO(setup.err);
  REQUIRE(setup.exit_code == 0);
  return files;
}

CircuitFiles make_circuit(const fs::path& folder, groth16::CurveId curve, std::uint32_t domain_log2, std::uint32_t n) {
  const demo::FifthPowerCircuit circuit(demo::FifthPowerCircuit::rounds_that_fill(domain_log2));
  return make_circuit_of(
      folder, [&](formats::ByteSink& sink) { return circuit.write_r1cs(curve, sink); },
      [&](std::uint64_t key, formats::ByteSink& sink) { return circuit.write_witness(curve, kPlaintext, key, sink); },
      n);
}

client::PrivateDaemon start_daemon(const fs::path& root, std::uint32_t synth, std::uint32_t cpu, std::uint32_t final) {
  client::PrivateDaemonOptions options;
  options.program = program("groth16d");
  options.roots = {root.string()};
  options.synth = synth;
  options.cpu = cpu;
  options.final = final;
  auto daemon = client::PrivateDaemon::start(options);
  INFO((daemon ? std::string() : daemon.error().text));
  REQUIRE(daemon.has_value());
  return std::move(*daemon);
}

client::Client connect(const client::PrivateDaemon& daemon) {
  auto client = client::Client::connect(daemon.address());
  REQUIRE(client.has_value());
  return std::move(*client);
}

void add_circuit(client::Client& client, const std::string& name, const CircuitFiles& files, bool with_r1cs) {
  v1::CircuitAddRequest request;
  request.set_circuit(name);
  request.set_key_path(files.zkey);
  if (with_r1cs) request.set_r1cs_path(files.r1cs);
  request.set_allow_insecure_key(true);
  const auto added = client.add_circuit(request);
  INFO((added ? std::string() : added.error().text));
  REQUIRE(added.has_value());
}

v1::SubmitRequest request_for(const std::string& job, const std::string& circuit,
                              const std::vector<fs::path>& witnesses) {
  v1::SubmitRequest request;
  request.set_job(job);
  request.set_circuit(circuit);
  for (const auto& witness : witnesses) request.add_partitions()->set_path(witness);
  return request;
}

v1::JobStatus run_job(client::Client& client, const v1::SubmitRequest& request) {
  const auto accepted = client.submit(request);
  INFO((accepted ? std::string() : accepted.error().text));
  REQUIRE(accepted.has_value());
  return wait_for(client, request.job());
}

v1::JobStatus wait_for(client::Client& client, const std::string& job) {
  client::WaitOptions options;
  options.timeout = kPatience;
  auto ended = client::wait_for_job(client, job, options);
  INFO((ended ? std::string() : ended.error().text));
  REQUIRE(ended.has_value());
  return *ended;
}

bool is_valid(const fs::path& vk, const std::string& public_json, const std::string& proof_json) {
  const auto text = read_text_file(vk, kMaxTextBytes);
  REQUIRE(text.has_value());
  const auto key = formats::parse_verification_key_json(vk, *text);
  REQUIRE(key.has_value());
  return std::visit([&](const auto& of_curve) { return is_valid_for(of_curve, public_json, proof_json); }, *key);
}

v1::ResultReply checked_result(client::Client& client, const std::string& job, const fs::path& vk) {
  const auto result = client.result(job);
  REQUIRE(result.has_value());
  INFO(result->job().failure().text());
  REQUIRE(result->job().state() == v1::DONE);
  std::set<std::string> different;
  for (const auto& partition : result->partitions()) {
    CHECK(is_valid(vk, partition.public_json(), partition.proof_json()));
    different.insert(partition.proof_json());
  }
  CHECK(different.size() == static_cast<std::size_t>(result->partitions_size()));
  CHECK(result->key_digest().size() == 32);
  CHECK(result->vk_digest().size() == 32);
  return *result;
}

v1::WorkerStatus worker_on(client::Client& client, const std::string& slot) {
  const auto workers = client.workers();
  INFO((workers ? std::string() : workers.error().text));
  REQUIRE(workers.has_value());
  const auto found =
      std::find_if(workers->begin(), workers->end(), [&](const v1::WorkerStatus& one) { return one.slot() == slot; });
  REQUIRE(found != workers->end());
  return *found;
}

bool eventually(const std::function<bool()>& holds, std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

fs::path changed_copy(const fs::path& from, const fs::path& to, const std::function<void(std::string&)>& change) {
  std::ifstream in(from, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  change(content);
  std::ofstream out(to, std::ios::binary);
  out << content;
  REQUIRE(out.flush());
  return to;
}

}  // namespace groth16d::e2e
