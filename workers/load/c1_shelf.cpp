#include "workers/load/c1_shelf.hpp"

#include <fmt/format.h>

#include "groth16/circuits/partition_input.hpp"

namespace groth16d::worker {

namespace circuits = groth16::circuits;

namespace {

// JSON begins with a brace after white space; bincode with a number of partitions.
bool is_json(std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) {
    const char c = static_cast<char>(byte);
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') return c == '{';
  }
  return false;
}

}  // namespace

Result<std::shared_ptr<const circuits::C1>> C1Shelf::read(const GuardedFile& file,
                                                          const circuits::SectorShape& sector) {
  auto identity = file.identity();
  if (!identity) return tl::unexpected(identity.error());
  identity->ctime_ns = 0;  // moves when another partition's name of the file goes away
  if (c1_ && identity_ == *identity && sector_bytes_ == sector.sector_bytes()) return c1_;
  c1_.reset();
  auto c1 = is_json(file.bytes()) ? circuits::read_c1_json(file.name(), file.bytes())
                                  : circuits::read_c1_bincode(file.name(), file.bytes(), sector);
  if (!c1) return tl::unexpected(c1.error());
  if (Result<void> whole = file.check_unchanged(); !whole) return tl::unexpected(whole.error());
  c1_ = std::make_shared<const circuits::C1>(std::move(*c1));
  identity_ = *identity;
  sector_bytes_ = sector.sector_bytes();
  return c1_;
}

Result<CutPartition> cut_partition(const circuits::C1& c1, std::uint32_t partition, const std::string& name) {
  const circuits::PartitionInput& input = c1.partitions[partition];
  CutPartition cut;
  cut.publics = circuits::public_inputs(c1.statement, partition);
  if (circuits::stacked_public_inputs(input) != cut.publics) {
    return failure(ErrorCode::mismatch, "c1.challenges",
                   fmt::format("{}: the vanilla proofs of partition {} are not of the nodes that seed and replica ask "
                               "for",
                               name, partition));
  }
  cut.input.resize(circuits::partition_input_bytes(c1.statement.proof.sector));
  circuits::write_partition_input(c1.statement.proof.sector, input, cut.input);
  return cut;
}

}  // namespace groth16d::worker
