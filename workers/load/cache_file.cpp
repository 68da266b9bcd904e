#include "workers/load/cache_file.hpp"

#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "groth16/algebra/curves.hpp"
#include "groth16/proof/flat_array.hpp"
#include "groth16/proof/proving_key.hpp"

namespace groth16d::worker {

namespace {

using groth16::align_up;

tl::unexpected<Error> malformed(const char* name, std::string text) {
  return failure(ErrorCode::malformed, name, "cached circuit: " + std::move(text));
}

template <class T>
void append(std::vector<std::byte>& bytes, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto view = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), view.begin(), view.end());
}

// One in Montgomery form shows the radix, the generators show how the words of a point lie.
template <class C>
void append_curve(std::vector<std::byte>& bytes) {
  for (const std::size_t size : {sizeof(typename C::Fr), sizeof(typename C::G1), sizeof(typename C::G2)})
    append(bytes, std::uint64_t{size});
  append(bytes, C::Fr::one());
  append(bytes, C::generator_g1());
  append(bytes, C::generator_g2());
}

CachePage page_of(const CacheHeader& header) {
  CachePage page{};
  std::memcpy(page.data(), &header, sizeof header);
  return page;
}

CachePage without_checksum(CachePage page) {
  std::memset(page.data() + offsetof(CacheHeader, header_checksum), 0, sizeof(Checksum));
  return page;
}

}  // namespace

std::uint64_t build_layout() {
  static const std::uint64_t layout = [] {
    std::vector<std::byte> bytes;
    append(bytes, groth16::KeyHeader::kLayoutVersion);
    append(bytes, groth16::SystemHeader::kLayoutVersion);
    for (const std::size_t size :
         {sizeof(groth16::KeyHeader), sizeof(groth16::SystemHeader), sizeof(CacheHeader), sizeof(PreparedCircuit)})
      append(bytes, std::uint64_t{size});
    append(bytes, groth16::SystemHeader::kWiresPerRank);
    append_curve<groth16::Bn254>(bytes);
    append_curve<groth16::Bls12_381>(bytes);
    return checksum_of(bytes).low;
  }();
  return layout;
}

CacheHeader make_cache_header(const SourceIdentity& source, const PreparedCircuit& circuit) {
  CacheHeader header;
  header.magic = CacheHeader::kMagic;
  header.format_version = CacheHeader::kFormatVersion;
  header.byte_order = CacheHeader::kByteOrder;
  header.layout = build_layout();
  header.source = source;
  header.circuit = circuit;
  header.key_offset = CacheHeader::kPageBytes;
  header.r1cs_offset = align_up(header.key_offset + circuit.summary.key_bytes, CacheHeader::kPageBytes);
  header.file_bytes = align_up(header.r1cs_offset + circuit.summary.r1cs_bytes, CacheHeader::kPageBytes);
  return header;
}

CachePage seal_cache_header(CacheHeader header) {
  header.header_checksum = {};
  header.header_checksum = checksum_of(page_of(header));
  return page_of(header);
}

Result<CacheHeader> parse_cache_header(const CachePage& page, std::uint64_t file_bytes) {
  CacheHeader header;
  std::memcpy(&header, page.data(), sizeof header);
  if (header.magic != CacheHeader::kMagic) return malformed("cache.magic", "the first 8 bytes are not its magic");
  if (header.format_version != CacheHeader::kFormatVersion || header.byte_order != CacheHeader::kByteOrder) {
    return malformed("cache.version",
                     fmt::format("format {}, byte order {:#x}; expected {} and {:#x}", header.format_version,
                                 header.byte_order, CacheHeader::kFormatVersion, CacheHeader::kByteOrder));
  }
  if (header.header_checksum != checksum_of(without_checksum(page)))
    return malformed("cache.checksum", "its header is damaged");
  if (header.layout != build_layout()) return malformed("cache.layout", "written by a build with other types");
  const CircuitSummary& summary = header.circuit.summary;
  if (auto good = check_summary(summary); !good) return tl::unexpected(good.error());
  // Far above any disk; below it no sum of the header overflows.
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 46;
  if (summary.key_bytes > kMostBytes || summary.r1cs_bytes > kMostBytes)
    return malformed("cache.size", "a payload of more than 2^46 bytes");
  const CacheHeader expected = make_cache_header(header.source, header.circuit);
  if (header.key_offset != expected.key_offset || header.r1cs_offset != expected.r1cs_offset ||
      header.file_bytes != expected.file_bytes || file_bytes != expected.file_bytes) {
    return malformed("cache.size", fmt::format("its header says {} bytes, its payloads take {}, the file has {}",
                                               header.file_bytes, expected.file_bytes, file_bytes));
  }
  return header;
}

}  // namespace groth16d::worker
