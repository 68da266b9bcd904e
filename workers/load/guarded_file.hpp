// GuardedFile: a client's file, mapped, that its owner may shorten at any moment.
//
// Reading past the new end of a mapped file raises SIGBUS. Here the fault is repaired with pages of zeros and
// remembered: whatever was read is then worthless, and check_unchanged() says so by name, instead of the process dying.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "common/digest.hpp"
#include "common/error.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/formats/input_file.hpp"
#include "workers/load/file_identity.hpp"

namespace groth16d::worker {

// Once per process, before the first GuardedFile.
void install_truncation_guard();

class GuardedFile {
 public:
  // At most this many exist at a time: a key and its constraint system.
  static constexpr std::size_t kMost = 8;

  // The descriptor stays the caller's and outlives this. name: how the client calls the file. Errors: those of
  // InputFile::from_fd.
  static Result<GuardedFile> open(int fd, std::string name);

  GuardedFile(GuardedFile&& other) noexcept;
  GuardedFile& operator=(GuardedFile&&) = delete;
  ~GuardedFile();

  std::span<const std::byte> bytes() const { return file_.bytes(); }
  const std::string& name() const { return file_.name(); }

  // As it is now.
  Result<FileIdentity> identity() const { return identity_of(fd_, name()); }

  // SHA-256 of all bytes, block by block. Error: cancelled.
  Result<Digest> digest(const groth16::Compute& compute) const;

  // Error: conflict "file.changed" when the file became shorter than it was when it was opened.
  Result<void> check_unchanged() const;

 private:
  GuardedFile(int fd, groth16::formats::InputFile file, std::size_t place)
      : fd_(fd), file_(std::move(file)), place_(place) {}

  int fd_;
  groth16::formats::InputFile file_;
  std::size_t place_;  // in the table that the signal handler reads; kMost for none
};

}  // namespace groth16d::worker
