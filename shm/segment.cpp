#include "shm/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "common/posix.hpp"
#include "shm/memfd.hpp"

namespace groth16d::shm {

namespace {

// Far above any machine; below it no sum of sizes and offsets overflows.
constexpr std::uint64_t kMaxPayloadBytes = std::uint64_t{1} << 46;

std::string name_of(const SegmentName& name) {
  return fmt::format("segment {}.{} ({})", name.segment, name.generation, to_string(name.kind));
}

SegmentName name_in(const SegmentHeader& header) {
  return {static_cast<SegmentKind>(header.kind), header.segment, header.generation};
}

Result<SegmentHeader> make_header(const SegmentIdentity& identity, std::uint64_t payload_bytes) {
  SegmentHeader header{};
  if (identity.job.size() > header.job.size()) {
    return failure(ErrorCode::internal, "segment.job",
                   fmt::format("a job id of {} bytes, expected at most {}", identity.job.size(), header.job.size()));
  }
  header.magic = kSegmentMagic;
  header.layout_version = kLayoutVersion;
  header.kind = static_cast<std::uint32_t>(identity.kind);
  header.segment = identity.segment;
  header.generation = identity.generation;
  header.producer_epoch = identity.producer_epoch;
  header.payload_offset_bytes = kHeaderBytes;
  header.payload_capacity_bytes = payload_bytes;
  header.partition = identity.partition;
  header.attempt = identity.attempt;
  std::copy(identity.job.begin(), identity.job.end(), header.job.begin());
  header.content = identity.content;
  return header;
}

Result<void> write_header(int fd, const SegmentHeader& header, const std::string& name) {
  const ssize_t written = ::pwrite(fd, &header, sizeof header, 0);
  if (written < 0) return system_failure("pwrite", name);
  if (written != static_cast<ssize_t>(sizeof header)) return system_failure("pwrite", name, EIO);
  return {};
}

// The header against itself and against the file that it heads.
Result<void> check_header(const SegmentHeader& header, std::uint64_t file_bytes) {
  if (header.magic != kSegmentMagic || header.layout_version != kLayoutVersion ||
      header.payload_offset_bytes != kHeaderBytes || header.kind < static_cast<std::uint32_t>(SegmentKind::input) ||
      header.kind > static_cast<std::uint32_t>(SegmentKind::r1cs)) {
    return failure(ErrorCode::malformed, "segment.header",
                   fmt::format("not a segment of layout {}: magic, version, kind or offset differ", kLayoutVersion));
  }
  if (header.payload_capacity_bytes > kMaxPayloadBytes || file_bytes != segment_bytes(header.payload_capacity_bytes) ||
      header.payload_used_bytes > header.payload_capacity_bytes) {
    return failure(
        ErrorCode::mismatch, "segment.size",
        fmt::format("{}: header says {} of {} payload bytes used, the memfd has {} bytes", name_of(name_in(header)),
                    header.payload_used_bytes, header.payload_capacity_bytes, file_bytes));
  }
  return {};
}

Result<void> check_name(const SegmentHeader& header, const SegmentName& expected) {
  const SegmentName found = name_in(header);
  if (found.kind == expected.kind && found.segment == expected.segment && found.generation == expected.generation) {
    return {};
  }
  return failure(ErrorCode::mismatch, "segment.stale",
                 fmt::format("found {}, the lease says {}", name_of(found), name_of(expected)));
}

}  // namespace

std::string_view to_string(SegmentKind kind) {
  switch (kind) {
    case SegmentKind::input:
      return "input";
    case SegmentKind::witness:
      return "witness";
    case SegmentKind::ab:
      return "ab";
    case SegmentKind::key:
      return "key";
    case SegmentKind::r1cs:
      return "r1cs";
    case SegmentKind::words:
      return "words";
  }
  return "unknown";
}

std::uint64_t segment_bytes(std::uint64_t payload_bytes) {
  constexpr std::uint64_t kPageBytes = 4096;
  return kHeaderBytes + (payload_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

Result<UniqueFd> allocate_segment(const SegmentIdentity& identity, std::uint64_t payload_bytes) {
  const std::string name = fmt::format("groth16d-{}-{}", to_string(identity.kind), identity.segment);
  if (payload_bytes > kMaxPayloadBytes) {
    return failure(ErrorCode::too_large, "segment.size",
                   fmt::format("{}: {} bytes, expected at most {}", name, payload_bytes, kMaxPayloadBytes));
  }
  Result<SegmentHeader> header = make_header(identity, payload_bytes);
  if (!header) return tl::unexpected<Error>(header.error());
  Result<UniqueFd> fd = make_memfd(name, segment_bytes(payload_bytes));
  if (!fd) return fd;
  if (auto written = write_header(fd->get(), *header, name); !written) return tl::unexpected<Error>(written.error());
  return fd;
}

Result<void> restamp_segment(int fd, const SegmentIdentity& identity) {
  Result<SegmentHeader> old = read_header(fd);
  if (!old) return tl::unexpected<Error>(old.error());
  Result<SegmentHeader> header = make_header(identity, old->payload_capacity_bytes);
  if (!header) return tl::unexpected<Error>(header.error());
  return write_header(fd, *header, name_of(name_in(*header)));
}

Result<void> seal_write(int fd) {
  if (::fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL) == 0) return {};
  if (errno == EBUSY) {
    return failure(ErrorCode::internal, "segment.still_mapped", "cannot seal: a writable mapping still exists");
  }
  return system_failure("fcntl", "F_ADD_SEALS");
}

Result<UniqueFd> reopen_read_only(int fd) {
  if (::fchmod(fd, 0400) != 0) return system_failure("fchmod", "segment");
  return open_file(fmt::format("/proc/self/fd/{}", fd), O_RDONLY);
}

Result<SegmentHeader> read_header(int fd) {
  Result<std::uint64_t> size = file_size_bytes(fd, "segment");
  if (!size) return tl::unexpected<Error>(size.error());
  if (*size < kHeaderBytes) {
    return failure(ErrorCode::malformed, "segment.header", fmt::format("{} bytes are too few for a header", *size));
  }
  SegmentHeader header{};
  const auto bytes = std::as_writable_bytes(std::span(&header, 1));
  if (auto read = read_exact_at(fd, bytes, 0, "segment"); !read) return tl::unexpected<Error>(read.error());
  if (auto good = check_header(header, *size); !good) return tl::unexpected<Error>(good.error());
  return header;
}

Result<std::uint64_t> allocated_bytes(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return system_failure("fstat", "segment");
  return static_cast<std::uint64_t>(status.st_blocks) * 512;  // st_blocks counts 512-byte units on every file system
}

Mapping::Mapping(boost::interprocess::mapped_region region, const SegmentHeader& header, Access access)
    : region_(std::move(region)), header_(header), access_(access) {}

Result<Mapping> Mapping::map(int fd, Access access, const SegmentName& expected) {
  Result<SegmentHeader> header = read_header(fd);
  if (!header) return tl::unexpected<Error>(header.error());
  if (auto right = check_name(*header, expected); !right) return tl::unexpected<Error>(right.error());
  // A mapping could be cut short under us, and a read of it die of SIGBUS, if the size were not sealed.
  const int seals = ::fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    return failure(ErrorCode::malformed, "segment.header", name_of(expected) + ": not sealed against shrinking");
  }
  const auto mode = access == Access::read_only ? boost::interprocess::read_only : boost::interprocess::read_write;
  auto region = map_memfd(fd, mode, segment_bytes(header->payload_capacity_bytes));
  if (!region) return tl::unexpected<Error>(region.error());
  return Mapping(std::move(*region), *header, access);
}

std::string_view Mapping::job() const {
  const auto end = std::find(header_.job.begin(), header_.job.end(), '\0');
  return {header_.job.data(), static_cast<std::size_t>(end - header_.job.begin())};
}

std::span<const std::byte> Mapping::payload() const {
  return {static_cast<const std::byte*>(region_.get_address()) + kHeaderBytes,
          static_cast<std::size_t>(header_.payload_capacity_bytes)};
}

std::span<std::byte> Mapping::writable_payload() {
  if (access_ == Access::read_only) return {};
  return {static_cast<std::byte*>(region_.get_address()) + kHeaderBytes,
          static_cast<std::size_t>(header_.payload_capacity_bytes)};
}

Result<void> Mapping::set_used_bytes(std::uint64_t used_bytes) {
  if (access_ == Access::read_only || used_bytes > header_.payload_capacity_bytes) {
    return failure(ErrorCode::internal, "segment.used",
                   fmt::format("{}: {} bytes used of {}, or mapped for reading", name_of(name_in(header_)), used_bytes,
                               header_.payload_capacity_bytes));
  }
  header_.payload_used_bytes = used_bytes;
  std::memcpy(static_cast<std::byte*>(region_.get_address()) + offsetof(SegmentHeader, payload_used_bytes), &used_bytes,
              sizeof used_bytes);
  return {};
}

Result<void> Mapping::set_note(std::span<const std::byte> note) {
  if (access_ == Access::read_only || note.size() > kNoteBytes) {
    return failure(ErrorCode::internal, "segment.note",
                   fmt::format("{}: a note of {} bytes, at most {}, or mapped for reading", name_of(name_in(header_)),
                               note.size(), kNoteBytes));
  }
  std::ranges::copy(note, header_.note.begin());
  std::ranges::copy(note, static_cast<std::byte*>(region_.get_address()) + offsetof(SegmentHeader, note));
  return {};
}

}  // namespace groth16d::shm
