// doctor on machines made for it, below a folder: each lack is found, weighed and answered with what to do.
#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "client/ctl/examination.hpp"
#include "tests/temporary_directory.hpp"

using namespace groth16d;
using namespace groth16d::ctl;

namespace {

namespace fs = std::filesystem;

// A machine that lacks nothing: Debian 12, cgroup v2, one card, the daemon running as ourselves.
class FakeMachine {
 public:
  FakeMachine() {
    file("proc/sys/kernel/osrelease", "6.1.0-9-amd64\n");
    file("proc/cpuinfo", "flags\t\t: fpu adx avx512ifma\n");
    file("proc/meminfo", "MemTotal: 67108864 kB\nMemAvailable: 60000000 kB\nSwapTotal: 0 kB\n");
    file("sys/kernel/mm/transparent_hugepage/shmem_enabled", "always within_size [advise] never deny force\n");
    file("sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n");
    file("run/groth16d/lock", "4242\n");
    file("proc/4242/comm", "groth16d\n");
    file("proc/4242/limits",
         "Limit                     Soft Limit           Hard Limit           Units\n"
         "Max core file size        0                    0                    bytes\n"
         "Max open files            65536                65536                files\n"
         "Max locked memory         unlimited            unlimited            bytes\n");
    file("proc/4242/cgroup", "0::/groth16d.slice/groth16d.service/supervisor\n");
    file("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54\nGCC version\n");
    file("proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: H200\nGPU UUID: \t GPU-1111\n");
    for (const char* node : {"dev/nvidiactl", "dev/nvidia-uvm", "dev/nvidia0"}) file(node, "");
    file("usr/libexec/groth16d/groth16-gpu", "");
    const std::string ids = std::to_string(::getuid()) + ":" + std::to_string(::getgid());
    file("etc/passwd", "groth16d:x:" + ids + "::/var/lib/groth16d:/usr/sbin/nologin\n");
    file("etc/group", "groth16d:x:990:\ngroth16d-clients:x:991:groth16d\ngroth16d-operators:x:992:groth16d\n");
    fs::create_directories(at("var/lib/groth16d"));
    fs::permissions(at("var/lib/groth16d"), fs::perms::owner_all);
    file("srv/keys/spend.zkey", "zkey");
    file("usr/sbin/groth16d", "#!/bin/sh\necho 'the configuration is good'\n");
    fs::permissions(at("usr/sbin/groth16d"), fs::perms::owner_all);
    config("roots = [\"/srv/keys\"]\nmax_spool = \"1 MiB\"\ncache_max = \"1 MiB\"\n[gpu]\ndevices = [\"GPU-1111\"]\n");
  }

  fs::path at(const std::string& path) const { return fs::path(folder_.path()) / path; }
  void file(const std::string& path, const std::string& text) const {
    fs::create_directories(at(path).parent_path());
    std::ofstream(at(path), std::ios::trunc) << text;
  }
  void config(const std::string& text) const { file("etc/groth16d/groth16d.toml", text); }

  Findings examined() const { return examine(Machine(folder_.path()), "/etc/groth16d/groth16d.toml"); }

  // The finding of this area and weight that holds the word.
  bool finds(Weight weight, const std::string& area, const std::string& word) const {
    const Findings findings = examined();
    return std::ranges::any_of(findings, [&](const Finding& finding) {
      return finding.weight == weight && finding.area == area && finding.text.find(word) != std::string::npos &&
             (weight < Weight::warning || !finding.advice.empty());
    });
  }

 private:
  TemporaryDirectory folder_;
};

}  // namespace

TEST_CASE("a machine that lacks nothing has no finding that weighs") {
  const FakeMachine machine;
  for (const Finding& finding : machine.examined()) {
    INFO(finding.area << ": " << finding.text);
    if (finding.text.ends_with("a reboot loses accepted jobs")) continue;  // where the test's folder is a tmpfs
    CHECK(finding.weight == Weight::fine);
  }
}

