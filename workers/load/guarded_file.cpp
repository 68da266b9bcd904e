#include "workers/load/guarded_file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>

#include "workers/runtime/last_stand.hpp"
#include "workers/runtime/role.hpp"

namespace groth16d::worker {

namespace {

using groth16::formats::InputFile;

constexpr std::uintptr_t kPageBytes = 4096;
constexpr std::size_t kDigestBlockBytes = std::size_t{16} << 20;  // 10 ms of hashing between two looks at cancel

// What the signal handler may touch: plain atomics, written before the range can fault.
struct GuardedRange {
  std::atomic<std::uintptr_t> begin{0};  // 0: free
  std::atomic<std::uintptr_t> end{0};
  std::atomic<bool> faulted{false};
};
std::array<GuardedRange, GuardedFile::kMost> ranges;

// Puts zeros from the faulting page to the end of its mapping. Several threads may do so at once: zeros over zeros.
bool repair_with_zeros(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (GuardedRange& range : ranges) {
    const std::uintptr_t begin = range.begin.load();
    const std::uintptr_t end = range.end.load();
    if (begin == 0 || at < begin || at >= end) continue;
    range.faulted.store(true);
    const std::uintptr_t page = at & ~(kPageBytes - 1);
    void* const zeros = ::mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    return zeros != MAP_FAILED;
  }
  return false;
}

std::size_t claim_range(std::span<const std::byte> bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  for (std::size_t place = 0; place < ranges.size(); ++place) {
    if (ranges[place].begin.load() != 0) continue;
    ranges[place].faulted.store(false);
    ranges[place].end.store((begin + bytes.size() + kPageBytes - 1) & ~(kPageBytes - 1));
    ranges[place].begin.store(begin);
    return place;
  }
  return GuardedFile::kMost;
}

}  // namespace

void install_truncation_guard() { set_bus_fault_repair(repair_with_zeros); }

Result<GuardedFile> GuardedFile::open(int fd, std::string name) {
  Result<InputFile> file = InputFile::from_fd(fd, std::move(name), groth16::formats::Access::map);
  if (!file) return tl::unexpected(file.error());
  const std::size_t place = claim_range(file->bytes());
  if (place == kMost) {
    return failure(ErrorCode::internal, "file.guards",
                   fmt::format("{}: {} files are guarded already", file->name(), kMost));
  }
  return GuardedFile(fd, std::move(*file), place);
}

GuardedFile::GuardedFile(GuardedFile&& other) noexcept
    : fd_(other.fd_), file_(std::move(other.file_)), place_(std::exchange(other.place_, kMost)) {}

GuardedFile::~GuardedFile() {
  if (place_ != kMost) ranges[place_].begin.store(0);
}

Result<Digest> GuardedFile::digest(const groth16::Compute& compute) const {
  Sha256 hash;
  for (std::span<const std::byte> rest = bytes(); !rest.empty();) {
    if (Result<void> wanted = unless_cancelled(compute); !wanted) return tl::unexpected(wanted.error());
    const std::size_t size = std::min(rest.size(), kDigestBlockBytes);
    hash.update(rest.first(size));
    rest = rest.subspan(size);
    compute.beat();
  }
  return hash.finish();
}

Result<void> GuardedFile::check_unchanged() const {
  if (place_ == kMost || !ranges[place_].faulted.load()) return {};
  return failure(ErrorCode::conflict, "file.changed",
                 fmt::format("{}: became shorter than its {} bytes while it was read", name(), bytes().size()));
}

}  // namespace groth16d::worker
