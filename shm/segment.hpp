// A segment: one memfd with a 4 KiB header and a payload. One writer, then sealed, then readers. No lock, no count and
// no pointer lives in it: a killed owner leaves nothing locked.
//
//   supervisor (allocator thread)        writer (worker)                reader (worker)
//   fd = allocate_segment(identity, n)   Mapping::map(fd, read_write)   Mapping::map(fd, read_only)
//   lease fd read-write                  fill, set_used_bytes, unmap
//   seal_write(fd)
//   lease reopen_read_only(fd)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <boost/interprocess/mapped_region.hpp>

#include "common/digest.hpp"
#include "common/error.hpp"
#include "common/unique_fd.hpp"

namespace groth16d::shm {

// The numbers are those of ipc's LeaseMessage::kind; 0 is none.
enum class SegmentKind : std::uint32_t {
  input = 1,    // one partition's input
  witness = 2,  // packed witness
  ab = 3,       // rows of A*w and B*w
  key = 4,      // proving key
  r1cs = 5,     // constraint system
  words = 6,    // a slot's last words (see last_words.hpp; has no SegmentHeader, only counted)
};

// "input", "witness", "ab", "key", "r1cs", "words": as in status, metrics and logs.
std::string_view to_string(SegmentKind kind);

inline constexpr std::uint64_t kHeaderBytes = 4096;
inline constexpr std::uint32_t kLayoutVersion = 2;
inline constexpr std::size_t kNoteBytes = 512;
inline constexpr std::array<char, 8> kSegmentMagic = {'G', '1', '6', 'S', 'E', 'G', 'M', 'T'};

// The first 4 KiB of a segment, in host byte order (a segment never leaves its machine). Written by the supervisor when
// it allocates or re-stamps, except payload_used_bytes and note, which are the writer's.
struct SegmentHeader {
  std::array<char, 8> magic;
  std::uint32_t layout_version;
  std::uint32_t kind;  // SegmentKind
  std::uint64_t segment;
  std::uint64_t generation;
  std::uint64_t producer_epoch;        // of the slot that may write
  std::uint64_t payload_offset_bytes;  // kHeaderBytes
  std::uint64_t payload_capacity_bytes;
  std::uint64_t payload_used_bytes;
  std::uint32_t partition;
  std::uint32_t attempt;
  std::array<char, 64> job;                // zero padded; empty for key and r1cs
  Digest content;                          // key, r1cs: SHA-256 of the file that it was made from; else zero
  std::array<std::byte, kNoteBytes> note;  // the writer's word to later readers, opaque here; zeros where it has none
  std::array<std::uint8_t, 3416> reserved;
};
static_assert(sizeof(SegmentHeader) == kHeaderBytes);
static_assert(std::is_trivially_copyable_v<SegmentHeader> && std::is_standard_layout_v<SegmentHeader>);
static_assert(offsetof(SegmentHeader, kind) == 12 && offsetof(SegmentHeader, segment) == 16);
static_assert(offsetof(SegmentHeader, payload_used_bytes) == 56 && offsetof(SegmentHeader, partition) == 64);
static_assert(offsetof(SegmentHeader, job) == 72 && offsetof(SegmentHeader, content) == 136);

// Who a segment is, as the supervisor stamps it.
struct SegmentIdentity {
  SegmentKind kind = SegmentKind::input;
  std::uint64_t segment = 0;
  std::uint64_t generation = 0;
  std::uint64_t producer_epoch = 0;
  std::string job;  // at most 64 bytes
  std::uint32_t partition = 0;
  std::uint32_t attempt = 0;
  Digest content{};
};

// What a lease says, and what the header must agree with.
struct SegmentName {
  SegmentKind kind = SegmentKind::input;
  std::uint64_t segment = 0;
  std::uint64_t generation = 0;
};

// Bytes that a segment with this payload takes from the budget: header and payload, in whole pages.
std::uint64_t segment_bytes(std::uint64_t payload_bytes);

// A new memfd, every page of it allocated (a later write cannot die of SIGBUS), header written, sealed against
// shrinking and growing. The kernel's allocation takes about 0.5 s a GiB: never call it on the event loop. Errors:
// system "segment.no_memory" where the kernel has none, system otherwise; too_large "segment.size".
Result<UniqueFd> allocate_segment(const SegmentIdentity& identity, std::uint64_t payload_bytes);

// A pooled segment starts a new life: same pages, new identity; payload_used_bytes = 0. The old content stays until it
// is overwritten. Error: system once the segment is write-sealed.
Result<void> restamp_segment(int fd, const SegmentIdentity& identity);

// F_SEAL_WRITE, for ever. Error: internal "segment.still_mapped" when a writable mapping exists (EBUSY): the writer
// said SEALED and lied.
Result<void> seal_write(int fd);

// A second descriptor that can only be mapped for reading. The inode is set to mode 0400 first, so that a process
// without CAP_DAC_OVERRIDE cannot open it for writing again through /proc/self/fd.
Result<UniqueFd> reopen_read_only(int fd);

// Header by pread, checked against itself and the file's size (for the supervisor: adoption after a restart).
Result<SegmentHeader> read_header(int fd);

// The kernel's own figure: pages that this segment holds, in bytes.
Result<std::uint64_t> allocated_bytes(int fd);

enum class Access { read_only, read_write };

// A mapped segment whose header agrees with its lease. Left out of core dumps (MADV_DONTDUMP).
class Mapping {
 public:
  // Errors: malformed "segment.header" (not a segment), mismatch "segment.stale" (other segment, generation or kind),
  // mismatch "segment.size" (header and file disagree), denied or system from the mapping itself.
  static Result<Mapping> map(int fd, Access access, const SegmentName& expected);

  Mapping(Mapping&&) noexcept = default;
  Mapping& operator=(Mapping&&) noexcept = default;

  // As it was when it was checked: a private copy.
  const SegmentHeader& header() const { return header_; }
  std::string_view job() const;

  std::uint64_t capacity_bytes() const { return header_.payload_capacity_bytes; }
  std::uint64_t used_bytes() const { return header_.payload_used_bytes; }

  // The whole payload, capacity_bytes() long, page aligned.
  std::span<const std::byte> payload() const;
  // The first used_bytes() of it: what a reader parses.
  std::span<const std::byte> used() const { return payload().first(used_bytes()); }

  // Only of a read_write mapping; empty otherwise.
  std::span<std::byte> writable_payload();
  // The writer's last act before it unmaps. Error: internal "segment.used" beyond the capacity or on a read-only
  // mapping.
  Result<void> set_used_bytes(std::uint64_t used_bytes);
  // Likewise. Error: internal "segment.note" where it is longer than kNoteBytes, or mapped for reading.
  Result<void> set_note(std::span<const std::byte> note);

 private:
  Mapping(boost::interprocess::mapped_region region, const SegmentHeader& header, Access access);

  boost::interprocess::mapped_region region_;
  SegmentHeader header_;
  Access access_;
};

}  // namespace groth16d::shm
