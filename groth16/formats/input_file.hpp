// InputFile: the bytes of one regular file, read-only, with the name that errors give it.
//
// A file that another process truncates while it is mapped raises SIGBUS at the next access. Three ways are safe:
//   Access::copy    the bytes are read into private memory; any file; costs its size in memory. Witnesses, JSON.
//   Access::map     for files that nobody else can shorten: sealed memfds (F_SEAL_SHRINK) and the daemon's own spool.
//   Access::map in a process whose death by SIGBUS is the worst that can happen and is handled by its parent (the
//                   loading worker) or by a last word (groth16-prove): keys of many GiB. The parent reports the signal
//                   as "file changed while it was read". Such a file can also change after it was checked: what bounds
//                   an access is tested again where it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "common/error.hpp"
#include "groth16/formats/byte_reader.hpp"

namespace groth16::formats {

enum class Access { copy, map };

class InputFile {
 public:
  // Opens without blocking and refuses what is not a regular file (a FIFO or /dev/zero never blocks or fills memory).
  // Errors: those of the system calls (system.open, ...), file.name, file.not_regular, file.empty, file.too_large
  // (above max_bytes), file.truncated (it shrank while it was read).
  static groth16d::Result<InputFile> open(const std::filesystem::path& path, Access access,
                                          std::uint64_t max_bytes = UINT64_MAX);

  // The same from a descriptor, which stays the caller's and whose position does not move. name: for errors.
  static groth16d::Result<InputFile> from_fd(int fd, std::string name, Access access,
                                             std::uint64_t max_bytes = UINT64_MAX);

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  ~InputFile();

  Bytes bytes() const { return {data_, size_}; }
  const std::string& name() const { return name_; }

 private:
  InputFile(std::string name, std::byte* data, std::size_t size) : name_(std::move(name)), data_(data), size_(size) {}

  std::string name_;
  std::byte* data_ = nullptr;  // a mapping of size_ bytes, of the file or of anonymous memory
  std::size_t size_ = 0;
};

}  // namespace groth16::formats
