#include "common/posix.hpp"

#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

namespace groth16d {

namespace {

constexpr int kMostLinks = 40;  // as the kernel follows

// A 2 GiB call is the kernel's limit; 64 MiB keeps a cancelled copy short.
constexpr std::size_t kLargestCall_bytes = std::size_t{64} << 20;

template <class Call>
auto retry_interrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

ErrorCode code_of(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return ErrorCode::not_found;
    case ENAMETOOLONG:
      return ErrorCode::malformed;
    case EACCES:
    case EPERM:
      return ErrorCode::denied;
    case EMFILE:
    case ENFILE:
      return ErrorCode::busy;
    default:
      return ErrorCode::system;
  }
}

std::string_view directory_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
}

Result<void> require_regular(int fd, const std::string& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return system_failure("fstat", path);
  if (!S_ISREG(status.st_mode)) return failure(ErrorCode::denied, "path.not_regular", path + ": not a regular file");
  return {};
}

// `path` relative to `root`, when it lies inside by name.
std::optional<std::string> below(std::string_view root, std::string_view path) {
  while (root.size() > 1 && root.ends_with('/')) root.remove_suffix(1);
  if (root.empty() || !path.starts_with(root)) return std::nullopt;
  path.remove_prefix(root.size());
  if (!root.ends_with('/') && !path.starts_with('/')) return std::nullopt;
  while (path.starts_with('/')) path.remove_prefix(1);
  if (path.empty()) return std::nullopt;
  return std::string(path);
}

Result<void> write_and_sync(int fd, std::span<const std::byte> bytes, const std::string& name) {
  if (auto written = write_all(fd, bytes, name); !written) return written;
  if (retry_interrupted([&] { return ::fsync(fd); }) != 0) return system_failure("fsync", name);
  return {};
}

}  // namespace

tl::unexpected<Error> system_failure(std::string_view call, std::string_view object, int error_number) {
  return failure(code_of(error_number), fmt::format("system.{}", call),
                 fmt::format("{} {}: {}", call, object, std::system_category().message(error_number)));
}

Result<UniqueFd> open_file(const std::string& path, int flags, mode_t mode) {
  UniqueFd fd(retry_interrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); }));
  if (!fd) return system_failure("open", path);
  return fd;
}

Result<UniqueFd> open_beneath(const std::string& root, const std::string& path) {
  Result<UniqueFd> directory = open_file(root, O_PATH | O_DIRECTORY);
  if (!directory) return directory;
  open_how how{};
  // O_NONBLOCK: opening a FIFO must not wait for its writer; it means nothing for regular files.
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  UniqueFd fd(static_cast<int>(retry_interrupted([&] {
    // EAGAIN: a rename raced with the walk and the kernel could not tell whether it left the root.
    long result = -1;
    for (int attempt = 0; attempt < 16; ++attempt) {
      result = ::syscall(SYS_openat2, directory->get(), path.c_str(), &how, sizeof how);
      if (result >= 0 || errno != EAGAIN) break;
    }
    return result;
  })));
  if (!fd && (errno == EXDEV || errno == ELOOP)) {
    return failure(ErrorCode::denied, "path.outside_root",
                   fmt::format("{}: leads out of {} or through a symbolic link", path, root));
  }
  if (!fd) return system_failure("openat2", fmt::format("{}/{}", root, path));
  if (auto regular = require_regular(fd.get(), path); !regular) return tl::unexpected<Error>(regular.error());
  return fd;
}

Result<UniqueFd> open_inside_roots(std::span<const std::string> roots, const std::string& absolute_path) {
  for (const std::string& root : roots) {
    if (std::optional<std::string> inside = below(root, absolute_path)) return open_beneath(root, *inside);
  }
  return failure(ErrorCode::denied, "path.outside_root", absolute_path + ": not inside a configured root");
}

Result<std::uint64_t> file_size_bytes(int fd, std::string_view name) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return system_failure("fstat", name);
  return static_cast<std::uint64_t>(status.st_size);
}

