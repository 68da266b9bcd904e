// C1Shelf: the C1 file that was read last. The partitions of a job come one after another and are all cut from one
// file, which is so parsed once.
#pragma once

#include <memory>
#include <optional>

#include "groth16/circuits/c1.hpp"
#include "workers/load/guarded_file.hpp"

namespace groth16d::worker {

class C1Shelf {
 public:
  // JSON, JSON in a wrapper, or bincode, of which the sector says what it does not say itself. Errors: those of
  // read_c1_json and read_c1_bincode; file.changed.
  Result<std::shared_ptr<const groth16::circuits::C1>> read(const GuardedFile& file,
                                                            const groth16::circuits::SectorShape& sector);

 private:
  std::optional<FileIdentity> identity_;
  std::uint64_t sector_bytes_ = 0;
  std::shared_ptr<const groth16::circuits::C1> c1_;
};

// Partition number `partition` of the file: what crosses to synthesis, and the public inputs that follow from the
// statement alone.
struct CutPartition {
  std::vector<std::byte> input;                    // flat (partition_input.hpp)
  std::vector<groth16::circuits::Scalar> publics;  // x_1 ... x_n
};

// partition < c1.partitions.size(). Error: mismatch c1.challenges (the vanilla proofs are not of the nodes that the
// statement asks for).
Result<CutPartition> cut_partition(const groth16::circuits::C1& c1, std::uint32_t partition, const std::string& name);

}  // namespace groth16d::worker
