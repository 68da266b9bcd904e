// INSPECT of one partition's input: everything about a witness that can be wrong before anything is computed with it.
#pragma once

#include "groth16/algebra/curve_id.hpp"
#include "workers/load/c1_shelf.hpp"
#include "workers/load/guarded_file.hpp"
#include "workers/runtime/role.hpp"

namespace groth16d::worker {

// The circuit that the witness is for, as it was inspected, and the public signals that the client declared ("": none).
struct InputExpectation {
  groth16::CurveId curve = groth16::CurveId::bn254;
  std::uint64_t n_vars = 0;
  std::uint64_t n_public = 0;
  std::string declared_public_json;
  std::uint32_t partition = 0;     // of the job: which one a file of several is asked for
  std::uint32_t n_partitions = 1;  // that the job has
};

// A witness; the flat input of a built-in circuit; or a C1 of as many partitions as the job has, of which this one is
// cut (InputFacts::cut_input). Errors: those of WitnessFile::parse and check_fits, of parse_public_json, of
// BuiltinCircuit::public_inputs, of C1Shelf::read and cut_partition; mismatch "input.circuit", "c1.partitions",
// "witness.statement"; "file.changed".
Result<v1::InputFacts> inspect_input(const GuardedFile& input, const InputExpectation& expected, C1Shelf& shelf);

}  // namespace groth16d::worker
