#include "tests/faults/program_folder.hpp"

#include <stdlib.h>

#include <catch2/catch.hpp>

#include "common/posix.hpp"
#include "tests/faults/kernel_view.hpp"
#include "tests/faults/prove_script.hpp"

namespace groth16d::faults {

ProgramFolder::ProgramFolder(ProveStage prove) {
  // Beside the programs: a hard link cannot leave its file system.
  const fs::path programs = GROTH16D_PROGRAMS_DIR;
  std::string name = (programs.parent_path() / "programs-XXXXXX").string();
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  path_ = fs::canonical(name);
  for (const char* program : {"groth16d", "groth16-load", "groth16-synth", "groth16-cpu", "groth16-final"}) {
    const bool replaced = prove == ProveStage::scripted && std::string(program) == "groth16-cpu";
    fs::create_hard_link(replaced ? fs::path(GROTH16D_SCRIPTED_PROVE) : programs / program, path_ / program);
  }
  if (prove == ProveStage::fake_card) fs::create_hard_link(GROTH16D_FAKE_CARD, path_ / "groth16-gpu");
  script("");
}

ProgramFolder::~ProgramFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void ProgramFolder::script(const std::string& text) const {
  REQUIRE(ProveScript::parse(text).has_value());
  REQUIRE(write_file_atomically((path_ / kScriptName).string(), text).has_value());
}

std::uint64_t ProgramFolder::prove_calls() const {
  std::error_code none_yet;
  const auto size = fs::file_size(path_ / kCallsName, none_yet);
  return none_yet ? 0 : size;
}

std::vector<pid_t> ProgramFolder::processes() const { return processes_run_from(path_); }

}  // namespace groth16d::faults
