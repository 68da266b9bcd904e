// The life of a circuit and of a partition, step by step, as a supervisor would drive it; for tests that begin or stop
// anywhere in between.
#pragma once

#include <optional>
#include <string>

#include "tests/workers/circuit_files.hpp"
#include "tests/workers/fake_supervisor.hpp"

namespace groth16d::worker::test {

// A circuit's files under lease names, and what was made of them.
struct TestCircuit {
  TestSegment key_file;
  std::optional<TestSegment> r1cs_file;
  v1::CircuitFacts facts;
  TestSegment key, r1cs;
};

struct TestPartition {
  TestSegment input, witness, ab;
  std::string sums, b2, statement;
};

v1::Down inspect_circuit_message(const TestCircuit& circuit, bool allow_insecure = false);
v1::Down load_message(const TestCircuit& circuit);
v1::Down inspect_input_message(const TestCircuit& circuit, const TestSegment& file, const std::string& declared = "");
v1::Down synth_message(const TestCircuit& circuit, const TestPartition& partition);
v1::Down prove_message(const TestCircuit& circuit, const TestPartition& partition, bool ab_is_fresh = true);
v1::Down b2_message(const TestCircuit& circuit, const TestPartition& partition);
v1::Down assemble_message(const TestCircuit& circuit, const TestPartition& partition);

// The leases that these messages name.
void lease_circuit_files(FakeSupervisor& supervisor, const WorkerProcess& worker, const TestCircuit& circuit);
void lease_for_synth(FakeSupervisor& supervisor, const WorkerProcess& worker, const TestCircuit& circuit,
                     const TestPartition& partition);
// key and r1cs only where the worker does not keep them yet.
void lease_for_reading(FakeSupervisor& supervisor, const WorkerProcess& worker, const TestCircuit& circuit,
                       const TestPartition& partition, bool with_residents = true);

// Whole steps; a step that fails fails the test.
TestCircuit loaded_circuit(FakeSupervisor& supervisor, const FileBytes& zkey, const FileBytes* r1cs);
TestPartition new_partition(FakeSupervisor& supervisor, const TestCircuit& circuit, const FileBytes& wtns);
void synthesise(FakeSupervisor& supervisor, const TestCircuit& circuit, TestPartition& partition);
void prove(FakeSupervisor& supervisor, const TestCircuit& circuit, TestPartition& partition, bool ab_is_fresh = true);
void compute_b2(FakeSupervisor& supervisor, const WorkerProcess& final, const TestCircuit& circuit,
                TestPartition& partition);
// After synthesise: PROVE, B2 and ASSEMBLE; the last one's answer.
Answer finish(FakeSupervisor& supervisor, const TestCircuit& circuit, TestPartition& partition);

}  // namespace groth16d::worker::test
