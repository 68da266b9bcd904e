// Requests are judged by their rules before any file is touched, and compared by what they mean.
#include <catch2/catch.hpp>

#include "supervisor/client_messages.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;

namespace {

v1::SubmitRequest good_request() {
  v1::SubmitRequest request;
  request.set_job("job-1");
  request.set_circuit("multiplier");
  request.add_partitions()->set_path("/srv/w.wtns");
  return request;
}

std::string refusal(const v1::SubmitRequest& request, std::size_t payload_frames = 0) {
  const auto checked = check_submit(request, payload_frames);
  REQUIRE_FALSE(checked);
  CHECK(checked.error().code == ErrorCode::malformed);
  return checked.error().name;
}

}  // namespace

TEST_CASE("names are 1 to 64 letters, digits, dots, underscores and hyphens") {
  CHECK(check_name("job", "a"));
  CHECK(check_name("job", "A.b_c-9" + std::string(57, 'x')));
  for (const std::string& name : {std::string(), std::string(65, 'a'), std::string("a/b"), std::string("a b"),
                                  std::string("a\0b", 3), std::string("\xc3\xa9")})
    CHECK_FALSE(check_name("job", name));
}

TEST_CASE("a submit that breaks a rule is refused by the rule's name") {
  CHECK(check_submit(good_request(), 0));
  auto request = good_request();
  request.set_job("");
  CHECK(refusal(request) == "request.name");
  request = good_request();
  request.clear_circuit();
  CHECK(refusal(request) == "request.circuit");
  request = good_request();
  request.set_key_path("/srv/k.zkey");
  CHECK(refusal(request) == "request.circuit");
  request = good_request();
  request.set_r1cs_path("/srv/k.r1cs");
  CHECK(refusal(request) == "request.circuit");
  request = good_request();
  request.clear_partitions();
  CHECK(refusal(request) == "request.partitions");
  request = good_request();
  request.add_partitions();
  CHECK(refusal(request) == "request.input");
  request = good_request();
  request.mutable_partitions(0)->set_path("");
  CHECK(refusal(request) == "request.input");
  CHECK(refusal(good_request(), 1) == "request.payload");
  request = good_request();
  for (int partition = 0; partition < 3; ++partition) request.add_partitions()->set_payload_frames(0xFFFFFFFF);
  CHECK(refusal(request, 0xFFFFFFFD) == "request.payload");  // the sum does not wrap
  request = good_request();
  request.mutable_partitions(0)->set_payload_frames(0);
  CHECK(refusal(request) == "request.input");
  request = good_request();
  request.set_priority(static_cast<v1::Priority>(99));
  CHECK(refusal(request) == "request.priority");
}

TEST_CASE("a job of more partitions than there may be is refused before any of them is looked at") {
  auto request = good_request();
  while (request.partitions_size() < static_cast<int>(kMostPartitions)) request.add_partitions()->set_path("/srv/w");
  CHECK(check_submit(request, 0));
  request.add_partitions();  // without an input, too
  CHECK(refusal(request) == "job.partitions");
}

TEST_CASE("a deadline that no clock can count to is refused") {
  auto request = good_request();
  request.set_deadline_ms(kMostDeadline_ms);
  CHECK(check_submit(request, 0));
  for (const std::uint64_t deadline_ms : {kMostDeadline_ms + 1, std::uint64_t{INT64_MAX}, ~std::uint64_t{0}}) {
    request.set_deadline_ms(deadline_ms);
    CHECK(refusal(request) == "request.deadline");
  }
}

