#include "workers/load/key_cache.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "common/digest.hpp"
#include "common/failpoint.hpp"
#include "common/posix.hpp"

namespace groth16d::worker {

namespace {

namespace fs = std::filesystem;
using groth16::Compute;

constexpr std::string_view kEntrySuffix = ".circuit";
constexpr std::string_view kTemporaryPrefix = ".writing-";

// Of the file system: it may hold the journal and the spool, too.
constexpr std::uint64_t kShareKeptFree = 16;

// Between two of these the disk is waited for, so that no single wait is long enough to look like a hang.
constexpr std::size_t kSyncEveryBytes = std::size_t{64} << 20;

std::string entry_name(const SourceIdentity& source) {
  static_assert(std::has_unique_object_representations_v<SourceIdentity>);
  return to_hex(sha256(std::as_bytes(std::span(&source, 1)))) + std::string(kEntrySuffix);
}

// Ours alone to write.
bool is_trusted(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

UniqueFd open_in(int folder, const std::string& name, int flags) {
  return UniqueFd(::openat(folder, name.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
}

// ---------------------------------------------------------------- reading

// One payload, in pieces by all threads; a piece is hashed where it has just been put, while it is in the core's cache.
Result<Checksum> read_payload(int fd, std::uint64_t offset, std::span<std::byte> out, const std::string& name,
                              const Compute& compute) {
  PayloadChecksum checksum(out.size());
  std::atomic<bool> failed{false};
  compute.parallel_for(checksum.pieces(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t piece = begin; piece < end && !failed; ++piece) {
      const std::uint64_t at = piece * PayloadChecksum::kPieceBytes;
      const auto part = out.subspan(at, PayloadChecksum::piece_of(out, piece).size());
      if (!read_exact_at(fd, part, offset + at, name)) failed = true;
      checksum.put(piece, part);
    }
  });
  if (compute.cancelled()) return failure(ErrorCode::cancelled, "cancelled", name + ": reading was cancelled");
  if (failed) return failure(ErrorCode::malformed, "cache.damaged", name + ": cannot be read");
  return checksum.finish();
}

Result<CacheHeader> read_cache_header(int fd, const std::string& name) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return system_failure("fstat", name);
  if (!S_ISREG(status.st_mode) || !is_trusted(status))
    return failure(ErrorCode::denied, "cache.owner", name + ": is not ours, or others may write to it");
  CachePage page;
  if (auto read = read_exact_at(fd, page, 0, name); !read) return tl::unexpected(read.error());
  return parse_cache_header(page, static_cast<std::uint64_t>(status.st_size));
}

// ---------------------------------------------------------------- writing

Result<void> write_at(int fd, std::span<const std::byte> bytes, std::uint64_t offset, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return system_failure("pwrite", name);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
  return {};
}

Result<void> write_payload(int fd, std::uint64_t offset, std::span<const std::byte> payload, const std::string& name,
                           const Compute& compute) {
  while (!payload.empty()) {
    if (Result<void> wanted = unless_cancelled(compute); !wanted) return wanted;
    if (GROTH16D_FAILPOINT("cache.write")) return system_failure("pwrite", name, EIO);
    const auto part = payload.first(std::min(payload.size(), kSyncEveryBytes));
    if (auto done = write_at(fd, part, offset, name); !done) return done;
    if (::fdatasync(fd) != 0) return system_failure("fdatasync", name);
    payload = payload.subspan(part.size());
    offset += part.size();
    compute.beat();
  }
  return {};
}

Result<void> reserve(int fd, std::uint64_t bytes, const std::string& name) {
  int error = GROTH16D_FAILPOINT("cache.reserve") ? ENOSPC : EINTR;
  while (error == EINTR) error = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes));
  return error == 0 ? Result<void>() : system_failure("posix_fallocate", name, error);
}

std::string temporary_name() {
  std::uint64_t random = 0;
  while (::getrandom(&random, sizeof random, 0) != sizeof random) {
  }
  return fmt::format("{}{:016x}", kTemporaryPrefix, random);
}

// ---------------------------------------------------------------- the folder's contents

// Held between the making of a temporary file and its lock, and while others look for files without one.
class FolderLock {
 public:
  explicit FolderLock(int folder) : folder_(folder) {
    while (::flock(folder_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() { ::flock(folder_, LOCK_UN); }

 private:
  int folder_;
};

// A new temporary file, locked. Invalid, with errno, where it cannot be made.
UniqueFd make_temporary(int folder, const std::string& name) {
  const FolderLock lock(folder);
  UniqueFd fd = open_in(folder, name, O_RDWR | O_CREAT | O_EXCL);
  if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) fd.reset();
  return fd;
}

struct FolderFile {
  std::string name;
  std::uint64_t bytes = 0;
  std::int64_t used_at_s = 0;
  std::int64_t used_at_ns = 0;
};

std::vector<FolderFile> files_in(const fs::path& path, int folder) {
  std::vector<FolderFile> files;
  std::error_code error;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    struct stat status {};
    if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!name.ends_with(kEntrySuffix) && !name.starts_with(kTemporaryPrefix)) continue;
    files.push_back(
        {name, static_cast<std::uint64_t>(status.st_blocks) * 512, status.st_mtim.tv_sec, status.st_mtim.tv_nsec});
  }
  return files;
}

}  // namespace

