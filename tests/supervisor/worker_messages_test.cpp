// What a worker says reaches the core unchanged, and what the core assigns reaches the worker unchanged.
#include <catch2/catch.hpp>

#include "supervisor/worker_messages.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;

namespace {

ipc::Up from_worker() {
  ipc::Up up;
  up.set_slot("synth-2");
  up.set_epoch(9);
  up.set_assignment(77);
  return up;
}

template <class Expected>
Expected as(const ipc::Up& up) {
  const auto event = event_of(up);
  REQUIRE(event);
  REQUIRE(std::holds_alternative<Expected>(*event));
  return std::get<Expected>(*event);
}

}  // namespace

TEST_CASE("every message keeps its token") {
  ipc::Up up = from_worker();
  up.mutable_bye();
  const auto bye = as<WorkerBye>(up);
  CHECK(bye.from.slot == SlotId{Role::synth, 2});
  CHECK(bye.from.epoch == 9);
  CHECK(bye.from.assignment == 77);
}

TEST_CASE("a message of no slot, or without a body, is no event") {
  ipc::Up up = from_worker();
  CHECK_FALSE(event_of(up));
  up.mutable_bye();
  up.set_slot("synth");
  CHECK_FALSE(event_of(up));
  up.set_slot("");
  CHECK_FALSE(event_of(up));
}

TEST_CASE("a failure keeps its class, and a class that is not known becomes ours") {
  ipc::Up up = from_worker();
  auto* failed = up.mutable_failed();
  failed->set_code("unsatisfied");
  failed->set_name("witness.row");
  failed->set_text("row 7");
  failed->set_retryable(true);
  failed->set_blame(groth16d::worker::v1::BLAME_INPUT);
  const auto event = as<AssignmentFailed>(up);
  CHECK(event.error.code == ErrorCode::unsatisfied);
  CHECK(event.error.name == "witness.row");
  CHECK(event.retryable);
  CHECK(event.blame == Blame::input);
  failed->set_code("a later invention");
  CHECK(as<AssignmentFailed>(up).error.code == ErrorCode::internal);
}

TEST_CASE("inspected circuits and inputs are told apart, and neither is no event") {
  ipc::Up up = from_worker();
  up.mutable_inspected();
  CHECK_FALSE(event_of(up));
  up.mutable_inspected()->mutable_circuit()->set_witness_bytes(123);
  CHECK(as<CircuitInspected>(up).facts.witness_bytes == 123);
  up.mutable_inspected()->mutable_input()->set_statement("s");
  CHECK(as<InputInspected>(up).facts.statement == "s");
}

TEST_CASE("an assignment names its work and its leases; a lease that is not given is absent") {
  const Assign assign{{Role::synth, 1}, 4, 55, {"job", 3, 2}, AssignSynth{{1, 10}, "w.wtns", {}, {2, 20}, {3, 30}}};
  const ipc::Down down = down_of(assign);
  CHECK(down.slot() == "synth-1");
  CHECK(down.epoch() == 4);
  CHECK(down.assignment() == 55);
  REQUIRE(down.has_synth());
  CHECK(down.synth().work().job() == "job");
  CHECK(down.synth().work().partition() == 3);
  CHECK(down.synth().work().attempt() == 2);
  CHECK(down.synth().input().segment() == 1);
  CHECK(down.synth().input().generation() == 10);
  CHECK_FALSE(down.synth().has_r1cs());
  CHECK(down.synth().ab().segment() == 3);
}

TEST_CASE("both inspections carry their work beside what is inspected") {
  const ipc::Down circuit =
      down_of(Assign{{Role::load, 0}, 1, 2, {"circuit.m", 0, 1}, AssignInspectCircuit{{5, 1}, {}, "k", "", true}});
  CHECK(circuit.inspect().work().job() == "circuit.m");
  CHECK(circuit.inspect().circuit().key_file().segment() == 5);
  CHECK_FALSE(circuit.inspect().circuit().has_r1cs_file());
  CHECK(circuit.inspect().circuit().allow_insecure());
  const ipc::Down input =
      down_of(Assign{{Role::load, 0}, 1, 2, {"j", 1, 1}, AssignInspectInput{{6, 1}, "w", "[]", "bn128", 8, 2, 3}});
  CHECK(input.inspect().input().input_file().segment() == 6);
  CHECK(input.inspect().input().n_vars() == 8);
  CHECK(input.inspect().input().n_partitions() == 3);
}

TEST_CASE("an ab segment that is not fresh says so") {
  const ipc::Down down =
      down_of(Assign{{Role::cpu, 0}, 1, 2, {"j", 0, 2}, AssignProve{{1, 1}, {2, 1}, {3, 1}, {4, 1}, false}});
  CHECK_FALSE(down.prove().ab_is_fresh());
  CHECK(down.prove().ab().segment() == 4);
}
