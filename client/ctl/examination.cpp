#include "client/ctl/examination.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <memory>

#include "common/config.hpp"
#include "common/posix.hpp"

namespace groth16d::ctl {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 20;  // /proc/cpuinfo of 256 cores is 400 KB

struct Verdict {
  bool good = false;
  std::string said;  // on standard output and error
};

// The daemon's own, of a configuration file.
Verdict check_by_daemon(const std::string& daemon, const std::string& config_file) {
  const auto quoted = [](const std::string& text) {
    std::string out = "'";
    for (const char letter : text) out += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return out + "'";
  };
  const std::string command = quoted(daemon) + " --check-config --config " + quoted(config_file) + " 2>&1";
  FILE* pipe = ::popen(command.c_str(), "re");
  if (pipe == nullptr) return {false, daemon + " cannot be started"};
  Verdict verdict;
  std::array<char, 4096> piece{};
  for (std::size_t got = 0; (got = std::fread(piece.data(), 1, piece.size(), pipe)) > 0;)
    verdict.said.append(piece.data(), got);
  const int status = ::pclose(pipe);
  verdict.good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  while (!verdict.said.empty() && verdict.said.back() == '\n') verdict.said.pop_back();
  return verdict;
}

}  // namespace

std::string_view to_string(Weight weight) {
  switch (weight) {
    case Weight::fine:
      return "fine";
    case Weight::note:
      return "note";
    case Weight::warning:
      return "warning";
    case Weight::problem:
      return "problem";
  }
  return "problem";
}

std::uint64_t number_of(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string Machine::text(const fs::path& path) const {
  return read_text_file(at(path).string(), kMostBytes).value_or(std::string());
}

bool Machine::exists(const fs::path& path) const {
  std::error_code error;
  return fs::exists(at(path), error);
}

std::optional<int> Machine::daemon(const fs::path& runtime_dir) const {
  const std::string text = this->text(runtime_dir / "lock");
  int pid = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), pid).ec != std::errc() || pid <= 0) return std::nullopt;
  // The lock file of a daemon that is gone stays; its number may be another's by now.
  const std::string name = this->text(fs::path("/proc") / std::to_string(pid) / "comm");
  return name == "groth16d\n" ? std::optional(pid) : std::nullopt;
}

Wanted read_wanted(const Machine& machine, const fs::path& config_file) {
  Wanted wanted;
  wanted.config_file = config_file;
  auto file = ConfigFile::read(machine.at(config_file).string());
  if (!file) return wanted;
  wanted.state_dir = file->text("state_dir", wanted.state_dir.string());
  wanted.runtime_dir = file->text("runtime_dir", wanted.runtime_dir.string());
  wanted.cache_dir = file->text("cache_dir", "");
  if (wanted.cache_dir.empty()) wanted.cache_dir = wanted.state_dir / "cache";
  for (std::string& root : file->texts("roots", {})) wanted.roots.emplace_back(std::move(root));
  wanted.max_spool_bytes = file->bytes("max_spool", wanted.max_spool_bytes);
  wanted.cache_max_bytes = file->bytes("cache_max", wanted.cache_max_bytes);
  wanted.gpu_devices = file->texts("gpu.devices", {});
  wanted.gpu_slots = file->count("slots.gpu", wanted.gpu_devices.size(), 0, 1'000);
  return wanted;
}

void check_configuration(const Machine& machine, const Wanted& wanted, Findings& findings) {
  const std::string file = wanted.config_file.string();
  if (!machine.exists(wanted.config_file)) {
    findings.push_back({Weight::note, "configuration", file + " is not there: every key has its default",
                        "the package groth16d brings one that explains every key"});
    return;
  }
  const fs::path daemon = "/usr/sbin/groth16d";
  if (!machine.exists(daemon)) {
    findings.push_back({Weight::problem, "configuration", daemon.string() + " is not there: nothing can check " + file,
                        "apt install groth16d"});
    return;
  }
  const Verdict verdict = check_by_daemon(machine.at(daemon).string(), machine.at(wanted.config_file).string());
  if (verdict.good)
    findings.push_back({Weight::fine, "configuration", file + " is good", ""});
  else
    findings.push_back({Weight::problem, "configuration", verdict.said, "correct that line of " + file});
}

Findings examine(const Machine& machine, const fs::path& config_file) {
  const Wanted wanted = read_wanted(machine, config_file);
  Findings findings;
  check_kernel(machine, findings);
  check_memory(machine, findings);
  check_limits(machine, wanted, findings);
  check_cgroup(machine, wanted, findings);
  check_cards(machine, wanted, findings);
  check_permissions(machine, wanted, findings);
  check_disks(machine, wanted, findings);
  check_keys(machine, wanted, findings);
  check_configuration(machine, wanted, findings);
  return findings;
}

}  // namespace groth16d::ctl
