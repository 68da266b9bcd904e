#include "shm/memfd.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include <boost/interprocess/exceptions.hpp>

#include "common/posix.hpp"

namespace groth16d::shm {

namespace {

// A signal makes the kernel undo the call it interrupts; so each call is short, and only that piece is done again.
constexpr std::uint64_t kAllocatePiece_bytes = std::uint64_t{64} << 20;

// ftruncate would succeed beyond what exists, and the writer would die of SIGBUS later.
Result<void> allocate_pages(int fd, const std::string& name, std::uint64_t bytes) {
  for (std::uint64_t offset = 0; offset < bytes; offset += kAllocatePiece_bytes) {
    const std::uint64_t piece = std::min(kAllocatePiece_bytes, bytes - offset);
    int error = EINTR;
    while (error == EINTR) error = ::posix_fallocate(fd, static_cast<off_t>(offset), static_cast<off_t>(piece));
    if (error == ENOSPC || error == ENOMEM) {
      return failure(ErrorCode::system, "segment.no_memory",
                     name + ": the kernel has no memory for " + std::to_string(bytes) + " bytes");
    }
    if (error != 0) return system_failure("posix_fallocate", name, error);
  }
  return {};
}

// What boost::interprocess asks of something that can be mapped.
struct Mappable {
  int fd;
  boost::interprocess::mapping_handle_t get_mapping_handle() const { return {fd, false}; }
};

}  // namespace

Result<UniqueFd> make_memfd(const std::string& name, std::uint64_t bytes) {
  UniqueFd fd(::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return system_failure("memfd_create", name);
  if (::fchmod(fd.get(), 0400) != 0) return system_failure("fchmod", name);
  if (auto allocated = allocate_pages(fd.get(), name, bytes); !allocated)
    return tl::unexpected<Error>(allocated.error());
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) return system_failure("fcntl", name);
  return fd;
}

Result<boost::interprocess::mapped_region> map_memfd(int fd, boost::interprocess::mode_t mode, std::uint64_t bytes) {
  boost::interprocess::mapped_region region;
  try {
    region = boost::interprocess::mapped_region(Mappable{fd}, mode, 0, static_cast<std::size_t>(bytes));
  } catch (const boost::interprocess::interprocess_exception& error) {
    return system_failure("mmap", "segment", error.get_native_error());
  }
  if (::madvise(region.get_address(), region.get_size(), MADV_DONTDUMP) != 0)
    return system_failure("madvise", "segment");
  return region;
}

}  // namespace groth16d::shm
