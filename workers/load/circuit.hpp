// A circuit's files, from a client's bytes to shared segments: INSPECT says what they are and will take, LOAD converts.
//
// A circuit is a proving key (.zkey) and, where the client has it, the constraint system that the key was made for
// (.r1cs). A key holds A and B only; with the .r1cs the segment also holds C, so that a row that fails can be named. Or
// it is a built-in circuit's key (.params), see builtin_source.hpp, or a recipe for one, see recipe_source.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "groth16/proof/generator_multiples.hpp"
#include "workers/load/guarded_file.hpp"
#include "workers/load/inspections.hpp"
#include "workers/load/key_cache.hpp"
#include "workers/runtime/role.hpp"

namespace groth16d::worker {

struct CircuitFiles {
  const GuardedFile& key;
  const GuardedFile* r1cs = nullptr;  // not registered
  bool allow_insecure = false;        // a key that anyone can forge proofs for
};

// Errors: those of the formats' readers; zkey.insecure; mismatch r1cs.curve, r1cs.wire_count, r1cs.public_count,
// r1cs.constraint_count (the .r1cs is of another circuit than the key); file.changed; cancelled. The files are read
// whole, and the terms of the matrices are collected once, to know the segment's size exactly. Where the cache knows
// files that are unchanged, they are not read at all (CircuitFacts::source_bytes_read is 0).
Result<v1::CircuitFacts> inspect_circuit(const CircuitFiles& files, const KeyCache& cache, Inspections& inspections,
                                         const groth16::Compute& compute);

// Whoever makes a key's points, asked when a recipe needs them.
using MultiplesOnDemand =
    std::function<Result<std::unique_ptr<const groth16::GeneratorMultiples<groth16::Bls12_381>>>()>;
MultiplesOnDemand host_multiples();

struct LoadedCircuit {
  v1::CircuitFacts facts;
  PreparedCircuit circuit;
};

// Fills both segments, key_bytes and r1cs_bytes long at least, as they were inspected: from the cache, or by converting
// the files, and then the cache is given what came out; or by making the key of a recipe, which is not cached: making
// it takes no longer than reading it. Files that have stood still since one of `inspections` are not hashed again.
// Errors: as above, and conflict file.changed when a file is not the one that was inspected, mismatch
// r1cs.other_circuit when A or B of the key and of the .r1cs differ, internal segment.too_small. The cache causes none.
Result<LoadedCircuit> load_circuit(const CircuitFiles& files, const KeyCache& cache, const Inspections& inspections,
                                   const CircuitDigests& inspected, std::span<std::byte> key_segment,
                                   std::span<std::byte> r1cs_segment, const groth16::Compute& compute,
                                   const MultiplesOnDemand& multiples = host_multiples());

}  // namespace groth16d::worker
