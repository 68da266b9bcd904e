// doctor: kernel, memory, limits, cgroup and cards, from /proc, /sys and /dev.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "client/ctl/examination.hpp"

namespace groth16d::ctl {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

// "Name:   12 kB" lines of /proc/meminfo, in bytes.
std::map<std::string, std::uint64_t> meminfo(const Machine& machine) {
  std::map<std::string, std::uint64_t> values;
  std::istringstream lines(machine.text("/proc/meminfo"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t kib = 0;
    if (words >> name >> kib) values[name.substr(0, name.size() - 1)] = kib << 10;
  }
  return values;
}

// The soft limit of that name in /proc/PID/limits; "" where there is none.
std::string limit_of(const std::string& limits, const std::string& name) {
  std::istringstream lines(limits);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name)) continue;
    std::istringstream words(line.substr(name.size()));
    std::string soft;
    words >> soft;
    return soft;
  }
  return "";
}

std::set<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

std::vector<std::string> card_uuids(const Machine& machine) {
  std::vector<std::string> uuids;
  std::error_code error;
  for (const auto& card : fs::directory_iterator(machine.at("/proc/driver/nvidia/gpus"), error)) {
    std::istringstream lines(
        machine.text(fs::path("/proc/driver/nvidia/gpus") / card.path().filename() / "information"));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("GPU UUID:")) continue;
      const std::size_t begin = line.find("GPU-");
      uuids.push_back(begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(" \t") + 1 - begin));
    }
  }
  std::sort(uuids.begin(), uuids.end());
  return uuids;
}

}  // namespace

void check_kernel(const Machine& machine, Findings& findings) {
  const std::string release = machine.text("/proc/sys/kernel/osrelease");
  unsigned major = 0, minor = 0;
  if (std::sscanf(release.c_str(), "%u.%u", &major, &minor) != 2) {
    findings.push_back({Weight::problem, "kernel", "/proc/sys/kernel/osrelease cannot be read", "is /proc mounted?"});
    return;
  }
  const unsigned version = major * 1000 + minor;
  const std::string found = fmt::format("Linux {}.{}", major, minor);
  if (version < 5009)
    findings.push_back({Weight::problem, "kernel", found + "; 5.9 or later is expected (pidfd, openat2, close_range)",
                        "boot Debian 12's kernel"});
  else if (version < 5019)
    findings.push_back({Weight::note, "kernel", found + " does not tell a cgroup's peak of memory; 5.19 does",
                        "reservations are then learned from the processes' own peaks"});
  else
    findings.push_back({Weight::fine, "kernel", found, ""});
  const std::string cpu = machine.text("/proc/cpuinfo");
  const bool ifma = cpu.find(" avx512ifma") != std::string::npos, adx = cpu.find(" adx") != std::string::npos;
  if (ifma || adx)
    findings.push_back({Weight::fine, "kernel", std::string("arithmetic at level ") + (ifma ? "ifma" : "adx"), ""});
  else
    findings.push_back({Weight::note, "kernel", "the processor has neither AVX-512 IFMA nor ADX: portable arithmetic",
                        "proofs take several times as long as on a newer processor"});
}

