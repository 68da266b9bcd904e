// A file of the cache of converted circuits under arbitrary bytes: as it lies there, and with the checksums of an
// author who knows them, so that the checks behind them are reached, too.
#include <cstring>
#include <vector>

#include "tests/fuzz/targets.hpp"
#include "workers/load/cache_file.hpp"

namespace groth16::fuzz {

using namespace groth16d::worker;

namespace {

CachePage resealed(const CachePage& page) {
  CacheHeader header;
  std::memcpy(&header, page.data(), sizeof header);
  header.magic = CacheHeader::kMagic;
  header.format_version = CacheHeader::kFormatVersion;
  header.byte_order = CacheHeader::kByteOrder;
  header.layout = build_layout();
  return seal_cache_header(header);
}

}  // namespace

void cached_circuit(Input input) {
  CachePage page{};
  std::memcpy(page.data(), input.data(), std::min(input.size(), page.size()));
  (void)parse_cache_header(page, input.size());
  const auto header = parse_cache_header(resealed(page), input.size());
  if (!header) return;
  const CircuitSummary& summary = header->circuit.summary;
  std::vector<std::uint64_t> key(summary.key_bytes / 8 + 1), r1cs(summary.r1cs_bytes / 8 + 1);  // aligned to 8
  std::memcpy(key.data(), input.data() + header->key_offset, summary.key_bytes);
  std::memcpy(r1cs.data(), input.data() + header->r1cs_offset, summary.r1cs_bytes);
  (void)check_contents(summary, std::as_bytes(std::span(key)).first(summary.key_bytes),
                       std::as_bytes(std::span(r1cs)).first(summary.r1cs_bytes));
}

}  // namespace groth16::fuzz
