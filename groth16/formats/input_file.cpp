// Opening, checking and mapping or copying one file.
#include "groth16/formats/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <utility>

#include "common/posix.hpp"

namespace groth16::formats {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;
using groth16d::UniqueFd;

namespace {

// The size of a regular file that is not empty and not above max_bytes.
Result<std::size_t> checked_size(int fd, const std::string& name, std::uint64_t max_bytes) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return groth16d::system_failure("fstat", name);
  if (!S_ISREG(status.st_mode)) {
    return failure(ErrorCode::malformed, "file.not_regular", fmt::format("{}: is not a regular file", name));
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size == 0) return failure(ErrorCode::malformed, "file.empty", fmt::format("{}: the file is empty", name));
  if (size > max_bytes) {
    return failure(ErrorCode::too_large, "file.too_large",
                   fmt::format("{}: {} bytes, at most {} are read", name, size, max_bytes));
  }
  return static_cast<std::size_t>(size);
}

}  // namespace

Result<InputFile> InputFile::open(const std::filesystem::path& path, Access access, std::uint64_t max_bytes) {
  const std::string name = path.string();
  if (name.find('\0') != std::string::npos) {
    return failure(ErrorCode::malformed, "file.name", "a file name contains a NUL byte");
  }
  const Result<UniqueFd> fd = groth16d::open_file(name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) return tl::unexpected(fd.error());
  return from_fd(fd->get(), name, access, max_bytes);
}

Result<InputFile> InputFile::from_fd(int fd, std::string name, Access access, std::uint64_t max_bytes) {
  const Result<std::size_t> size = checked_size(fd, name, max_bytes);
  if (!size) return tl::unexpected(size.error());
  const bool copies = access == Access::copy;
  void* memory = copies ? ::mmap(nullptr, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                        : ::mmap(nullptr, *size, PROT_READ, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return groth16d::system_failure("mmap", name);
  InputFile file(std::move(name), static_cast<std::byte*>(memory), *size);
  if (copies) {
    Result<void> read = groth16d::read_exact_at(fd, {file.data_, file.size_}, 0, file.name_);
    if (!read) return tl::unexpected(read.error());
  }
  return file;
}

InputFile::InputFile(InputFile&& other) noexcept
    : name_(std::move(other.name_)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

InputFile::~InputFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

}  // namespace groth16::formats