TEST_CASE("kernel and memory: too old, no cgroup, swap, pages of 4 KiB") {
  const FakeMachine machine;
  machine.file("proc/sys/kernel/osrelease", "5.4.0\n");
  CHECK(machine.finds(Weight::problem, "kernel", "5.9 or later"));
  machine.file("proc/sys/kernel/osrelease", "5.10.0\n");
  CHECK(machine.finds(Weight::note, "kernel", "peak"));
  machine.file("proc/cpuinfo", "flags: fpu\n");
  CHECK(machine.finds(Weight::note, "kernel", "portable"));
  machine.file("proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 1 kB\nSwapTotal: 1024 kB\n");
  CHECK(machine.finds(Weight::warning, "memory", "swap"));
  CHECK(machine.finds(Weight::warning, "memory", "1.0 GiB"));
  machine.file("sys/kernel/mm/transparent_hugepage/shmem_enabled", "always advise [never]\n");
  CHECK(machine.finds(Weight::note, "memory", "4 KiB"));
  machine.file("sys/fs/cgroup/cgroup.controllers", "cpu pids\n");
  CHECK(machine.finds(Weight::warning, "cgroup", "without its memory controller"));
  machine.file("proc/4242/cgroup", "0::/system.slice/groth16d.service\n");
  machine.file("sys/fs/cgroup/cgroup.controllers", "memory\n");
  CHECK(machine.finds(Weight::warning, "cgroup", "not delegated"));
}

TEST_CASE("limits of the running daemon: descriptors, locked memory, cores") {
  const FakeMachine machine;
  machine.file("proc/4242/limits",
               "Max core file size        unlimited            unlimited            bytes\n"
               "Max open files            1024                 65536                files\n"
               "Max locked memory         8388608              8388608              bytes\n");
  CHECK(machine.finds(Weight::warning, "limits", "1024 files"));
  CHECK(machine.finds(Weight::problem, "limits", "lock 8388608 bytes"));
  CHECK(machine.finds(Weight::warning, "limits", "core"));
  machine.file("proc/4242/comm", "another\n");  // the number is another's by now
  CHECK(machine.finds(Weight::note, "limits", "no daemon runs"));
}

TEST_CASE("cards: no driver, no device node, another card, fewer cards than slots, no program") {
  const FakeMachine machine;
  fs::remove(machine.at("dev/nvidia-uvm"));
  CHECK(machine.finds(Weight::problem, "cards", "/dev/nvidia-uvm"));
  fs::remove(machine.at("usr/libexec/groth16d/groth16-gpu"));
  CHECK(machine.finds(Weight::problem, "cards", "groth16-gpu"));
  machine.config("[gpu]\ndevices = [\"GPU-2222\"]\n");
  CHECK(machine.finds(Weight::problem, "cards", "GPU-2222"));
  machine.config("[slots]\ngpu = 3\n");
  CHECK(machine.finds(Weight::problem, "cards", "3 gpu slots and 1 cards"));
  fs::remove(machine.at("proc/driver/nvidia/version"));
  CHECK(machine.finds(Weight::problem, "cards", "driver is not loaded"));
  machine.config("");
  CHECK(machine.finds(Weight::note, "cards", "no gpu slot is configured"));
}

TEST_CASE("permissions, disks and keys: no user, an open state, no room, a key that cannot be read, a link") {
  const FakeMachine machine;
  fs::permissions(machine.at("var/lib/groth16d"), fs::perms::owner_all | fs::perms::others_read);
  CHECK(machine.finds(Weight::warning, "permissions", "open to others"));
  fs::permissions(machine.at("srv/keys/spend.zkey"), fs::perms::none);
  CHECK(machine.finds(Weight::problem, "keys", "/srv/keys/spend.zkey cannot be read"));
  fs::create_symlink("spend.zkey", machine.at("srv/keys/link.zkey"));
  CHECK(machine.finds(Weight::warning, "keys", "/srv/keys/link.zkey is a symbolic link"));
  machine.config("roots = [\"/srv/none\"]\nmax_spool = \"900000 TiB\"\n");
  CHECK(machine.finds(Weight::problem, "keys", "/srv/none"));
  CHECK(machine.finds(Weight::warning, "disk", "max_spool allows"));
  machine.file("etc/group", "groth16d:x:990:\n");
  CHECK(machine.finds(Weight::problem, "permissions", "no group groth16d-clients"));
  machine.file("etc/passwd", "");
  CHECK(machine.finds(Weight::problem, "permissions", "no user groth16d"));
}

TEST_CASE("configuration: the daemon's own verdict, with its line") {
  const FakeMachine machine;
  machine.file("usr/sbin/groth16d", "#!/bin/sh\necho \"groth16d: $3:2: slot: no such key\" >&2\nexit 78\n");
  CHECK(machine.finds(Weight::problem, "configuration", "groth16d.toml:2: slot"));
  fs::remove(machine.at("usr/sbin/groth16d"));
  CHECK(machine.finds(Weight::problem, "configuration", "/usr/sbin/groth16d is not there"));
  fs::remove(machine.at("etc/groth16d/groth16d.toml"));
  CHECK(machine.finds(Weight::note, "configuration", "every key has its default"));
}
