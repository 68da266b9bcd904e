#include "common/private_pages.hpp"

#include <cstdint>
#include <utility>

#include <sys/mman.h>

#include "common/page_tables.hpp"
#include "common/posix.hpp"

namespace groth16d {

namespace {

constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
// Below, the rest of the last huge page would count: memory that nobody asked for.
constexpr std::size_t kLeastForHugePages = 4 * kHugePageBytes;

}  // namespace

Result<PrivatePages> PrivatePages::of(std::size_t bytes) {
  const bool huge = bytes >= kLeastForHugePages;
  const std::size_t mapped = bytes + (huge ? kHugePageBytes : 0);
  void* const memory = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return system_failure("mmap", "private memory");
  const std::span mapping(static_cast<std::byte*>(memory), mapped);
  if (!huge) {
    map_in_for_writing(mapping);
    return PrivatePages(mapping, mapping);
  }
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(memory) % kHugePageBytes;
  const std::span whole = mapping.subspan(beyond == 0 ? 0 : kHugePageBytes - beyond, bytes);
  static_cast<void>(::madvise(whole.data(), whole.size(), MADV_HUGEPAGE));  // a kernel without them has small pages
  return PrivatePages(mapping, whole);
}

PrivatePages::PrivatePages(PrivatePages&& other) noexcept
    : mapping_(std::exchange(other.mapping_, {})), bytes_(std::exchange(other.bytes_, {})) {}

PrivatePages& PrivatePages::operator=(PrivatePages&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

PrivatePages::~PrivatePages() {
  if (!mapping_.empty()) ::munmap(mapping_.data(), mapping_.size());
}

}  // namespace groth16d