TEST_CASE("a request weighs its payload, its body's copies and its partitions, and each file that it names once") {
  auto request = good_request();
  CHECK(burden_of(request, 100, {}).bytes >= 100 * kCopiesOfBody);
  CHECK(burden_of(request, 100, {}).files == 1);
  for (int again = 0; again < 99; ++again) request.add_partitions()->set_path("/srv/w.wtns");
  CHECK(burden_of(request, 100, {}).bytes > burden_of(good_request(), 100, {}).bytes + 99 * sizeof(v1::PartitionInput));
  CHECK(burden_of(request, 100, {}).files == 1);
  request.add_partitions()->set_path("/srv/x.wtns");
  for (int again = 0; again < 2; ++again) request.add_partitions()->set_upload(std::string(32, 'u'));
  CHECK(burden_of(request, 100, {}).files == 3);

  std::vector<zmq::message_t> payload;
  for (int frame = 0; frame < 2; ++frame) payload.emplace_back(1'000);
  const std::uint64_t without = burden_of(request, 100, {}).bytes;
  request.add_partitions()->set_payload_frames(2);
  CHECK(burden_of(request, 100, payload).bytes >= without + 2'000);
  CHECK(burden_of(request, 100, payload).files == 3);
}

TEST_CASE("what waits for the spool is bounded, in bodies as in payload, and who leaves makes room") {
  auto request = good_request();
  request.mutable_partitions(0)->set_declared_public_json(std::string(1'000'000, '1'));
  const Burden burden = burden_of(request, request.ByteSizeLong(), {});
  WaitingRoom room;
  std::uint64_t bodies = 0;
  while (bodies < 10'000 && room.enter(burden)) ++bodies;
  CHECK(bodies > 4);
  CHECK(bodies * 4'000'000 <= kMostWaitingBytes);
  CHECK(room.enter(burden).error().code == ErrorCode::busy);
  CHECK(room.enter(burden).error().name == "request.too_many");
  room.leave(burden);
  CHECK(room.enter(burden));
}

TEST_CASE("the files of all that waits are bounded, and the largest job is let in") {
  auto request = good_request();
  while (request.partitions_size() < static_cast<int>(kMostPartitions))
    request.add_partitions()->set_path("/srv/" + std::to_string(request.partitions_size()));
  const Burden burden = burden_of(request, request.ByteSizeLong(), {});
  CHECK(burden.files == kMostPartitions);
  WaitingRoom room;
  std::uint64_t jobs = 0;
  while (jobs < 100 && room.enter(burden)) ++jobs;
  CHECK(jobs >= 1);
  CHECK(jobs * kMostPartitions <= kMostWaitingFiles);
  CHECK(room.enter({1, 1}).has_value() == (jobs * kMostPartitions < kMostWaitingFiles));
}

TEST_CASE("a list of jobs in a state that there is not is refused") {
  v1::ListRequest request;
  request.add_states(v1::DONE);
  CHECK(check_list(request));
  request.add_states(static_cast<v1::JobState>(99));
  const auto checked = check_list(request);
  REQUIRE_FALSE(checked);
  CHECK(checked.error().name == "request.states");
}

TEST_CASE("the normal form is equal for what means the same and different for every field") {
  const auto base = normal_form(good_request());
  auto same = good_request();
  same.set_priority(v1::PRIORITY_NORMAL);
  CHECK(normal_form(same) == base);

  std::vector<v1::SubmitRequest> others(7, good_request());
  others[0].set_job("job-2");
  others[1].set_circuit("other");
  others[2].set_priority(v1::PRIORITY_HIGH);
  others[3].set_deadline_ms(5);
  others[4].mutable_partitions(0)->set_path("/srv/x.wtns");
  others[5].mutable_partitions(0)->set_declared_public_json("[]");
  others[6].mutable_partitions(0)->set_payload_frames(1);
  for (const auto& other : others) CHECK(normal_form(other) != base);
}

TEST_CASE("fields cannot be moved across their borders without changing the normal form") {
  auto first = good_request();
  first.set_job("a");
  first.set_circuit("bc");
  auto second = good_request();
  second.set_job("ab");
  second.set_circuit("c");
  CHECK(normal_form(first) != normal_form(second));
}

TEST_CASE("a circuit by path is shown by its path, a registered one by its name") {
  JobView job;
  job.circuit = "path:/srv/a.zkey|/srv/a.r1cs||65024:1:2:3";
  CHECK(status_of(job).circuit() == "path:/srv/a.zkey");
  job.circuit = "spend";
  CHECK(status_of(job).circuit() == "spend");
}

TEST_CASE("states of a list request are translated, and none means all") {
  v1::ListRequest request;
  CHECK(states_of(request).empty());
  request.add_states(v1::DONE);
  request.add_states(v1::QUARANTINED);
  CHECK(states_of(request) == std::vector<JobState>{JobState::done, JobState::quarantined});
}
