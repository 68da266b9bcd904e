// The four programs in their parts, one partition from its files to a verified proof.
#include <sys/wait.h>
#include <catch2/catch.hpp>

#include <csignal>

#include "groth16/formats/proof_binary.hpp"
#include "groth16/formats/snarkjs_json.hpp"
#include "groth16/proof/verify.hpp"
#include "tests/workers/pipeline.hpp"

namespace groth16d::worker::test {

namespace {

using groth16::Bls12_381;
using groth16::Bn254;

template <class C>
void check_proof(const v1::AssembleDone& done) {
  const auto& expected = sample<C>();
  const auto proof = groth16::formats::decompress<C>(std::as_bytes(std::span(done.proof())));
  REQUIRE(proof);
  CHECK(groth16::verify<C>(expected.vk, expected.publics, *proof));
  CHECK(done.proof_json() == groth16::formats::proof_json(*proof));
  CHECK(done.public_json() == groth16::formats::public_json(expected.publics));
}

}  // namespace

TEMPLATE_TEST_CASE("the workers turn a circuit's files and a witness into a proof that verifies", "", Bn254,
                   Bls12_381) {
  using C = TestType;
  FakeSupervisor supervisor;
  const bool with_r1cs = GENERATE(false, true);
  CAPTURE(with_r1cs);
  const TestCircuit circuit = loaded_circuit(supervisor, sample<C>().zkey, with_r1cs ? &sample<C>().r1cs : nullptr);
  CHECK(circuit.facts.curve() == C::name);
  CHECK(circuit.facts.n_constraints() == 3);
  CHECK(circuit.facts.has_c() == with_r1cs);

  TestPartition partition = new_partition(supervisor, circuit, sample<C>().wtns);
  const WorkerProcess load = supervisor.start("load");
  const TestSegment file = supervisor.file(sample<C>().wtns);
  supervisor.give_file(load, file);
  const std::string declared = groth16::formats::public_json(sample<C>().publics);
  const Answer intake = supervisor.perform(load, inspect_input_message(circuit, file, declared));
  REQUIRE(failure_text(intake).empty());
  CHECK(intake.result.inspected().input().input_bytes() == sample<C>().wtns.size());
  partition.statement = intake.result.inspected().input().statement();
  CHECK_FALSE(partition.statement.empty());

  synthesise(supervisor, circuit, partition);
  const Answer assembled = finish(supervisor, circuit, partition);
  REQUIRE(failure_text(assembled).empty());
  check_proof<C>(assembled.result.assemble_done());
  CHECK(assembled.released == std::vector<std::uint64_t>{partition.witness.segment});
}

TEST_CASE("two assemblies of the same sums give two proofs, both valid") {
  FakeSupervisor supervisor;
  const TestCircuit circuit = loaded_circuit(supervisor, sample<Bn254>().zkey, nullptr);
  TestPartition partition = new_partition(supervisor, circuit, sample<Bn254>().wtns);
  synthesise(supervisor, circuit, partition);
  prove(supervisor, circuit, partition);
  const WorkerProcess final = supervisor.start("final");
  compute_b2(supervisor, final, circuit, partition);
  std::vector<std::string> proofs;
  for (int i = 0; i < 2; ++i) {
    lease_for_reading(supervisor, final, circuit, partition, false);
    const Answer assembled = supervisor.perform(final, assemble_message(circuit, partition));
    REQUIRE(failure_text(assembled).empty());
    check_proof<Bn254>(assembled.result.assemble_done());
    proofs.push_back(assembled.result.assemble_done().proof());
  }
  CHECK(proofs[0] != proofs[1]);
}

TEST_CASE("a prove stage that died after it spent a and b is repeated from the witness alone") {
  FakeSupervisor supervisor;
  const TestCircuit circuit = loaded_circuit(supervisor, sample<Bn254>().zkey, nullptr);
  TestPartition partition = new_partition(supervisor, circuit, sample<Bn254>().wtns);
  synthesise(supervisor, circuit, partition);
  prove(supervisor, circuit, partition);
  const std::string first = partition.sums;
  prove(supervisor, circuit, partition, false);
  CHECK(partition.sums == first);
}

TEMPLATE_TEST_CASE("a witness that breaks a constraint is refused with the row where the .r1cs is registered", "",
                   Bn254, Bls12_381) {
  using C = TestType;
  FakeSupervisor supervisor;
  const bool with_r1cs = GENERATE(false, true);
  const TestCircuit circuit = loaded_circuit(supervisor, sample<C>().zkey, with_r1cs ? &sample<C>().r1cs : nullptr);
  TestPartition partition = new_partition(supervisor, circuit, unsatisfying_witness_file<C>());
  synthesise(supervisor, circuit, partition);
  const Answer answer = finish(supervisor, circuit, partition);
  REQUIRE(answer.result.has_failed());
  const v1::Failed& failed = answer.result.failed();
  CHECK(failed.code() == "unsatisfied");
  if (with_r1cs) {
    CHECK(failed.name() == "witness.unsatisfied");
    CHECK(failed.blame() == v1::BLAME_INPUT);
    CHECK_FALSE(failed.retryable());
    CHECK_THAT(failed.text(), Catch::Contains("constraint 0 "));
  } else {
    CHECK(failed.name() == "proof.unverified");
    CHECK(failed.blame() == v1::BLAME_VERIFICATION);
    CHECK_THAT(failed.text(), Catch::Contains(".r1cs"));
  }
}

TEST_CASE("a wrong sum never becomes a proof, and the finalizer says that a sum is wrong") {
  FakeSupervisor supervisor;
  const TestCircuit circuit = loaded_circuit(supervisor, sample<Bn254>().zkey, &sample<Bn254>().r1cs);
  TestPartition partition = new_partition(supervisor, circuit, sample<Bn254>().wtns);
  synthesise(supervisor, circuit, partition);
  prove(supervisor, circuit, partition);
  const WorkerProcess final = supervisor.start("final");
  compute_b2(supervisor, final, circuit, partition);
  // Of the four points H, L, A, B1 the first is replaced by the second; and bytes that are no points at all.
  const std::size_t point_bytes = partition.sums.size() / 4;
  const std::string wrong = partition.sums.substr(point_bytes, point_bytes) + partition.sums.substr(point_bytes);
  for (const std::string& sums : {wrong, partition.sums.substr(1)}) {
    partition.sums = sums;
    lease_for_reading(supervisor, final, circuit, partition, false);
    const Answer answer = supervisor.perform(final, assemble_message(circuit, partition));
    REQUIRE(answer.result.has_failed());
    CHECK(answer.result.failed().name() == "proof.wrong_sums");
    CHECK(answer.result.failed().blame() == v1::BLAME_VERIFICATION);
  }
}

TEST_CASE("a witness that proves something else than was declared is refused at intake and again at assembly") {
  FakeSupervisor supervisor;
  const TestCircuit circuit = loaded_circuit(supervisor, sample<Bn254>().zkey, nullptr);
  const WorkerProcess load = supervisor.start("load");
  const TestSegment file = supervisor.file(sample<Bn254>().wtns);
  supervisor.give_file(load, file);
  const Answer refused = supervisor.perform(load, inspect_input_message(circuit, file, "[\"46\"]"));
  REQUIRE(refused.result.has_failed());
  CHECK(refused.result.failed().name() == "witness.statement");
  CHECK(refused.result.failed().blame() == v1::BLAME_INPUT);

  TestPartition partition = new_partition(supervisor, circuit, sample<Bn254>().wtns);
  const std::string declared = groth16::formats::public_json(sample<Bn254>().publics);
  supervisor.give_file(load, file);
  const Answer accepted = supervisor.perform(load, inspect_input_message(circuit, file, declared));
  REQUIRE(failure_text(accepted).empty());
  partition.statement = accepted.result.inspected().input().statement();
  partition.statement.back() = static_cast<char>(partition.statement.back() ^ 1);
  synthesise(supervisor, circuit, partition);
  const Answer answer = finish(supervisor, circuit, partition);
  REQUIRE(answer.result.has_failed());
  CHECK(answer.result.failed().name() == "witness.statement");
  CHECK(answer.result.failed().blame() == v1::BLAME_INPUT);
}

TEST_CASE("a synth worker that is killed in the middle costs its segments' content and nothing else") {
  if (!kFailpoints) {
    WARN("skipped: failpoints are compiled out");
    return;
  }
  FakeSupervisor supervisor;
  const TestCircuit circuit = loaded_circuit(supervisor, sample<Bn254>().zkey, nullptr);
  TestPartition partition = new_partition(supervisor, circuit, sample<Bn254>().wtns);
  WorkerProcess victim = supervisor.start("synth", "synth.middle=kill");
  lease_for_synth(supervisor, victim, circuit, partition);
  supervisor.assign(victim, synth_message(circuit, partition));

  const int status = victim.wait_for_end();
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
  const auto words = shm::read_last_words(victim.words.get());
  REQUIRE(words);
  CHECK(words->stage == "synth");
  CHECK(words->job == "job");
  CHECK(words->attempt == 1);
  // No mapping of the dead is left, so the same memory serves the next attempt and can be sealed after it.
  synthesise(supervisor, circuit, partition);
  const Answer answer = finish(supervisor, circuit, partition);
  REQUIRE(failure_text(answer).empty());
  check_proof<Bn254>(answer.result.assemble_done());
}

}  // namespace groth16d::worker::test
