#include "workers/load/file_identity.hpp"

#include <sys/stat.h>

#include "common/posix.hpp"

namespace groth16d::worker {

namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;
// A kernel stamps files with the time of its last tick: 10 ms at most.
constexpr std::int64_t kTick_ns = kSecond_ns / 10;
// File systems that keep whole seconds only.
constexpr std::int64_t kCoarse_ns = 2 * kSecond_ns;

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * kSecond_ns + time.tv_nsec; }

}  // namespace

Result<FileIdentity> identity_of(int fd, const std::string& name) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return system_failure("fstat", name);
  FileIdentity identity;
  identity.device = status.st_dev;
  identity.inode = status.st_ino;
  identity.size_bytes = static_cast<std::uint64_t>(status.st_size);
  identity.mtime_ns = nanoseconds(status.st_mtim);
  identity.ctime_ns = nanoseconds(status.st_ctim);
  return identity;
}

bool settled(const FileIdentity& identity, std::int64_t now_ns) {
  const std::int64_t least = identity.ctime_ns % kSecond_ns == 0 ? kCoarse_ns : kTick_ns;
  return now_ns - identity.ctime_ns >= least;
}

}  // namespace groth16d::worker
