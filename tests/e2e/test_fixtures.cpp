// Circuits, keys, witnesses and proofs of third parties, too large for the repository: $GROTH16D_TEST_DATA names the
// folder that holds fixtures/, or that folder itself. Where it is not set, this program says so and is skipped.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>

#include "common/posix.hpp"
#include "tests/e2e/run_program.hpp"
#include "tests/e2e/scene.hpp"

using namespace groth16d;
using namespace groth16d::e2e;

namespace {

constexpr std::uint64_t kMaxTextBytes = std::uint64_t{16} << 20;

fs::path fixtures() {
  const char* named = std::getenv("GROTH16D_TEST_DATA");
  if (named == nullptr || *named == '\0') return {};
  const fs::path folder(named);
  return fs::canonical(fs::is_directory(folder / "fixtures") ? folder / "fixtures" : folder);
}

std::string text_of(const fs::path& file) {
  const auto text = read_text_file(file, kMaxTextBytes);
  REQUIRE(text.has_value());
  return *text;
}

}  // namespace

TEST_CASE("every third-party fixture is proven by the daemon and verified both ways") {
  const fs::path root = fixtures();
  if (root.empty()) {
    std::cout << "skipped: GROTH16D_TEST_DATA is not set\n";
    return;
  }
  const auto daemon = start_daemon(root, 1, 1, 1);
  auto client = connect(daemon);
  int proven = 0;
  for (const auto& entry : fs::directory_iterator(root)) {
    const fs::path place = entry.path();
    if (!fs::exists(place / "circuit_final.zkey")) continue;
    const std::string name = place.filename().string();
    INFO(name);
    add_circuit(client, name, {place / "circuit_final.zkey", place / "circuit.r1cs", {}, {}});
    const auto ended = run_job(client, request_for(name, name, {place / "witness.wtns"}));
    INFO(ended.failure().text());
    REQUIRE(ended.state() == v1::DONE);
    const auto result = checked_result(client, name, place / "verification_key.json");
    CHECK(result.partitions(0).public_json() == text_of(place / "public.json"));
    CHECK(ctl({"verify", place / "verification_key.json", place / "public.json", place / "proof.json"}).exit_code == 0);
    ++proven;
  }
  CHECK(proven > 0);
}
