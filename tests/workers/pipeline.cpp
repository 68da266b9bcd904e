#include "tests/workers/pipeline.hpp"

#include <catch2/catch.hpp>

namespace groth16d::worker::test {

namespace {

void name_work(v1::Work* work) {
  work->set_job("job");
  work->set_partition(0);
  work->set_attempt(1);
}

// What PROVE, B2 and ASSEMBLE share.
template <class Message>
void name_reading(Message* message, const TestCircuit& circuit, const TestPartition& partition) {
  name_work(message->mutable_work());
  *message->mutable_key() = circuit.key.lease();
  *message->mutable_r1cs() = circuit.r1cs.lease();
  *message->mutable_witness() = partition.witness.lease();
}

void require_success(const Answer& answer) {
  INFO(failure_text(answer));
  REQUIRE_FALSE(answer.result.has_failed());
}

}  // namespace

v1::Down inspect_circuit_message(const TestCircuit& circuit, bool allow_insecure) {
  v1::Down down;
  name_work(down.mutable_inspect()->mutable_work());
  v1::InspectCircuit& message = *down.mutable_inspect()->mutable_circuit();
  *message.mutable_key_file() = circuit.key_file.lease();
  message.set_key_name("circuit.zkey");
  if (circuit.r1cs_file) *message.mutable_r1cs_file() = circuit.r1cs_file->lease();
  message.set_r1cs_name("circuit.r1cs");
  message.set_allow_insecure(allow_insecure);
  return down;
}

v1::Down load_message(const TestCircuit& circuit) {
  v1::Down down;
  v1::AssignLoad& message = *down.mutable_load();
  *message.mutable_key_file() = circuit.key_file.lease();
  message.set_key_name("circuit.zkey");
  if (circuit.r1cs_file) *message.mutable_r1cs_file() = circuit.r1cs_file->lease();
  message.set_r1cs_name("circuit.r1cs");
  message.set_key_digest(circuit.facts.key_digest());
  message.set_r1cs_digest(circuit.facts.r1cs_digest());
  *message.mutable_key() = circuit.key.lease();
  *message.mutable_r1cs() = circuit.r1cs.lease();
  return down;
}

v1::Down inspect_input_message(const TestCircuit& circuit, const TestSegment& file, const std::string& declared) {
  v1::Down down;
  name_work(down.mutable_inspect()->mutable_work());
  v1::InspectInput& message = *down.mutable_inspect()->mutable_input();
  *message.mutable_input_file() = file.lease();
  message.set_input_name("witness.wtns");
  message.set_declared_public_json(declared);
  message.set_curve(circuit.facts.curve());
  message.set_n_vars(circuit.facts.n_vars());
  message.set_n_public(circuit.facts.n_public());
  return down;
}

v1::Down synth_message(const TestCircuit& circuit, const TestPartition& partition) {
  v1::Down down;
  v1::AssignSynth& message = *down.mutable_synth();
  name_work(message.mutable_work());
  *message.mutable_input() = partition.input.lease();
  message.set_input_name("witness.wtns");
  *message.mutable_r1cs() = circuit.r1cs.lease();
  *message.mutable_witness() = partition.witness.lease();
  *message.mutable_ab() = partition.ab.lease();
  return down;
}

v1::Down prove_message(const TestCircuit& circuit, const TestPartition& partition, bool ab_is_fresh) {
  v1::Down down;
  name_reading(down.mutable_prove(), circuit, partition);
  *down.mutable_prove()->mutable_ab() = partition.ab.lease();
  down.mutable_prove()->set_ab_is_fresh(ab_is_fresh);
  return down;
}

v1::Down b2_message(const TestCircuit& circuit, const TestPartition& partition) {
  v1::Down down;
  name_reading(down.mutable_b2(), circuit, partition);
  return down;
}

v1::Down assemble_message(const TestCircuit& circuit, const TestPartition& partition) {
  v1::Down down;
  name_reading(down.mutable_assemble(), circuit, partition);
  down.mutable_assemble()->set_sums(partition.sums);
  down.mutable_assemble()->set_b2(partition.b2);
  down.mutable_assemble()->set_statement(partition.statement);
  return down;
}

void lease_circuit_files(FakeSupervisor& supervisor, const WorkerProcess& worker, const TestCircuit& circuit) {
  supervisor.give_file(worker, circuit.key_file);
  if (circuit.r1cs_file) supervisor.give_file(worker, *circuit.r1cs_file);
}

void lease_for_synth(FakeSupervisor& supervisor, const WorkerProcess& worker, const TestCircuit& circuit,
                     const TestPartition& partition) {
  supervisor.read(worker, partition.input);
  supervisor.read(worker, circuit.r1cs);
  supervisor.write(worker, partition.witness);
  supervisor.write(worker, partition.ab);
}

void lease_for_reading(FakeSupervisor& supervisor, const WorkerProcess& worker, const TestCircuit& circuit,
                       const TestPartition& partition, bool with_residents) {
  supervisor.read(worker, partition.witness);
  if (!with_residents) return;
  supervisor.read(worker, circuit.key);
  supervisor.read(worker, circuit.r1cs);
}

TestCircuit loaded_circuit(FakeSupervisor& supervisor, const FileBytes& zkey, const FileBytes* r1cs) {
  const WorkerProcess load = supervisor.start("load");
  TestCircuit circuit;
  circuit.key_file = supervisor.file(zkey);
  if (r1cs != nullptr) circuit.r1cs_file = supervisor.file(*r1cs);

  lease_circuit_files(supervisor, load, circuit);
  const Answer inspected = supervisor.perform(load, inspect_circuit_message(circuit));
  require_success(inspected);
  circuit.facts = inspected.result.inspected().circuit();

  circuit.key = supervisor.segment(shm::SegmentKind::key, circuit.facts.key_bytes(), "");
  circuit.r1cs = supervisor.segment(shm::SegmentKind::r1cs, circuit.facts.r1cs_bytes(), "");
  lease_circuit_files(supervisor, load, circuit);
  supervisor.write(load, circuit.key);
  supervisor.write(load, circuit.r1cs);
  const Answer loaded = supervisor.perform(load, load_message(circuit));
  require_success(loaded);
  circuit.facts = loaded.result.loaded().circuit();
  // The proof that the loader has unmapped both: the kernel would refuse this otherwise.
  REQUIRE(shm::seal_write(circuit.key.fd.get()));
  REQUIRE(shm::seal_write(circuit.r1cs.fd.get()));
  return circuit;
}

TestPartition new_partition(FakeSupervisor& supervisor, const TestCircuit& circuit, const FileBytes& wtns) {
  TestPartition partition;
  partition.input = supervisor.filled_segment(shm::SegmentKind::input, wtns);
  partition.witness = supervisor.segment(shm::SegmentKind::witness, circuit.facts.witness_bytes());
  partition.ab = supervisor.segment(shm::SegmentKind::ab, circuit.facts.ab_bytes());
  return partition;
}

void synthesise(FakeSupervisor& supervisor, const TestCircuit& circuit, TestPartition& partition) {
  const WorkerProcess synth = supervisor.start("synth");
  lease_for_synth(supervisor, synth, circuit, partition);
  const Answer sealed = supervisor.perform(synth, synth_message(circuit, partition));
  require_success(sealed);
  REQUIRE(sealed.result.sealed().witness_bytes() > 0);
  REQUIRE(shm::seal_write(partition.witness.fd.get()));
}

void prove(FakeSupervisor& supervisor, const TestCircuit& circuit, TestPartition& partition, bool ab_is_fresh) {
  const WorkerProcess cpu = supervisor.start("cpu");
  lease_for_reading(supervisor, cpu, circuit, partition);
  supervisor.write(cpu, partition.ab);
  const Answer proven = supervisor.perform(cpu, prove_message(circuit, partition, ab_is_fresh));
  require_success(proven);
  partition.sums = proven.result.prove_done().sums();
}

void compute_b2(FakeSupervisor& supervisor, const WorkerProcess& final, const TestCircuit& circuit,
                TestPartition& partition) {
  lease_for_reading(supervisor, final, circuit, partition);
  const Answer done = supervisor.perform(final, b2_message(circuit, partition));
  require_success(done);
  partition.b2 = done.result.b2_done().point();
}

Answer finish(FakeSupervisor& supervisor, const TestCircuit& circuit, TestPartition& partition) {
  prove(supervisor, circuit, partition);
  const WorkerProcess final = supervisor.start("final");
  compute_b2(supervisor, final, circuit, partition);
  // The finalizer still has the key and the constraint system: only the witness is leased again.
  lease_for_reading(supervisor, final, circuit, partition, false);
  return supervisor.perform(final, assemble_message(circuit, partition));
}

}  // namespace groth16d::worker::test
