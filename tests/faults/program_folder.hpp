// ProgramFolder: the programs of this build as hard links in a folder of a test's own. groth16d starts the workers that
// lie beside it, so whatever stands in this folder under a worker's name is that worker; and every process of one
// test's daemon, and none of another's, has its executable in here.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace groth16d::faults {

namespace fs = std::filesystem;

// What stands in for the prove stage: a script in place of groth16-cpu, or a GPU worker on a card that does not exist.
enum class ProveStage { real, scripted, fake_card };

class ProgramFolder {
 public:
  explicit ProgramFolder(ProveStage prove = ProveStage::real);
  ~ProgramFolder();
  ProgramFolder(const ProgramFolder&) = delete;
  ProgramFolder& operator=(const ProgramFolder&) = delete;

  const fs::path& path() const { return path_; }
  fs::path daemon() const { return path_ / "groth16d"; }

  // Replaces the rules of the scripted prove stage (prove_script.hpp) from the next assignment on.
  void script(const std::string& text) const;
  // How many assignments the scripted prove stage has had.
  std::uint64_t prove_calls() const;

  // Every living process whose executable lies here; zombies do not live.
  std::vector<pid_t> processes() const;

 private:
  fs::path path_;
};

}  // namespace groth16d::faults
