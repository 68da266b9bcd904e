// A job's life as a client sees it: keys that are loaded once, idempotent verbs, cancelling, reasons for failures.
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/e2e/scene.hpp"

using namespace groth16d;
using namespace groth16d::e2e;
using groth16::CurveId;

namespace {

constexpr std::uint32_t kSmall = 6;   // 2^6 rows
constexpr std::uint32_t kLarge = 16;  // a few seconds a partition

std::uint64_t loads(client::Client& client, const std::string& circuit) {
  const auto circuits = client.circuits(circuit);
  REQUIRE(circuits.has_value());
  REQUIRE(circuits->size() == 1);
  return circuits->front().loads();
}

// Where the value of a wire lies in a .wtns as snarkjs and circom write it: container 12, section 1 with its head 52,
// head of section 2 12.
constexpr std::size_t wire_offset(std::size_t wire) { return 76 + 32 * wire; }

}  // namespace

TEST_CASE("both curves are proven by one daemon") {
  const TemporaryFolder folder;
  const auto daemon = start_daemon(folder.path());
  auto client = connect(daemon);
  for (const auto curve : {CurveId::bn254, CurveId::bls12_381}) {
    const std::string name(groth16::curve_name(curve));
    const auto files = make_circuit(folder.path() / name, curve, kSmall, 2);
    add_circuit(client, name, files);
    REQUIRE(run_job(client, request_for(name, name, files.witnesses)).state() == v1::DONE);
    const auto result = checked_result(client, name, files.vk);
    CHECK(result.curve() == name);
    CHECK(result.partitions(0).proof().size() == (curve == CurveId::bn254 ? 128U : 192U));
  }
}

TEST_CASE("a job on a loaded circuit does not read the key file again") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bn254, kSmall, 1);
  const auto daemon = start_daemon(folder.path());
  auto client = connect(daemon);
  add_circuit(client, "once", files);
  REQUIRE(run_job(client, request_for("first", "once", files.witnesses)).state() == v1::DONE);
  REQUIRE(loads(client, "once") == 1);

  fs::remove(files.zkey);
  fs::remove(files.r1cs);

  REQUIRE(run_job(client, request_for("second", "once", files.witnesses)).state() == v1::DONE);
  checked_result(client, "second", files.vk);
  CHECK(loads(client, "once") == 1);
}

TEST_CASE("the same witness gives another proof each time") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bls12_381, kSmall, 1);
  const auto daemon = start_daemon(folder.path());
  auto client = connect(daemon);
  add_circuit(client, "blind", files);
  const std::vector<fs::path> twice = {files.witnesses[0], files.witnesses[0]};

  REQUIRE(run_job(client, request_for("twice", "blind", twice)).state() == v1::DONE);

  checked_result(client, "twice", files.vk);  // none like another
}

TEST_CASE("a witness that is sent in the message is proven as one in a file is") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bn254, kSmall, 1);
  const auto daemon = start_daemon(folder.path());
  auto client = connect(daemon);
  add_circuit(client, "sent", files);
  std::ifstream in(files.witnesses[0], std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  auto payload = ipc::cut_payload(bytes);
  v1::SubmitRequest request;
  request.set_job("sent");
  request.set_circuit("sent");
  request.add_partitions()->set_payload_frames(static_cast<std::uint32_t>(payload.size()));

  REQUIRE(client.submit(request, payload).has_value());

  REQUIRE(wait_for(client, "sent").state() == v1::DONE);
  checked_result(client, "sent", files.vk);
}

TEST_CASE("SUBMIT, RESULT and CLOSE may be repeated, and a name is not reused for another job") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bn254, kSmall, 2);
  const auto daemon = start_daemon(folder.path());
  auto client = connect(daemon);
  add_circuit(client, "again", files);
  const auto request = request_for("again", "again", {files.witnesses[0]});
  REQUIRE(run_job(client, request).state() == v1::DONE);

  REQUIRE(client.submit(request).has_value());
  const auto other = client.submit(request_for("again", "again", {files.witnesses[1]}));
  REQUIRE_FALSE(other.has_value());
  CHECK(other.error().code == ErrorCode::conflict);
  const auto first = client.result("again");
  const auto second = client.result("again");
  REQUIRE((first && second));
  CHECK(first->partitions(0).proof_json() == second->partitions(0).proof_json());
  CHECK(client.close("again").has_value());
  CHECK(client.close("again").has_value());
}

