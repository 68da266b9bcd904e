// doctor: users, permissions, disks and keys.
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include <filesystem>
#include <optional>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "client/ctl/examination.hpp"

namespace groth16d::ctl {
namespace {

namespace fs = std::filesystem;

constexpr double kGiB = 1024.0 * 1024 * 1024;
constexpr long kTmpfs = 0x01021994;
constexpr std::uint64_t kLeastFree = std::uint64_t{1} << 30;  // the journal and one day's log
constexpr std::size_t kMostKeys = 10'000;

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ':');) fields.push_back(field);
  return fields;
}

// The lines of /etc/passwd or /etc/group, cut at their colons.
std::vector<std::vector<std::string>> accounts(const Machine& machine, const fs::path& file) {
  std::vector<std::vector<std::string>> all;
  std::istringstream lines(machine.text(file));
  for (std::string line; std::getline(lines, line);)
    if (auto fields = fields_of(line); fields.size() >= 3) all.push_back(std::move(fields));
  return all;
}

// Of a user or a group.
unsigned id_of(const std::string& text) { return static_cast<unsigned>(number_of(text)); }

struct Account {
  uid_t user = 0;
  std::set<gid_t> groups;
};

std::optional<Account> daemon_account(const Machine& machine) {
  std::optional<Account> account;
  for (const auto& line : accounts(machine, "/etc/passwd"))
    if (line[0] == "groth16d" && line.size() >= 4) account = Account{id_of(line[2]), {id_of(line[3])}};
  if (!account) return account;
  for (const auto& line : accounts(machine, "/etc/group")) {
    if (line.size() < 4) continue;
    std::istringstream members(line[3]);
    for (std::string member; std::getline(members, member, ',');)
      if (member == "groth16d") account->groups.insert(id_of(line[2]));
  }
  return account;
}

bool may(const Account& account, const struct stat& status, mode_t right) {
  const int shift = status.st_uid == account.user ? 6 : account.groups.contains(status.st_gid) ? 3 : 0;
  return ((status.st_mode >> shift) & right) == right;
}

// The nearest folder that is there.
fs::path existing(const Machine& machine, fs::path folder) {
  while (!machine.exists(folder) && folder.has_relative_path()) folder = folder.parent_path();
  return machine.at(folder);
}

void check_disk(const Machine& machine, const std::string& key, const fs::path& folder, const std::string& bound,
                std::uint64_t bound_bytes, Findings& findings) {
  struct statvfs space {};
  const fs::path place = existing(machine, folder);
  if (::statvfs(place.c_str(), &space) != 0) {
    findings.push_back({Weight::problem, "disk", fmt::format("{} ({}) cannot be looked at", folder.string(), key), ""});
    return;
  }
  const std::uint64_t free_bytes = std::uint64_t{space.f_bavail} * space.f_frsize;
  const std::string found =
      fmt::format("{} ({}): {:.1f} GiB free", folder.string(), key, static_cast<double>(free_bytes) / kGiB);
  if (free_bytes < kLeastFree)
    findings.push_back(
        {Weight::problem, "disk", found + "; at least 1 GiB is expected", "make room there, or move " + key});
  else if (free_bytes < bound_bytes)
    findings.push_back({Weight::warning, "disk",
                        found + fmt::format("; {} allows {:.1f} GiB", bound, static_cast<double>(bound_bytes) / kGiB),
                        fmt::format("lower {}, or move {}", bound, key)});
  else
    findings.push_back({Weight::fine, "disk", found, ""});
}

bool is_key(const fs::path& file) {
  const std::string end = file.extension().string();
  return end == ".zkey" || end == ".params" || end == ".r1cs";
}

}  // namespace

void check_permissions(const Machine& machine, const Wanted& wanted, Findings& findings) {
  const auto account = daemon_account(machine);
  if (!account) {
    findings.push_back({Weight::problem, "permissions", "there is no user groth16d",
                        "systemd-sysusers, or reinstall the package groth16d"});
    return;
  }
  std::set<std::string> groups;
  for (const auto& line : accounts(machine, "/etc/group")) groups.insert(line[0]);
  for (const std::string group : {"groth16d-clients", "groth16d-operators"})
    if (!groups.contains(group))
      findings.push_back({Weight::problem, "permissions", "there is no group " + group,
                          "systemd-sysusers, or reinstall the package groth16d"});
  struct stat status {};
  if (::stat(machine.at(wanted.state_dir).c_str(), &status) == 0) {
    if (!may(*account, status, 7))
      findings.push_back({Weight::problem, "permissions", wanted.state_dir.string() + " is not the daemon's to write",
                          "chown -R groth16d:groth16d " + wanted.state_dir.string()});
    else if ((status.st_mode & 077) != 0)
      findings.push_back({Weight::warning, "permissions",
                          wanted.state_dir.string() + " is open to others: witnesses wait there",
                          "chmod 0700 " + wanted.state_dir.string()});
    else
      findings.push_back({Weight::fine, "permissions", wanted.state_dir.string() + " is the daemon's alone", ""});
  }
  if (::stat(machine.at(wanted.runtime_dir / "client.sock").c_str(), &status) == 0 && (status.st_mode & 0007) != 0)
    findings.push_back({Weight::warning, "permissions", "everybody may open client.sock",
                        "SocketMode=0660 in groth16d-client.socket"});
}

void check_disks(const Machine& machine, const Wanted& wanted, Findings& findings) {
  check_disk(machine, "state_dir", wanted.state_dir, "max_spool", wanted.max_spool_bytes, findings);
  if (wanted.cache_max_bytes > 0)
    check_disk(machine, "cache_dir", wanted.cache_dir, "cache_max", wanted.cache_max_bytes, findings);
  struct statfs system {};
  if (::statfs(existing(machine, wanted.state_dir).c_str(), &system) == 0 && system.f_type == kTmpfs)
    findings.push_back({Weight::problem, "disk",
                        wanted.state_dir.string() + " (state_dir) is in memory: a reboot loses accepted jobs",
                        "move state_dir to a disk"});
}

void check_keys(const Machine& machine, const Wanted& wanted, Findings& findings) {
  const auto account = daemon_account(machine);
  if (wanted.roots.empty()) {
    findings.push_back({Weight::note, "keys", "no roots are configured: circuits cannot be registered",
                        "roots = [\"/srv/groth16d\"] in " + wanted.config_file.string()});
    return;
  }
  std::size_t keys = 0;
  for (const fs::path& root : wanted.roots) {
    struct stat status {};
    if (::stat(machine.at(root).c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
      findings.push_back(
          {Weight::problem, "keys", root.string() + " (roots) is no folder", "mkdir -p " + root.string()});
      continue;
    }
    std::error_code error;
    auto entry =
        fs::recursive_directory_iterator(machine.at(root), fs::directory_options::skip_permission_denied, error);
    for (; !error && entry != fs::recursive_directory_iterator() && keys < kMostKeys; entry.increment(error)) {
      const std::string shown = (root / entry->path().lexically_relative(machine.at(root))).string();
      if (!is_key(entry->path())) continue;
      ++keys;
      if (entry->is_symlink(error))
        findings.push_back({Weight::warning, "keys", shown + " is a symbolic link, which is not followed",
                            "put the file itself there"});
      else if (account && ::stat(entry->path().c_str(), &status) == 0 && !may(*account, status, 4))
        findings.push_back({Weight::problem, "keys", shown + " cannot be read by groth16d", "chmod a+r " + shown});
    }
  }
  findings.push_back({Weight::fine, "keys", fmt::format("{} key and constraint files below the roots", keys), ""});
}

}  // namespace groth16d::ctl
