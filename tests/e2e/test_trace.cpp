// groth16ctl trace: what Chrome's and Perfetto's viewers need of every event, and a story that can be true.
#include <signal.h>

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "common/posix.hpp"
#include "tests/e2e/run_program.hpp"
#include "tests/e2e/scene.hpp"

using namespace groth16d;
using namespace groth16d::e2e;
using Json = nlohmann::json;

namespace {

struct Span {
  std::string stage, slot, outcome;
  std::uint32_t partition = 0, attempt = 0;
  std::uint64_t begin_us = 0, end_us = 0;
};

// The complete events, under the names of their threads. Fails the test where the format is not the viewers'.
std::vector<Span> spans_of(const Json& trace) {
  std::map<int, std::string> threads;
  std::vector<Span> spans;
  REQUIRE(trace.at("traceEvents").is_array());
  std::size_t processes = 0;
  for (const Json& event : trace.at("traceEvents")) {
    REQUIRE(event.at("pid").get<int>() == 1);
    REQUIRE(event.at("tid").is_number_unsigned());
    if (event.at("ph") == "M") {
      const std::string name = event.at("args").at("name");
      if (event.at("name") == "process_name") ++processes;
      if (event.at("name") == "thread_name") CHECK(threads.emplace(event.at("tid"), name).second);
      continue;
    }
    REQUIRE(event.at("ph") == "X");
    REQUIRE(event.at("ts").is_number_unsigned());
    REQUIRE(event.at("dur").is_number_unsigned());
    const Json& arguments = event.at("args");
    for (const auto& [kind, bytes] : arguments.at("held").items()) {
      CHECK(kind.ends_with("_bytes"));
      CHECK(bytes.get<std::uint64_t>() > 0);
    }
    const std::uint64_t begin_us = event.at("ts"), length_us = event.at("dur");
    REQUIRE(threads.contains(event.at("tid")));  // named before it is used
    spans.push_back({event.at("name"), threads.at(event.at("tid")), arguments.at("outcome"), arguments.at("partition"),
                     arguments.at("attempt"), begin_us, begin_us + length_us});
  }
  CHECK(processes == 1);
  return spans;
}

const Span& done(const std::vector<Span>& spans, const std::string& stage, std::uint32_t partition) {
  const auto place = std::find_if(spans.begin(), spans.end(), [&](const Span& span) {
    return span.stage == stage && span.partition == partition && span.outcome == "done";
  });
  INFO(stage << " of partition " << partition);
  REQUIRE(place != spans.end());
  return *place;
}

// Each stage of each partition is there, on a slot of its role, after those that it needs.
void check_story(const std::vector<Span>& spans, std::uint32_t partitions) {
  static const std::map<std::string, std::string> kRoles{
      {"inspect", "load-"}, {"synth", "synth-"}, {"prove", "cpu-"}, {"b2", "final-"}, {"assemble", "final-"}};
  for (const Span& span : spans) CHECK(span.slot.starts_with(kRoles.at(span.stage)));
  for (std::uint32_t partition = 0; partition < partitions; ++partition) {
    const auto of = [&](const char* stage) -> const Span& { return done(spans, stage, partition); };
    CHECK(of("inspect").end_us <= of("synth").begin_us);
    CHECK(of("synth").end_us <= of("prove").begin_us);
    CHECK(of("synth").end_us <= of("b2").begin_us);
    CHECK(std::max(of("prove").end_us, of("b2").end_us) <= of("assemble").begin_us);
  }
  // A worker does one thing at a time.
  for (const Span& one : spans)
    for (const Span& other : spans)
      if (&one != &other && one.slot == other.slot)
        CHECK((one.end_us <= other.begin_us || other.end_us <= one.begin_us));
}

}  // namespace

TEST_CASE("the trace of a job is a viewer's file, and tells of each stage of each partition in an order that can be") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), groth16::CurveId::bn254, 10, 3);
  const auto daemon = start_daemon(folder.path());
  auto client = connect(daemon);
  add_circuit(client, "c", files);
  const auto job = run_job(client, request_for("job", "c", files.witnesses));
  REQUIRE(job.state() == v1::DONE);

  const auto printed = ctl({"--runtime-dir", daemon.runtime_dir(), "trace", "job"});
  REQUIRE(printed.exit_code == 0);
  const auto spans = spans_of(Json::parse(printed.out));
  check_story(spans, 3);
  CHECK(spans.size() == static_cast<std::size_t>(job.timeline_size()));
  for (const Span& span : spans) CHECK(span.end_us <= client.status("job")->age_ms() * 1000);

  const fs::path file = folder.path() / "trace.json";
  REQUIRE(ctl({"--runtime-dir", daemon.runtime_dir(), "trace", "job", "--out", file}).exit_code == 0);
  CHECK(Json::parse(read_text_file(file, 1 << 20).value()) == Json::parse(printed.out));
  CHECK(ctl({"--runtime-dir", daemon.runtime_dir(), "trace", "nobody"}).exit_code == 4);
}

TEST_CASE("a stage whose worker died is in the trace as died, and again as done") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), groth16::CurveId::bn254, 15, 1);
  const auto daemon = start_daemon(folder.path());
  auto client = connect(daemon);
  add_circuit(client, "c", files);
  REQUIRE(client.submit(request_for("job", "c", files.witnesses)).has_value());
  v1::WorkerStatus prover;
  REQUIRE(eventually([&] { return (prover = worker_on(client, "cpu-0")).stage() == "prove"; }));
  REQUIRE(::kill(static_cast<pid_t>(prover.pid()), SIGKILL) == 0);
  REQUIRE(wait_for(client, "job").state() == v1::DONE);

  const auto spans = spans_of(Json::parse(ctl({"--runtime-dir", daemon.runtime_dir(), "trace", "job"}).out));
  check_story(spans, 1);
  const auto died = std::find_if(spans.begin(), spans.end(), [](const Span& span) { return span.outcome == "died"; });
  REQUIRE(died != spans.end());
  CHECK(died->stage == "prove");
  CHECK(died->attempt == 1);
  CHECK(done(spans, "prove", 0).attempt == 2);
  CHECK(done(spans, "prove", 0).begin_us >= died->end_us);
}
