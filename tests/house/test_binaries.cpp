// What the linked programs hold: the supervisor none of the mathematics, and only the GPU worker any CUDA. Read with
// binutils' nm and readelf, which come with the compiler.
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kPrograms = GROTH16D_PROGRAMS_DIR;
const std::string kGpuWorker = "groth16-gpu";

// Standard output of a command; the test fails where the command does.
std::string output_of(const std::string& command) {
  std::string text;
  std::array<char, 4096> chunk{};
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  for (std::size_t n = 0; (n = fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) text.append(chunk.data(), n);
  INFO(command);
  REQUIRE(pclose(pipe) == 0);
  return text;
}

std::string symbols_of(const std::string& program) {
  return output_of("nm -C '" + (kPrograms / program).string() + "'");
}

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kPrograms)) {
    if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
  }
  return names;
}

bool holds(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

}  // namespace

TEST_CASE("every program of the process tree is there") {
  for (const std::string name :
       {"groth16d", "groth16-load", "groth16-synth", "groth16-cpu", "groth16-final", "groth16ctl", "groth16-prove"}) {
    CHECK(fs::exists(kPrograms / name));
  }
}

TEST_CASE("the supervisor holds no symbol of the mathematics, and a worker does") {
  const std::string supervisor = symbols_of("groth16d");
  CHECK(holds(supervisor, "groth16d::supervisor::"));
  CHECK_FALSE(holds(supervisor, "groth16::"));
  CHECK(holds(symbols_of("groth16-final"), "groth16::"));
}

TEST_CASE("a proof without a daemon waits for no library of messages or logs") {
  const std::string linked = output_of("readelf -d -W '" + (kPrograms / "groth16-prove").string() + "'");
  CHECK(holds(linked, "libcrypto"));
  for (const char* absent : {"libzmq", "libprotobuf", "libspdlog", "libsqlite3", "libsystemd"})
    CHECK_FALSE(holds(linked, absent));
}

TEST_CASE("only the GPU worker holds device code or links CUDA") {
  for (const auto& name : programs()) {
    if (name == kGpuWorker) continue;
    const std::string path = "'" + (kPrograms / name).string() + "'";
    INFO(name);
    CHECK_FALSE(holds(output_of("readelf -S -W " + path), ".nv_fatbin"));
    CHECK_FALSE(holds(output_of("readelf -d -W " + path), "libcuda"));
  }
}
