// A file of the cache: a converted circuit as its two segments hold it, behind a page that says what it was made from.
//
//   0           CacheHeader, one page
//   key_offset  the payload of segment "key"       both offsets are multiples of the page
//   r1cs_offset the payload of segment "r1cs"
//
// A file is written in the byte order and with the types of the build that reads it again, and is of use to no other:
// another build finds another layout and converts again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/error.hpp"
#include "workers/load/checksum.hpp"
#include "workers/load/circuit_summary.hpp"
#include "workers/load/file_identity.hpp"

namespace groth16d::worker {

struct CacheHeader {
  static constexpr std::array<char, 8> kMagic{'g', '1', '6', 'c', 'a', 'c', 'h', 'e'};
  // Also raised when a conversion was found to be wrong.
  static constexpr std::uint32_t kFormatVersion = 1;
  static constexpr std::uint32_t kByteOrder = 0x0102'0304;
  static constexpr std::uint64_t kPageBytes = 4096;

  std::array<char, 8> magic{};
  std::uint32_t format_version = 0;
  std::uint32_t byte_order = 0;
  std::uint64_t layout = 0;  // build_layout()
  std::uint64_t file_bytes = 0;
  std::uint64_t key_offset = 0, r1cs_offset = 0;
  SourceIdentity source;
  PreparedCircuit circuit;
  Checksum header_checksum;  // of the page, these 16 bytes being zero
};
static_assert(sizeof(CacheHeader) <= CacheHeader::kPageBytes);
static_assert(std::is_trivially_copyable_v<CacheHeader> && std::has_unique_object_representations_v<CacheHeader>);

// The first page of a file.
using CachePage = std::array<std::byte, CacheHeader::kPageBytes>;

// What the types of this build look like in memory: sizes, layout versions, and field elements of both curves.
std::uint64_t build_layout();

// The header of a file for this circuit, without its own checksum.
CacheHeader make_cache_header(const SourceIdentity& source, const PreparedCircuit& circuit);

// The page, with the header's checksum in it.
CachePage seal_cache_header(CacheHeader header);

// A page that may hold anything, of a file of file_bytes. Errors (malformed): cache.magic, cache.version,
// cache.checksum, cache.layout, cache.size, and those of check_summary.
Result<CacheHeader> parse_cache_header(const CachePage& page, std::uint64_t file_bytes);

}  // namespace groth16d::worker
