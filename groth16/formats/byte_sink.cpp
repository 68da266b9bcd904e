// OutputFile: buffered writes to a temporary name, then a durable rename.
#include "groth16/formats/byte_sink.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "common/posix.hpp"

namespace groth16::formats {

using groth16d::Result;
using groth16d::UniqueFd;

namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

}  // namespace

Result<OutputFile> OutputFile::create(const std::filesystem::path& name) {
  if (groth16d::is_stream(name.string()))
    return groth16d::failure(groth16d::ErrorCode::denied, "output.not_regular",
                             name.string() + ": a device or a pipe; expected the name of a file");
  const std::filesystem::path path = groth16d::link_target(name.string());
  std::filesystem::path partial = path;
  partial += fmt::format(".partial.{}", ::getpid());
  Result<UniqueFd> fd = groth16d::open_file(partial.string(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0644);
  if (!fd) return tl::unexpected(fd.error());
  return OutputFile(path, std::move(partial), std::move(*fd));
}

Result<void> OutputFile::write(Bytes bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) {
    if (Result<void> flushed = flush(); !flushed) return flushed;
  }
  if (bytes.size() > kBufferBytes) return groth16d::write_all(fd_.get(), bytes, target_.string());
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  return {};
}

Result<void> OutputFile::flush() {
  Result<void> written = groth16d::write_all(fd_.get(), buffer_, target_.string());
  buffer_.clear();
  return written;
}

Result<void> OutputFile::commit() {
  if (Result<void> flushed = flush(); !flushed) return flushed;
  if (::fsync(fd_.get()) != 0) return groth16d::system_failure("fsync", target_.string());
  if (::rename(partial_.c_str(), target_.c_str()) != 0) return groth16d::system_failure("rename", target_.string());
  fd_.reset();
  return groth16d::sync_directory(target_.has_parent_path() ? target_.parent_path().string() : ".");
}

OutputFile::~OutputFile() {
  if (fd_) ::unlink(partial_.c_str());
}

}  // namespace groth16::formats
