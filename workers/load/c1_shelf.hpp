// C1Shelf: the C1 file that was read last. The partitions of a job come one after another and are all cut from one
// file, which is so parsed once.
#pragma once

#include <memory>
#include <optional>

#include "groth16/circuits/c1.hpp"
#include "workers/load/guarded_file.hpp"

namespace groth16d::worker {

// Whether a file begins as C1 in JSON does.
bool is_c1(const GuardedFile& file);

class C1Shelf {
 public:
  // Errors: those of read_c1_json; file.changed.
  Result<std::shared_ptr<const groth16::circuits::C1>> read(const GuardedFile& file);

 private:
  std::optional<FileIdentity> identity_;
  std::shared_ptr<const groth16::circuits::C1> c1_;
};

// Partition number `partition` of the file: what crosses to synthesis, and the public inputs that follow from the
// statement alone.
struct CutPartition {
  std::vector<std::byte> input;                    // flat (partition_input.hpp)
  std::vector<groth16::circuits::Scalar> publics;  // x_1 ... x_n
};

// Errors: malformed c1.partition (the file has fewer); mismatch c1.challenges (the vanilla proofs are not of the nodes
// that the statement asks for).
Result<CutPartition> cut_partition(const groth16::circuits::C1& c1, std::uint32_t partition, const std::string& name);

}  // namespace groth16d::worker