void check_memory(const Machine& machine, Findings& findings) {
  auto memory = meminfo(machine);
  if (memory["MemTotal"] == 0) {
    findings.push_back({Weight::problem, "memory", "/proc/meminfo cannot be read", "is /proc mounted?"});
    return;
  }
  const double total_gib = static_cast<double>(memory["MemTotal"]) / kGiB;
  const double free_gib = static_cast<double>(memory["MemAvailable"]) / kGiB;
  findings.push_back(
      {memory["MemTotal"] < 2 * kGiB ? Weight::warning : Weight::fine, "memory",
       fmt::format("{:.1f} GiB, {:.1f} GiB available", total_gib, free_gib),
       memory["MemTotal"] < 2 * kGiB ? "only small circuits fit: docs/OPERATIONS.md, section Sizing" : ""});
  if (memory["SwapTotal"] > 0)
    findings.push_back({Weight::warning, "memory",
                        "there is swap: outside the unit's MemorySwapMax=0 a witness could get there",
                        "keep the slice's MemorySwapMax=0, or encrypt the swap"});
  const std::string shmem = machine.text("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
  if (shmem.find("[never]") != std::string::npos || shmem.find("[deny]") != std::string::npos)
    findings.push_back(
        {Weight::note, "memory", "shared memory gets no huge pages: keys are mapped by pages of 4 KiB",
         "echo advise > /sys/kernel/mm/transparent_hugepage/shmem_enabled, and so at boot by tmpfiles.d"});
}

void check_limits(const Machine& machine, const Wanted& wanted, Findings& findings) {
  const auto pid = machine.daemon(wanted.runtime_dir);
  if (!pid) {
    findings.push_back({Weight::note, "limits", "no daemon runs: its limits are those of groth16d.service", ""});
    return;
  }
  const std::string limits = machine.text(fs::path("/proc") / std::to_string(*pid) / "limits");
  const std::string files = limit_of(limits, "Max open files"), locked = limit_of(limits, "Max locked memory");
  if (files != "unlimited" && number_of(files) < 4'096)
    findings.push_back(
        {Weight::warning, "limits",
         fmt::format("the daemon may open {} files; 4096 or more are expected: 3 a partition in flight", files),
         "LimitNOFILE=65536 in groth16d.service"});
  if (wanted.gpu_slots > 0 && locked != "unlimited")
    findings.push_back(
        {Weight::problem, "limits",
         fmt::format("the daemon may lock {} bytes; keys are registered with the card, which locks them", locked),
         "LimitMEMLOCK=infinity in groth16d.service"});
  if (limit_of(limits, "Max core file size") != "0")
    findings.push_back({Weight::warning, "limits", "the daemon may write a core, which would hold witnesses",
                        "LimitCORE=0 in groth16d.service"});
  findings.push_back({Weight::fine, "limits", fmt::format("daemon {}: {} open files", *pid, files), ""});
}

void check_cgroup(const Machine& machine, const Wanted& wanted, Findings& findings) {
  const std::string controllers = machine.text("/sys/fs/cgroup/cgroup.controllers");
  if (controllers.empty()) {
    const bool v1 = machine.exists("/sys/fs/cgroup/memory");
    findings.push_back({v1 ? Weight::note : Weight::warning, "cgroup",
                        v1 ? "cgroup v1: workers have limits only in a cgroup that the key `cgroup` names"
                           : "no memory controller: workers have no limits of their own",
                        "boot with systemd.unified_cgroup_hierarchy=1"});
    return;
  }
  if (!words_of(controllers).contains("memory")) {
    findings.push_back({Weight::warning, "cgroup",
                        "cgroup v2 without its memory controller: workers have no limits of their own",
                        "boot without cgroup_disable=memory"});
    return;
  }
  const auto pid = machine.daemon(wanted.runtime_dir);
  if (!pid) {
    findings.push_back({Weight::fine, "cgroup", "v2 with its memory controller", ""});
    return;
  }
  // "0::/groth16d.slice/groth16d.service/supervisor": the daemon has a leaf beside its workers'.
  const std::string own = machine.text(fs::path("/proc") / std::to_string(*pid) / "cgroup");
  const bool delegated = own.find("/supervisor\n") != std::string::npos;
  findings.push_back(
      {delegated ? Weight::fine : Weight::warning, "cgroup",
       delegated ? "v2, delegated to the daemon" : "the daemon's cgroup is not delegated to it: workers have no limits",
       delegated ? "" : "Delegate=memory pids cpu cpuset in groth16d.service, cgroup = \"auto\""});
}

void check_cards(const Machine& machine, const Wanted& wanted, Findings& findings) {
  const std::string driver = machine.text("/proc/driver/nvidia/version");
  const auto uuids = card_uuids(machine);
  if (wanted.gpu_slots == 0) {
    if (!uuids.empty())
      findings.push_back({Weight::note, "cards", fmt::format("{} cards, and no gpu slot is configured", uuids.size()),
                          "slots.gpu, or gpu.devices, and the package groth16d-cuda"});
    return;
  }
  if (driver.empty()) {
    findings.push_back({Weight::problem, "cards", "gpu slots are configured, and the NVIDIA driver is not loaded",
                        "install the driver; `modprobe nvidia` says what is wrong with it"});
    return;
  }
  findings.push_back({Weight::fine, "cards", driver.substr(0, driver.find('\n')), ""});
  for (const char* node : {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0"})
    if (!machine.exists(node))
      findings.push_back({Weight::problem, "cards", fmt::format("{} is not there, and the daemon cannot make it", node),
                          "nvidia-modprobe -c 0 -u before groth16d.service; nvidia-persistenced does it at boot"});
  for (const std::string& device : wanted.gpu_devices)
    if (device.starts_with("GPU-") && std::ranges::find(uuids, device) == uuids.end())
      findings.push_back({Weight::problem, "cards",
                          fmt::format("gpu.devices names {}, which is not in this machine", device),
                          "nvidia-smi -L lists the cards"});
  if (uuids.size() < wanted.gpu_slots)
    findings.push_back({Weight::problem, "cards",
                        fmt::format("{} gpu slots and {} cards", wanted.gpu_slots, uuids.size()),
                        "one card a slot: lower slots.gpu"});
  if (!machine.exists("/usr/libexec/groth16d/groth16-gpu"))
    findings.push_back({Weight::problem, "cards", "gpu slots are configured, and groth16-gpu is not installed",
                        "apt install groth16d-cuda"});
}

}  // namespace groth16d::ctl