TEST_CASE("a running job is cancelled, and the next one is not disturbed") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path() / "large", CurveId::bls12_381, kLarge, 3);
  const auto small = make_circuit(folder.path() / "small", CurveId::bn254, kSmall, 1);
  const auto daemon = start_daemon(folder.path());
  auto client = connect(daemon);
  add_circuit(client, "large", files);
  add_circuit(client, "small", small);
  REQUIRE(client.submit(request_for("stopped", "large", files.witnesses)).has_value());
  REQUIRE(eventually([&] {
    const auto status = client.status("stopped");
    return status && status->state() == v1::RUNNING;
  }));

  CHECK(client.cancel("stopped") == true);

  CHECK(wait_for(client, "stopped").state() == v1::CANCELLED);
  CHECK(client.cancel("stopped") == false);  // it had ended
  CHECK(run_job(client, request_for("next", "small", small.witnesses)).state() == v1::DONE);
}

TEST_CASE("an unsatisfied witness is refused with its row where the constraint system is known") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bn254, kSmall, 1);
  // The square of round 2, that is row 6, is no longer one.
  const auto wrong = changed_copy(files.witnesses[0], folder.path() / "wrong.wtns",
                                  [](std::string& bytes) { bytes[wire_offset(4 + 3 * 2)] ^= 1; });
  const auto daemon = start_daemon(folder.path());
  auto client = connect(daemon);
  add_circuit(client, "with", files);
  add_circuit(client, "without", files, false);

  const auto named = run_job(client, request_for("named", "with", {wrong}));
  REQUIRE(named.state() == v1::FAILED);
  CHECK(named.failure().code() == "unsatisfied");
  CHECK(named.failure().text().find("constraint 6 ") != std::string::npos);
  INFO(named.failure().text());

  const auto unnamed = run_job(client, request_for("unnamed", "without", {wrong}));
  REQUIRE(unnamed.state() == v1::FAILED);
  CHECK(unnamed.failure().text().find("r1cs") != std::string::npos);
  INFO(unnamed.failure().text());
}

TEST_CASE("declared public signals that the witness does not have fail the job") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bn254, kSmall, 1);
  const auto daemon = start_daemon(folder.path());
  auto client = connect(daemon);
  add_circuit(client, "declared", files);
  auto request = request_for("declared", "declared", files.witnesses);
  request.mutable_partitions(0)->set_declared_public_json("[\"1\", \"2\"]");

  const auto ended = run_job(client, request);

  CHECK(ended.state() == v1::FAILED);
  CHECK_FALSE(ended.failure().name().empty());
}

TEST_CASE("what does not exist, lies outside the roots or belongs to another circuit is refused by name") {
  const TemporaryFolder folder;
  const TemporaryFolder outside;
  const auto files = make_circuit(folder.path() / "bn", CurveId::bn254, kSmall, 1);
  const auto other = make_circuit(folder.path() / "bls", CurveId::bls12_381, kSmall, 1);
  const auto larger = make_circuit(folder.path() / "larger", CurveId::bn254, kSmall + 1, 1);
  fs::copy_file(files.witnesses[0], outside.path() / "witness.wtns");
  const auto daemon = start_daemon(folder.path());
  auto client = connect(daemon);
  add_circuit(client, "bn", files);

  const auto unknown = client.submit(request_for("unknown", "nobody", files.witnesses));
  REQUIRE_FALSE(unknown.has_value());
  CHECK(unknown.error().code == ErrorCode::not_found);
  const auto escaped = client.submit(request_for("escaped", "bn", {outside.path() / "witness.wtns"}));
  REQUIRE_FALSE(escaped.has_value());
  CHECK(escaped.error().name == "path.outside_root");
  const auto curve = run_job(client, request_for("curve", "bn", other.witnesses));
  CHECK(curve.state() == v1::FAILED);
  CHECK(curve.failure().name() == "wtns.curve");
  const auto count = run_job(client, request_for("count", "bn", larger.witnesses));
  CHECK(count.state() == v1::FAILED);
  CHECK(count.failure().name() == "wtns.count");
}
