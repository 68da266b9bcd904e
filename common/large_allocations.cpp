// Large arrays come with their pages. The first touch of a page is a fault, 18 us in a virtual machine, more than the
// arithmetic on what it holds; a proof allocates tens of MiB, one array after the other. So operator new maps in what
// it returns, by one call: in pages of 2 MiB where an array fills some, else in small ones.
//
// Linked into programs that compute. What is freed goes back to malloc, which keeps arrays of this size for the next.
#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>

#include <sys/mman.h>

#include "common/page_tables.hpp"

namespace {

constexpr std::size_t kSmallPageBytes = 4096;
constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
constexpr std::size_t kLargeBytes = std::size_t{128} << 10;  // where malloc begins to ask the kernel

void* allocate_large(std::size_t bytes) {
  const bool huge = bytes >= kHugePageBytes;
  void* const memory = std::aligned_alloc(huge ? kHugePageBytes : kSmallPageBytes,
                                          (bytes + kSmallPageBytes - 1) / kSmallPageBytes * kSmallPageBytes);
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t in_huge_pages = huge ? bytes / kHugePageBytes * kHugePageBytes : 0;
  const std::span array(static_cast<std::byte*>(memory), bytes);
  if (huge) static_cast<void>(::madvise(memory, in_huge_pages, MADV_HUGEPAGE));
  groth16d::map_in_for_writing(array.subspan(in_huge_pages));
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
  if (bytes >= kLargeBytes) return allocate_large(bytes);
  for (;;) {
    if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
