// System calls as Results: a failed call becomes an Error{system} that names the call, the object and errno's text.
// EINTR is retried everywhere.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "common/unique_fd.hpp"

namespace groth16d {

// Error{system, "system.<call>", "<call> <object>: No space left on device"}. ENOENT and ENOTDIR become
// not_found, EACCES and EPERM denied, ENAMETOOLONG malformed: what a client's path can cause is not our 500. EMFILE and
// ENFILE become busy: a descriptor is free again later.
tl::unexpected<Error> system_failure(std::string_view call, std::string_view object, int error_number = errno);

// open(2) with O_CLOEXEC added.
Result<UniqueFd> open_file(const std::string& path, int flags, mode_t mode = 0600);

// Opens `path`, relative to `root`, for reading without ever leaving `root`: "..", absolute paths, symbolic and magic
// links are refused by the kernel (openat2 with RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS), and so
// is what is no regular file (a FIFO would block its reader for ever). Errors: denied "path.outside_root",
// "path.not_regular".
Result<UniqueFd> open_beneath(const std::string& root, const std::string& path);

// Opens a client's absolute path inside the first of `roots` that contains it (by name; the kernel then holds the walk
// inside that root, as above). Error: denied "path.outside_root" when no root contains it.
Result<UniqueFd> open_inside_roots(std::span<const std::string> roots, const std::string& absolute_path);

// Size in bytes of a regular file or memfd.
Result<std::uint64_t> file_size_bytes(int fd, std::string_view name);

// From the current offset to end of file; more than `limit_bytes` is Error{too_large, "file.too_large"}.
Result<std::vector<std::byte>> read_all(int fd, std::uint64_t limit_bytes, std::string_view name);
Result<std::string> read_text_file(const std::string& path, std::uint64_t limit_bytes);

// Exactly destination.size() bytes from `offset`; end of file before that is Error{malformed, "file.truncated"}.
Result<void> read_exact_at(int fd, std::span<std::byte> destination, std::uint64_t offset, std::string_view name);

Result<void> write_all(int fd, std::span<const std::byte> bytes, std::string_view name);

// Where a link leads, so that the link stays and what it leads to is replaced; `path` itself where nothing is there
// yet.
std::string link_target(const std::string& path);

// A device, a pipe or a socket, also behind a link: something to write to, never to replace.
bool is_stream(const std::string& path);

// Temporary file beside `path`, fsync, rename, fsync of the directory: a reader sees the old file or the whole new one.
// Nothing is left behind on failure. A link stays, and what it leads to is replaced; a stream is written to.
Result<void> write_file_atomically(const std::string& path, std::span<const std::byte> bytes, mode_t mode = 0640);
Result<void> write_file_atomically(const std::string& path, std::string_view text, mode_t mode = 0640);

// Makes a rename or unlink inside `directory` durable.
Result<void> sync_directory(const std::string& directory);

}  // namespace groth16d