Result<std::vector<std::byte>> read_all(int fd, std::uint64_t limit_bytes, std::string_view name) {
  std::vector<std::byte> bytes;
  std::array<std::byte, 16384> piece;
  while (true) {
    const ssize_t got = retry_interrupted([&] { return ::read(fd, piece.data(), piece.size()); });
    if (got < 0) return system_failure("read", name);
    if (got == 0) return bytes;
    if (static_cast<std::uint64_t>(got) > limit_bytes - bytes.size()) {
      return failure(ErrorCode::too_large, "file.too_large", fmt::format("{}: more than {} bytes", name, limit_bytes));
    }
    bytes.insert(bytes.end(), piece.begin(), piece.begin() + got);
  }
}

Result<std::string> read_text_file(const std::string& path, std::uint64_t limit_bytes) {
  Result<UniqueFd> fd = open_file(path, O_RDONLY);
  if (!fd) return tl::unexpected<Error>(fd.error());
  Result<std::vector<std::byte>> bytes = read_all(fd->get(), limit_bytes, path);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

Result<void> read_exact_at(int fd, std::span<std::byte> destination, std::uint64_t offset, std::string_view name) {
  std::size_t done = 0;
  while (done < destination.size()) {
    const std::size_t wanted = std::min(destination.size() - done, kLargestCall_bytes);
    const ssize_t got = retry_interrupted(
        [&] { return ::pread(fd, destination.data() + done, wanted, static_cast<off_t>(offset + done)); });
    if (got < 0) return system_failure("pread", name);
    if (got == 0) {
      return failure(ErrorCode::malformed, "file.truncated",
                     fmt::format("{}: ends at byte {}, expected {} bytes from {}", name, offset + done,
                                 destination.size(), offset));
    }
    done += static_cast<std::size_t>(got);
  }
  return {};
}

Result<void> write_all(int fd, std::span<const std::byte> bytes, std::string_view name) {
  while (!bytes.empty()) {
    const std::size_t piece = std::min(bytes.size(), kLargestCall_bytes);
    const ssize_t done = retry_interrupted([&] { return ::write(fd, bytes.data(), piece); });
    if (done < 0) return system_failure("write", name);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return {};
}

namespace {

Result<void> write_to_stream(const std::string& path, std::span<const std::byte> bytes) {
  Result<UniqueFd> fd = open_file(path, O_WRONLY);
  if (!fd) return tl::unexpected<Error>(fd.error());
  return write_all(fd->get(), bytes, path);
}

}  // namespace

std::string link_target(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> target(::realpath(path.c_str(), nullptr), &std::free);
  if (target) return target.get();
  std::filesystem::path at = path;  // nothing is there yet: where the links lead, as far as they do
  std::error_code error;
  for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(at, error); ++links)
    at = at.parent_path() / std::filesystem::read_symlink(at, error);
  return at;
}

bool is_stream(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return false;
  return !S_ISREG(status.st_mode) || status.st_nlink == 0;  // a file without a name, as stdout may be, has no place
}

Result<void> write_file_atomically(const std::string& name, std::span<const std::byte> bytes, mode_t mode) {
  if (is_stream(name)) return write_to_stream(name, bytes);
  const std::string path = link_target(name);
  std::string temporary = path + ".XXXXXX";
  UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd) return system_failure("mkostemp", temporary);
  Result<void> done = write_and_sync(fd.get(), bytes, temporary);
  if (done && ::fchmod(fd.get(), mode) != 0) done = system_failure("fchmod", temporary);
  if (done && ::rename(temporary.c_str(), path.c_str()) != 0) done = system_failure("rename", path);
  if (!done) {
    ::unlink(temporary.c_str());
    return done;
  }
  return sync_directory(std::string(directory_of(path)));
}

Result<void> write_file_atomically(const std::string& path, std::string_view text, mode_t mode) {
  return write_file_atomically(path, std::as_bytes(std::span(text.data(), text.size())), mode);
}

Result<void> sync_directory(const std::string& directory) {
  Result<UniqueFd> fd = open_file(directory, O_RDONLY | O_DIRECTORY);
  if (!fd) return tl::unexpected<Error>(fd.error());
  if (retry_interrupted([&] { return ::fsync(fd->get()); }) != 0) return system_failure("fsync", directory);
  return {};
}

}  // namespace groth16d
