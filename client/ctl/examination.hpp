// What groth16d needs of a machine, looked at before it misses it: kernel, limits, memory, cgroup, cards, permissions,
// disks, keys and configuration. Every finding says what to do.
//
// Everything is read beneath `root`, so that an image, or a folder made by a test, can be examined like the machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"

namespace groth16d::ctl {

enum class Weight { fine, note, warning, problem };  // a problem: the daemon does not start, or cannot work
std::string_view to_string(Weight weight);

struct Finding {
  Weight weight = Weight::fine;
  std::string area;    // kernel limits memory cgroup cards permissions disk keys configuration
  std::string text;    // what was found, and what is expected
  std::string advice;  // what to do; "" where nothing is
};

// What the configuration says of the machine; defaults where there is no file.
struct Wanted {
  std::filesystem::path config_file;
  std::filesystem::path state_dir = "/var/lib/groth16d";
  std::filesystem::path runtime_dir = "/run/groth16d";
  std::filesystem::path cache_dir = "/var/lib/groth16d/cache";
  std::vector<std::filesystem::path> roots;
  std::uint64_t max_spool_bytes = std::uint64_t{64} << 30;
  std::uint64_t cache_max_bytes = std::uint64_t{96} << 30;
  std::uint64_t gpu_slots = 0;
  std::vector<std::string> gpu_devices;  // UUIDs
};

class Machine {
 public:
  explicit Machine(std::filesystem::path root) : root_(std::move(root)) {}

  std::filesystem::path at(const std::filesystem::path& path) const { return root_ / path.relative_path(); }

  // "" where there is no such file, or it cannot be read.
  std::string text(const std::filesystem::path& path) const;
  bool exists(const std::filesystem::path& path) const;

  // The daemon that runs on this runtime directory, by its lock.
  std::optional<int> daemon(const std::filesystem::path& runtime_dir) const;

 private:
  std::filesystem::path root_;
};

// The number that the text begins with; 0 where it begins with none.
std::uint64_t number_of(const std::string& text);

using Findings = std::vector<Finding>;

// The configuration as far as the examination needs it. Whether the file is good is for check_configuration to say.
Wanted read_wanted(const Machine& machine, const std::filesystem::path& config_file);

void check_kernel(const Machine& machine, Findings& findings);
void check_memory(const Machine& machine, Findings& findings);
void check_limits(const Machine& machine, const Wanted& wanted, Findings& findings);
void check_cgroup(const Machine& machine, const Wanted& wanted, Findings& findings);
void check_cards(const Machine& machine, const Wanted& wanted, Findings& findings);
void check_permissions(const Machine& machine, const Wanted& wanted, Findings& findings);
void check_disks(const Machine& machine, const Wanted& wanted, Findings& findings);
void check_keys(const Machine& machine, const Wanted& wanted, Findings& findings);
void check_configuration(const Machine& machine, const Wanted& wanted, Findings& findings);

// All of them, in that order.
Findings examine(const Machine& machine, const std::filesystem::path& config_file);

}  // namespace groth16d::ctl
