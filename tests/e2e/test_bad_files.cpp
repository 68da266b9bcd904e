// Broken files: the client gets the rule that is broken, by name; the daemon and the jobs beside it go on.
#include <catch2/catch.hpp>
#include <functional>

#include "tests/e2e/run_program.hpp"
#include "tests/e2e/scene.hpp"

using namespace groth16d;
using namespace groth16d::e2e;
using groth16::CurveId;

namespace {

struct Break {
  const char* what;
  std::function<void(std::string&)> change;
  const char* name;  // of the error
};

void put_u32(std::string& bytes, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
}

// Offsets of a .wtns: magic 0, version 4, sections 8, section 1 at 24 (n8, prime, count at 60), section 2 at 76.
const std::vector<Break>& broken_witnesses() {
  static const std::vector<Break> table = {
      {"another magic", [](std::string& b) { b[3] = 'X'; }, "wtns.magic"},
      {"version 3", [](std::string& b) { put_u32(b, 4, 3); }, "wtns.version"},
      {"its last byte missing", [](std::string& b) { b.pop_back(); }, "wtns.section_bounds"},
      {"cut in half", [](std::string& b) { b.resize(b.size() / 2); }, "wtns.section_bounds"},
      {"fields of 33 bytes", [](std::string& b) { put_u32(b, 24, 33); }, "wtns.field_size"},
      {"another prime", [](std::string& b) { b[28] ^= 2; }, "wtns.prime"},
      {"a constant that is two", [](std::string& b) { b[76] = 2; }, "wtns.one"},
      {"a value not below r", [](std::string& b) { b.replace(76 + 32 * 5, 32, 32, '\xff'); }, "wtns.value"},
  };
  return table;
}

// Offsets of a .zkey as `setup` writes it: magic 0, version 4, sections 8, section 1 (protocol) at 24, section 2 at 40.
const std::vector<Break>& broken_keys() {
  static const std::vector<Break> table = {
      {"another magic", [](std::string& b) { b[0] = 'y'; }, "zkey.magic"},
      {"version 3", [](std::string& b) { put_u32(b, 4, 3); }, "zkey.version"},
      {"a thousand million sections", [](std::string& b) { put_u32(b, 8, 1'000'000'000); }, "zkey.section_count"},
      {"the protocol plonk", [](std::string& b) { put_u32(b, 24, 2); }, "zkey.protocol"},
      {"its last byte missing", [](std::string& b) { b.pop_back(); }, "zkey.section_bounds"},
      {"cut in half", [](std::string& b) { b.resize(b.size() / 2); }, "zkey.section_bounds"},
      {"a domain of three", [](std::string& b) { put_u32(b, 40 + 4 + 32 + 4 + 32 + 8, 3); }, "zkey.domain"},
      {"an alpha off the curve", [](std::string& b) { b[40 + 4 + 32 + 4 + 32 + 12] ^= 1; }, "zkey.not_on_curve"},
  };
  return table;
}

}  // namespace

TEST_CASE("a broken witness file fails its job with the rule's name and nothing else") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bn254, 6, 1);
  const auto daemon = start_daemon(folder.path());
  auto client = connect(daemon);
  add_circuit(client, "good", files);
  int number = 0;
  for (const auto& [what, change, name] : broken_witnesses()) {
    INFO(what);
    const auto bad = changed_copy(files.witnesses[0], folder.path() / "bad.wtns", change);
    const auto ended = run_job(client, request_for("bad-" + std::to_string(number++), "good", {bad}));
    CHECK(ended.state() == v1::FAILED);
    CHECK(ended.failure().name() == name);
    CHECK(ended.failure().text().find(".wtns") != std::string::npos);
  }
  CHECK(run_job(client, request_for("good", "good", files.witnesses)).state() == v1::DONE);
}

TEST_CASE("a broken key file fails its job with the rule's name, and jobs beside it end well") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bn254, 6, 1);
  const auto daemon = start_daemon(folder.path());
  auto client = connect(daemon);
  add_circuit(client, "good", files);
  const std::vector<fs::path> many(20, files.witnesses[0]);
  REQUIRE(client.submit(request_for("beside", "good", many)).has_value());
  int number = 0;
  for (const auto& [what, change, name] : broken_keys()) {
    INFO(what);
    const std::string job = "bad-" + std::to_string(number++);
    v1::SubmitRequest request;
    request.set_job(job);
    request.set_key_path(changed_copy(files.zkey, folder.path() / (job + ".zkey"), change));
    request.set_allow_insecure_key(true);
    request.add_partitions()->set_path(files.witnesses[0]);
    const auto ended = run_job(client, request);
    CHECK(ended.state() == v1::FAILED);
    CHECK(ended.failure().name() == name);
  }
  CHECK(wait_for(client, "beside").state() == v1::DONE);
}

TEST_CASE("groth16ctl prove leaves no file behind when it fails, and says why") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bn254, 6, 1);
  const auto bad = changed_copy(files.witnesses[0], folder.path() / "bad.wtns", [](std::string& b) { b[3] = 'X'; });
  const fs::path out = folder.path() / "out";
  fs::create_directory(out);

  const auto outcome =
      ctl({"prove", "--private", "--allow-insecure-key", files.zkey, bad, out / "proof.json", out / "public.json"});

  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err.find("wtns.magic") != std::string::npos);
  CHECK(fs::is_empty(out));
}

TEST_CASE("where no daemon runs, prove refuses the same broken files by the same names, and writes nothing") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bn254, 6, 1);
  const fs::path out = folder.path() / "out";
  fs::create_directory(out);
  const auto check_refused = [&](const fs::path& key, const fs::path& witness, const std::string& name) {
    const auto outcome = ctl({"--runtime-dir", folder.path() / "none", "prove", "--allow-insecure-key", key, witness,
                              out / "proof.json", out / "public.json"});
    INFO(outcome.err);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err.find("[" + name + "]") != std::string::npos);
    CHECK(fs::is_empty(out));
  };
  for (const auto& [what, change, name] : broken_witnesses()) {
    INFO(what);
    check_refused(files.zkey, changed_copy(files.witnesses[0], folder.path() / "bad.wtns", change), name);
  }
  for (const auto& [what, change, name] : broken_keys()) {
    INFO(what);
    check_refused(changed_copy(files.zkey, folder.path() / "bad.zkey", change), files.witnesses[0], name);
  }
}
