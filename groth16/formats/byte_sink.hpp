// ByteSink: where a writer puts its bytes, in order. MemorySink for small files and tests; OutputFile for a file that
// appears under its name complete or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "common/unique_fd.hpp"
#include "groth16/formats/byte_reader.hpp"

namespace groth16::formats {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual groth16d::Result<void> write(Bytes bytes) = 0;
};

class MemorySink final : public ByteSink {
 public:
  groth16d::Result<void> write(Bytes bytes) override {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return {};
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// Writes to "<path>.partial.<pid>" beside the target; commit() makes it durable and gives it its name. An OutputFile
// that is destroyed before commit() leaves nothing behind. For files too large to be held in memory; smaller ones go
// through groth16d::write_file_atomically.
class OutputFile final : public ByteSink {
 public:
  static groth16d::Result<OutputFile> create(const std::filesystem::path& name);

  groth16d::Result<void> write(Bytes bytes) override;

  // fsync, rename over the target, fsync of the folder. Nothing may be written afterwards.
  groth16d::Result<void> commit();

  OutputFile(OutputFile&& other) noexcept = default;
  OutputFile& operator=(OutputFile&& other) = delete;
  ~OutputFile() override;

 private:
  OutputFile(std::filesystem::path target, std::filesystem::path partial, groth16d::UniqueFd fd)
      : target_(std::move(target)), partial_(std::move(partial)), fd_(std::move(fd)) {}
  groth16d::Result<void> flush();

  std::filesystem::path target_;
  std::filesystem::path partial_;
  groth16d::UniqueFd fd_;  // open until commit()
  std::vector<std::byte> buffer_;
};

}  // namespace groth16::formats
