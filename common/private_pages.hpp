// PrivatePages: fresh memory of this process for arrays that are written once from end to end: mapped in by few calls
// instead of a fault for every page, and not filled twice. A fault costs 18 us in a virtual machine, more than the
// arithmetic on a page of points.
#pragma once

#include <cstddef>
#include <span>

#include "common/error.hpp"

namespace groth16d {

class PrivatePages {
 public:
  // All zero, aligned to a page. Error: system "system.mmap".
  static Result<PrivatePages> of(std::size_t bytes);

  PrivatePages(PrivatePages&& other) noexcept;
  PrivatePages& operator=(PrivatePages&& other) noexcept;
  ~PrivatePages();

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  PrivatePages(std::span<std::byte> mapping, std::span<std::byte> bytes) : mapping_(mapping), bytes_(bytes) {}

  std::span<std::byte> mapping_;  // a little more than bytes_, so that these can begin with a huge page
  std::span<std::byte> bytes_;
};

}  // namespace groth16d
