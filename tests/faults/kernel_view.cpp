#include "tests/faults/kernel_view.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>

namespace groth16d::faults {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBlockBytes = 512;  // the unit of st_blocks, whatever the file system's
constexpr std::string_view kMemfdPrefix = "/memfd:";

fs::path proc(pid_t pid) { return fs::path("/proc") / std::to_string(pid); }

std::optional<pid_t> pid_of(const fs::path& entry) {
  const std::string name = entry.filename().string();
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return pid;
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> pids;
  std::error_code error;
  for (auto entry = fs::directory_iterator("/proc", error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (const auto pid = pid_of(entry->path())) pids.push_back(*pid);
  }
  return pids;
}

// Entries of a folder of /proc that may vanish while it is read.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    entries.push_back(entry->path());
  }
  return entries;
}

std::optional<ino_t> memfd_inode(const fs::path& descriptor, Memfd& memfd) {
  std::error_code error;
  const std::string target = fs::read_symlink(descriptor, error).string();
  if (error || !target.starts_with(kMemfdPrefix)) return std::nullopt;
  struct stat status {};
  if (::stat(descriptor.c_str(), &status) != 0) return std::nullopt;
  memfd.name = target.substr(kMemfdPrefix.size(), target.find(" (deleted)") - kMemfdPrefix.size());
  memfd.bytes = static_cast<std::uint64_t>(status.st_blocks) * kBlockBytes;
  return status.st_ino;
}

// "start-end perms offset dev inode /memfd:name (deleted)"
bool maps_any(pid_t pid, const std::set<ino_t>& memfds) {
  std::ifstream maps(proc(pid) / "maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(kMemfdPrefix) == std::string::npos) continue;
    std::istringstream fields(line);
    std::string skipped;
    ino_t inode = 0;
    fields >> skipped >> skipped >> skipped >> skipped >> inode;
    if (memfds.contains(inode)) return true;
  }
  return false;
}

}  // namespace

bool is_alive(pid_t pid) {
  std::ifstream stat(proc(pid) / "stat");
  std::string line;
  if (!std::getline(stat, line)) return false;
  const std::size_t end_of_name = line.rfind(')');
  return end_of_name + 2 < line.size() && line[end_of_name + 2] != 'Z' && line[end_of_name + 2] != 'X';
}

std::vector<pid_t> processes_run_from(const fs::path& folder) {
  std::vector<pid_t> found;
  for (const pid_t pid : all_processes()) {
    std::error_code error;
    const fs::path executable = fs::read_symlink(proc(pid) / "exe", error);
    if (!error && executable.string().starts_with(folder.string() + "/") && is_alive(pid)) found.push_back(pid);
  }
  return found;
}

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  for (const fs::path& task : entries_of(proc(pid) / "task")) {
    std::ifstream list(task / "children");
    for (pid_t child = 0; list >> child;)
      if (is_alive(child)) children.push_back(child);
  }
  return children;
}

std::map<ino_t, Memfd> memfds_of(pid_t pid) {
  std::map<ino_t, Memfd> found;
  for (const fs::path& descriptor : entries_of(proc(pid) / "fd")) {
    Memfd memfd;
    if (const auto inode = memfd_inode(descriptor, memfd)) found.insert_or_assign(*inode, std::move(memfd));
  }
  return found;
}

std::uint64_t sum_of(const std::map<ino_t, Memfd>& memfds) {
  std::uint64_t bytes = 0;
  for (const auto& [inode, memfd] : memfds) bytes += memfd.bytes;
  return bytes;
}

bool anyone_holds(const std::set<ino_t>& memfds) {
  const auto holds = [&](pid_t pid) {
    const auto open = memfds_of(pid);
    return std::any_of(open.begin(), open.end(), [&](const auto& entry) { return memfds.contains(entry.first); }) ||
           maps_any(pid, memfds);
  };
  const auto pids = all_processes();
  return std::any_of(pids.begin(), pids.end(), holds);
}

std::uint64_t private_bytes_of(pid_t pid) {
  std::ifstream rollup(proc(pid) / "smaps_rollup");
  std::uint64_t pss_kib = 0, shmem_kib = 0;
  for (std::string line; std::getline(rollup, line);) {
    std::istringstream fields(line);
    std::string label;
    std::uint64_t kib = 0;
    if (!(fields >> label >> kib)) continue;
    if (label == "Pss:") pss_kib = kib;
    if (label == "Pss_Shmem:") shmem_kib = kib;
  }
  return (pss_kib - std::min(pss_kib, shmem_kib)) * 1024;
}

}  // namespace groth16d::faults