Result<void> CachedCircuit::read(std::span<std::byte> key, std::span<std::byte> r1cs, const Compute& compute) const {
  (void)::posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);  // advice: its failure costs time only
  for (const auto& [offset, out, expected] : {std::tuple{header_.key_offset, key, header_.circuit.key_checksum},
                                              std::tuple{header_.r1cs_offset, r1cs, header_.circuit.r1cs_checksum}}) {
    const auto found = read_payload(fd_.get(), offset, out, name_, compute);
    if (!found) return tl::unexpected(found.error());
    if (*found != expected)
      return failure(ErrorCode::malformed, "cache.damaged", name_ + ": a payload differs from its checksum");
  }
  return check_contents(header_.circuit.summary, key, r1cs);
}

Result<KeyCache> KeyCache::open(const fs::path& folder, std::uint64_t max_bytes) {
  auto fd = open_file(folder.string(), O_RDONLY | O_DIRECTORY);
  if (!fd) return tl::unexpected(fd.error());
  struct stat status {};
  if (::fstat(fd->get(), &status) != 0) return system_failure("fstat", folder.string());
  if (!is_trusted(status)) {
    return failure(ErrorCode::denied, "cache.folder",
                   folder.string() + ": belongs to another user, or others may write to it");
  }
  KeyCache cache(folder, std::move(*fd), max_bytes);
  cache.sweep();
  return cache;
}

std::optional<CachedCircuit> KeyCache::find(const SourceIdentity& source) const {
  if (!is_on()) return std::nullopt;
  const std::string name = entry_name(source);
  UniqueFd fd = open_in(folder_.get(), name, O_RDONLY);
  if (!fd) return std::nullopt;
  const auto header = read_cache_header(fd.get(), name);
  const bool good = header && header->source == source;
  if (!good) {
    spdlog::warn("{}: of no use: {}", (path_ / name).string(), header ? "it is of other files" : header.error().text);
    remove(source);
    return std::nullopt;
  }
  (void)::futimens(fd.get(), nullptr);  // most recently used; where it fails, the entry merely looks older
  return CachedCircuit(std::move(fd), (path_ / name).string(), *header);
}

void KeyCache::remove(const SourceIdentity& source) const {
  const std::string name = entry_name(source);
  if (is_on() && ::unlinkat(folder_.get(), name.c_str(), 0) != 0 && errno != ENOENT)
    spdlog::warn("{}", system_failure("unlink", (path_ / name).string()).value().text);
}

