// A real memory cgroup for tests (v1, as this kind of machine has it): made under the root of the hierarchy, and gone
// with its owner. Where none can be made the test says why and ends.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace groth16d {

class MemoryCgroup {
 public:
  // nullopt: not here; `why` says so.
  static std::optional<MemoryCgroup> make(std::string& why) {
    const std::filesystem::path root = "/sys/fs/cgroup/memory";
    if (!std::filesystem::exists(root / "memory.limit_in_bytes")) {
      why = "there is no cgroup v1 memory hierarchy";
      return std::nullopt;
    }
    static int number = 0;
    const auto folder = root / ("groth16d-test-" + std::to_string(::getpid()) + "-" + std::to_string(number++));
    if (::mkdir(folder.c_str(), 0755) != 0) {
      why = folder.string() + ": " + std::strerror(errno);
      return std::nullopt;
    }
    return MemoryCgroup(folder);
  }
  MemoryCgroup(MemoryCgroup&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
  MemoryCgroup& operator=(MemoryCgroup&&) = delete;
  ~MemoryCgroup() {
    if (folder_.empty()) return;
    for (int turn = 0; turn < 200; ++turn) {  // processes that were killed are on their way out
      std::error_code ignored;
      for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored))
        if (entry.is_directory(ignored)) ::rmdir(entry.path().c_str());
      if (::rmdir(folder_.c_str()) == 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  const std::filesystem::path& folder() const { return folder_; }
  bool limit(std::uint64_t bytes) const {
    std::ofstream file(folder_ / "memory.limit_in_bytes");
    file << bytes << std::flush;
    return file.good();
  }

 private:
  explicit MemoryCgroup(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
};

// A cgroup, or nothing and the reason in the test's output.
inline std::optional<MemoryCgroup> memory_cgroup_or_skip() {
  std::string why;
  auto cgroup = MemoryCgroup::make(why);
  if (!cgroup) WARN("skipped: " + why);
  return cgroup;
}

// What the kernel logs from now on: deaths that follow one another within a millisecond keep their order only here.
class KernelLog {
 public:
  KernelLog() : file_(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)) { ::lseek(file_, 0, SEEK_END); }
  KernelLog(const KernelLog&) = delete;
  KernelLog& operator=(const KernelLog&) = delete;
  ~KernelLog() { ::close(file_); }

  bool readable() const { return file_ >= 0; }  // root alone may read it, and not in every container

  // The records since the last call, one read(2) each.
  std::string take() const {
    std::string text;
    std::vector<char> record(8192);
    for (ssize_t bytes = 0; (bytes = ::read(file_, record.data(), record.size())) > 0;)
      text.append(record.data(), static_cast<std::size_t>(bytes));
    return text;
  }

 private:
  int file_;
};

// Fills a cgroup with memory until a process is gone. The kernel takes a worker before a filler, which is smaller than
// what +200 adds to a worker's score, and a filler before the supervisor, which is smaller still.
class Fillers {
 public:
  // In `folder`, together at most `most_bytes`: three quarters at once, and then a step each `pause`. They go when
  // process `victim` ends, or when this is destroyed. With kInOrder deaths are far enough apart to be logged in their
  // order.
  static constexpr std::chrono::milliseconds kAtOnce{0}, kInOrder{40};
  Fillers(const std::filesystem::path& folder, std::uint64_t most_bytes, pid_t victim,
          std::chrono::milliseconds pause) {
    const std::string procs = (folder / "cgroup.procs").string();
    const int life = static_cast<int>(::syscall(SYS_pidfd_open, victim, 0));
    for (std::uint64_t bytes = 0; bytes < most_bytes; bytes += kEach) {
      const pid_t pid = ::fork();
      if (pid == 0) fill(procs.c_str(), life, pause);
      pids_.push_back(pid);
    }
    ::close(life);
  }
  Fillers(const Fillers&) = delete;
  Fillers& operator=(const Fillers&) = delete;
  ~Fillers() {
    for (const pid_t pid : pids_) ::kill(pid, SIGKILL);
    for (const pid_t pid : pids_) ::waitpid(pid, nullptr, 0);
  }

 private:
  // All fillers' steps together are less than the smallest worker gives back, so the last death is enough for them.
  static constexpr std::size_t kStep = std::size_t{16} << 10;
  static constexpr std::size_t kEach = std::size_t{24} << 20;
  static constexpr std::size_t kFirst = kEach / 4 * 3;

  // A pidfd knows of a death before it is reaped, which on a loaded machine takes a while.
  static bool lives(int life, std::chrono::milliseconds wait) {
    pollfd end{life, POLLIN, 0};
    return ::poll(&end, 1, static_cast<int>(wait.count())) == 0;
  }

  [[noreturn]] static void fill(const char* procs, int life, std::chrono::milliseconds pause) {
    const int join = ::open(procs, O_WRONLY);
    if (::write(join, "0", 1) != 1) ::_exit(1);
    void* place = ::mmap(nullptr, kEach, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) ::_exit(2);
    std::memset(place, 1, kFirst);
    for (std::size_t held = kFirst; held < kEach && lives(life, pause); held += kStep)
      std::memset(static_cast<char*>(place) + held, 1, kStep);
    while (lives(life, std::chrono::minutes(1))) {
    }
    ::_exit(0);  // what it held is free for who must tell of the death
  }

  std::vector<pid_t> pids_;
};

}  // namespace groth16d
