// What intake cut out of an input is in the input's place before a segment is filled from it, whatever comes between.
#include <catch2/catch.hpp>

#include "supervisor/cut_inputs.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;

namespace {

constexpr SlotId kSlot{Role::load, 0};

Assign inspection(AssignmentId assignment, const JobId& job = "j", std::uint32_t partition = 1) {
  return {kSlot, 4, assignment, {job, partition, 1}, AssignInspectInput{{6, 1}, "c1", "", "bls12381", 8, 2, 3}};
}

ipc::Up cut_message(AssignmentId assignment, std::uint64_t epoch = 4, const std::string& cut = "the cut") {
  ipc::Up up;
  up.set_slot("load-0");
  up.set_epoch(epoch);
  up.set_assignment(assignment);
  up.mutable_inspected()->mutable_input()->set_cut_input(cut);
  return up;
}

AllocateSegments allocation(RequestId request, const JobId& job = "j", std::uint32_t partition = 1) {
  SegmentSpec input, witness;
  witness.work = input.work = {job, partition, 1};
  input.fill_from_spool = true;
  return {request, {witness, input}};
}

InputReplaced refused(const ReplaceInput& asked) {
  return {asked.job, asked.partition, Error{ErrorCode::unavailable, "spool.write", "full"}, asked.bytes};
}

bool is_nothing(const CutInputs::Next& next) { return !next.allocate && !next.replace && !next.failed; }

// With one cut under way: of partition 1 of "j".
struct UnderWay {
  CutInputs inputs;
  ReplaceInput asked;
  UnderWay() {
    inputs.assigned(inspection(7));
    asked = inputs.cut_of(cut_message(7)).value();
  }
};

}  // namespace

TEST_CASE("a cut is for the input that its slot was given last, and is taken once") {
  CutInputs inputs;
  CHECK_FALSE(inputs.cut_of(cut_message(7)));
  inputs.assigned(inspection(7));
  CHECK_FALSE(inputs.cut_of(cut_message(6)));
  CHECK_FALSE(inputs.cut_of(cut_message(7, 3)));
  CHECK_FALSE(inputs.cut_of(cut_message(7, 4, "")));
  const auto asked = inputs.cut_of(cut_message(7));
  REQUIRE(asked);
  CHECK(asked->job == "j");
  CHECK(asked->partition == 1);
  CHECK(asked->bytes == "the cut");
  CHECK_FALSE(inputs.cut_of(cut_message(7)));

  inputs.assigned(inspection(8));
  inputs.assigned(inspection(9, "k", 2));
  CHECK_FALSE(inputs.cut_of(cut_message(8)));
  CHECK(inputs.cut_of(cut_message(9))->job == "k");
}

TEST_CASE("an assignment that inspects no input changes nothing") {
  CutInputs inputs;
  inputs.assigned(inspection(7));
  inputs.assigned({kSlot, 4, 8, {"circuit.m", 0, 1}, AssignInspectCircuit{{5, 1}, {}, "k", "", true}});
  CHECK(inputs.cut_of(cut_message(7)));
}

TEST_CASE("an allocation waits for the cut that it copies, and no other does") {
  UnderWay world;
  CHECK(world.inputs.allocating(allocation(20, "j", 0)).allocate->request == 20);
  CHECK(world.inputs.allocating(allocation(21, "k", 1)).allocate->request == 21);
  AllocateSegments key{22, {SegmentSpec{}}};
  CHECK(world.inputs.allocating(key).allocate->request == 22);

  CHECK(is_nothing(world.inputs.allocating(allocation(23))));
  const auto next = world.inputs.replaced({"j", 1, std::nullopt, {}});
  REQUIRE(next.allocate);
  CHECK(next.allocate->request == 23);
  CHECK(next.allocate->segments.size() == 2);
  CHECK(world.inputs.allocating(allocation(24)).allocate->request == 24);
}

TEST_CASE("a cut that was in its place before the allocation lets it pass") {
  UnderWay world;
  CHECK(is_nothing(world.inputs.replaced({"j", 1, std::nullopt, {}})));
  CHECK(world.inputs.allocating(allocation(20)).allocate);
}

TEST_CASE("where the disk refuses the cut the allocation fails, and the next one has the disk asked again") {
  UnderWay world;
  CHECK(is_nothing(world.inputs.allocating(allocation(20))));
  const auto next = world.inputs.replaced(refused(world.asked));
  REQUIRE(next.failed);
  CHECK(next.failed->request == 20);
  CHECK(next.failed->error.name == "spool.write");
  CHECK_FALSE(next.allocate);

  const auto again = world.inputs.allocating(allocation(21));
  REQUIRE(again.replace);
  CHECK(again.replace->bytes == "the cut");
  CHECK_FALSE(again.allocate);
  CHECK(world.inputs.replaced({"j", 1, std::nullopt, {}}).allocate->request == 21);
}

TEST_CASE("a refusal before anyone waits is kept until someone does") {
  UnderWay world;
  CHECK(is_nothing(world.inputs.replaced(refused(world.asked))));
  CHECK(world.inputs.allocating(allocation(20)).replace->bytes == "the cut");
}

TEST_CASE("a job that was deleted is forgotten, also what still comes for it") {
  UnderWay world;
  world.inputs.assigned(inspection(8));
  world.inputs.forget("j");
  CHECK_FALSE(world.inputs.cut_of(cut_message(8)));
  CHECK(is_nothing(world.inputs.replaced(refused(world.asked))));
  CHECK(world.inputs.allocating(allocation(20)).allocate);
}