// A writer holds a lock on its temporary file: one that can be locked has no writer any more.
void KeyCache::sweep() const {
  const FolderLock lock(folder_.get());
  for (const FolderFile& file : files_in(path_, folder_.get())) {
    if (!file.name.starts_with(kTemporaryPrefix)) continue;
    const UniqueFd fd = open_in(folder_.get(), file.name, O_RDONLY);
    if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) ::unlinkat(folder_.get(), file.name.c_str(), 0);
  }
}

Result<void> KeyCache::make_room(std::uint64_t bytes) const {
  if (bytes > max_bytes_) {
    return failure(ErrorCode::too_large, "cache.too_large",
                   fmt::format("{} bytes, above the cache's bound of {}", bytes, max_bytes_));
  }
  std::vector<FolderFile> files = files_in(path_, folder_.get());
  std::ranges::sort(files, {}, [](const FolderFile& file) { return std::pair(file.used_at_s, file.used_at_ns); });
  std::uint64_t total_bytes = bytes;
  for (const FolderFile& file : files) total_bytes += file.bytes;
  for (const FolderFile& file : files) {
    if (total_bytes <= max_bytes_) break;
    if (file.name.starts_with(kTemporaryPrefix)) continue;
    if (::unlinkat(folder_.get(), file.name.c_str(), 0) != 0 && errno != ENOENT)
      return system_failure("unlink", (path_ / file.name).string());
    spdlog::info("{}: evicted to make room", (path_ / file.name).string());
    total_bytes -= file.bytes;
  }
  struct statvfs disk {};
  if (::fstatvfs(folder_.get(), &disk) != 0) return system_failure("statvfs", path_.string());
  const std::uint64_t free_bytes = disk.f_bavail * disk.f_frsize;
  const std::uint64_t kept_bytes = disk.f_blocks * disk.f_frsize / kShareKeptFree;
  if (free_bytes >= bytes + kept_bytes) return {};
  return failure(ErrorCode::unavailable, "cache.no_space",
                 fmt::format("{}: {} bytes are free, {} are needed and {} stay for others", path_.string(), free_bytes,
                             bytes, kept_bytes));
}

Result<void> KeyCache::write(const CacheHeader& header, int fd, std::span<const std::byte> key,
                             std::span<const std::byte> r1cs, const Compute& compute) const {
  const std::string name = path_.string();
  if (auto reserved = reserve(fd, header.file_bytes, name); !reserved) return reserved;
  if (auto written = write_payload(fd, header.key_offset, key, name, compute); !written) return written;
  if (auto written = write_payload(fd, header.r1cs_offset, r1cs, name, compute); !written) return written;
  if (auto written = write_at(fd, seal_cache_header(header), 0, name); !written) return written;
  if (::fsync(fd) != 0) return system_failure("fsync", name);
  return {};
}

Result<void> KeyCache::store(const SourceIdentity& source, const PreparedCircuit& circuit,
                             std::span<const std::byte> key, std::span<const std::byte> r1cs,
                             const Compute& compute) const {
  if (!is_on()) return {};
  const CacheHeader header = make_cache_header(source, circuit);
  sweep();
  if (auto room = make_room(header.file_bytes); !room) return room;
  const std::string temporary = temporary_name();
  const UniqueFd fd = make_temporary(folder_.get(), temporary);
  if (!fd) return system_failure("open", (path_ / temporary).string());
  Result<void> done = write(header, fd.get(), key, r1cs, compute);
  GROTH16D_FAILPOINT("cache.before_rename");
  if (done && ::renameat(folder_.get(), temporary.c_str(), folder_.get(), entry_name(source).c_str()) != 0)
    done = system_failure("rename", (path_ / temporary).string());
  if (!done) {
    ::unlinkat(folder_.get(), temporary.c_str(), 0);
    return done;
  }
  if (::fsync(folder_.get()) != 0) return system_failure("fsync", path_.string());
  return {};
}

}  // namespace groth16d::worker
