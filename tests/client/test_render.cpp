// What a person sees: tables, units, timelines, and the files that results go to.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <array>
#include <filesystem>
#include <fstream>

#include "client/ctl/command.hpp"
#include "client/ctl/progress_bar.hpp"
#include "client/ctl/render_text.hpp"
#include "client/ctl/result_files.hpp"
#include "client/ctl/top_frame.hpp"
#include "client/json/message_json.hpp"
#include "common/unique_fd.hpp"

using namespace groth16d;
using namespace groth16d::ctl;

namespace {

v1::StageSpan span(const char* stage, const char* slot, std::uint64_t begin_ms, std::uint64_t end_ms,
                   const char* outcome = "done") {
  v1::StageSpan result;
  result.set_stage(stage);
  result.set_slot(slot);
  result.set_attempt(1);
  result.set_begin_ms(begin_ms);
  result.set_end_ms(end_ms);
  result.set_outcome(outcome);
  return result;
}

}  // namespace

TEST_CASE("columns of a table are as wide as their widest cell and lines have no blanks at their end") {
  CHECK(table({{"A", "LONG"}, {"wide", "x"}, {"y", ""}}) == "A     LONG\nwide  x\ny\n");
}

TEST_CASE("bytes and durations are told in the unit that a person would choose") {
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(1023) == "1023 B");
  CHECK(bytes_text(1536) == "1.5 KiB");
  CHECK(bytes_text(std::uint64_t{3} << 40) == "3.0 TiB");
  CHECK(duration_text(999) == "999 ms");
  CHECK(duration_text(12'340) == "12.3 s");
  CHECK(duration_text(245'000) == "4 min 05 s");
  CHECK(duration_text(12'000'000) == "3 h 20 min");
  CHECK(time_text(0) == "1970-01-01 00:00:00.000");
}

TEST_CASE("a timeline shows each stage where it was, and a death as such") {
  v1::JobStatus job;
  *job.add_timeline() = span("synth", "synth-0", 0, 50);
  *job.add_timeline() = span("prove", "cpu-0", 50, 60, "died");
  *job.add_timeline() = span("prove", "cpu-0", 60, 100);
  const std::string text = timeline_of(job);
  CHECK(text.find("synth-0") != std::string::npos);
  CHECK(text.find("########################........................") != std::string::npos);
  CHECK(text.find("died") != std::string::npos);
  CHECK(text.find("........................xxxx") != std::string::npos);
}

TEST_CASE("the progress line has the part done, the stage and the time left") {
  v1::JobStatus job;
  job.set_state(v1::RUNNING);
  job.add_partitions()->set_state(v1::PROVEN);
  job.add_partitions()->set_state(v1::WAITING);
  CHECK(progress_line(job, std::chrono::milliseconds(3000)) ==
        "[###############...............]  50 %  1 of 2 proven  about 3.0 s left");
}

TEST_CASE("JSON has the protocol's names, enums as words, digests as hexadecimal") {
  v1::CircuitStatus circuit;
  circuit.set_circuit("name");
  circuit.set_key_digest(std::string("\x01\xff", 2));
  CHECK(client::to_json(circuit).at("key_digest") == "01ff");
  CHECK(client::word_of(v1::DONE) == "done");
  CHECK(client::word_of(v1::SYNTHESISING) == "synthesising");
  CHECK(client::word_of(v1::PRIORITY_UNSPECIFIED) == "normal");
  CHECK(client::word_of(v1::PRIORITY_CRITICAL) == "critical");
}

TEST_CASE("a partition's number goes before the extension, and only where there are several") {
  CHECK(numbered("a/proof.json", 3, 10) == "a/proof-3.json");
  CHECK(numbered("proof", 0, 2) == "proof-0");
  CHECK(numbered("a/proof.json", 0, 1) == "a/proof.json");
  CHECK(numbered("", 0, 2).empty());
}

TEST_CASE("results are written all or not at all") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "groth16d-result-files";
  std::filesystem::create_directories(folder / "public.json");  // a folder where a file should go
  v1::PartitionResult partition;
  partition.set_proof_json("{}");
  partition.set_public_json("[]");
  const ResultPaths paths = {folder / "proof.json", folder / "public.json", ""};
  CHECK_FALSE(check_writable(paths).has_value());
  CHECK_FALSE(write_result(partition, paths).has_value());
  CHECK_FALSE(std::filesystem::exists(folder / "proof.json"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("after a failure a result behind a link is gone, too, and one stream takes two results in their order") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "groth16d-result-links";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "public.json");
  std::ofstream(folder / "target.json") << "old";
  std::filesystem::create_symlink(folder / "target.json", folder / "link.json");
  const client::ProofTexts texts = {"{}\n", "[]\n", ""};
  CHECK_FALSE(client::write_proof(texts, {folder / "link.json", folder / "public.json", ""}).has_value());
  CHECK_FALSE(std::filesystem::exists(folder / "target.json"));

  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const UniqueFd reader(::open(pipe.c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(client::write_proof(texts, {pipe, pipe, ""}).has_value());
  std::array<char, 16> read{};
  CHECK(::read(reader.get(), read.data(), read.size()) == 6);
  CHECK(std::string_view(read.data(), 6) == "{}\n[]\n");
  std::filesystem::remove_all(folder);
}

TEST_CASE("each class of refusal has its exit code") {
  const auto code = [](ErrorCode error, const char* name = "x") { return exit_code_of_call({error, name, ""}); };
  CHECK(code(ErrorCode::unavailable, "client.no_daemon") == ExitCode::unreachable);
  CHECK(code(ErrorCode::unavailable, "client.timeout") == ExitCode::unreachable);
  CHECK(code(ErrorCode::unavailable, "daemon.draining") == ExitCode::busy);
  CHECK(code(ErrorCode::busy) == ExitCode::busy);
  CHECK(code(ErrorCode::not_found) == ExitCode::refused);
  CHECK(code(ErrorCode::conflict) == ExitCode::refused);
  CHECK(code(ErrorCode::too_large) == ExitCode::refused);
  CHECK(code(ErrorCode::internal) == ExitCode::failed);
}

namespace {

v1::BufferCount buffer(const char* kind, const char* stage, std::uint64_t count, std::uint64_t bytes) {
  v1::BufferCount result;
  result.set_kind(kind);
  result.set_stage(stage);
  result.set_count(count);
  result.set_bytes(bytes);
  return result;
}

v1::DaemonStatus busy_daemon() {
  v1::DaemonStatus daemon;
  daemon.set_budget_total_bytes(1000);
  daemon.set_budget_used_bytes(600);
  *daemon.add_buffers() = buffer("key", "", 1, 300);
  *daemon.add_buffers() = buffer("ab", "proving", 2, 100);
  *daemon.add_buffers() = buffer("ab", "sealed", 1, 50);
  *daemon.add_buffers() = buffer("witness", "proving", 2, 1);
  auto& worker = *daemon.add_workers();
  worker.set_slot("cpu-0");
  worker.set_stage("prove");
  worker.set_job("job");
  worker.set_progress_permille(400);
  auto& queue = *daemon.add_queues();
  queue.set_priority(v1::PRIORITY_CRITICAL);
  queue.set_jobs(3);
  queue.set_partitions(7);
  auto& proving = *daemon.add_partitions();
  proving.set_state(v1::PROVING);
  proving.set_count(2);
  return daemon;
}

}  // namespace

TEST_CASE("the budget's bar shows each kind to scale, a small one too, what is only reserved, and what is free") {
  CHECK(budget_bar(busy_daemon(), 20) == "waaakkkkkk--........");
  CHECK(budget_bar(v1::DaemonStatus(), 5) == ".....");
  auto full = busy_daemon();
  full.set_budget_used_bytes(5000);  // never longer than the screen, whatever is told
  CHECK(budget_bar(full, 8).size() == 8);
}

TEST_CASE("buffers are summed by kind and by stage") {
  const std::string text = table_of_buffers(busy_daemon());
  CHECK(text.find("2  100 B") != std::string::npos);
  CHECK(text.find("3  150 B") != std::string::npos);  // ab in all stages
  CHECK(text.find("4  101 B") != std::string::npos);  // all that is proving
  CHECK(text.find("6  451 B") != std::string::npos);
  CHECK(table_of_buffers(v1::DaemonStatus()).empty());
}

TEST_CASE("a frame of top fits its screen and has budget, queue, way and workers") {
  const auto whole = frame_of(busy_daemon(), {});
  std::string text;
  for (const auto& line : whole) text += line + "\n";
  CHECK(text.find("critical 3 (7 partitions)") != std::string::npos);
  CHECK(text.find("sealed 0 > proving 2 > finalizing 0") != std::string::npos);
  CHECK(text.find("[####......]") != std::string::npos);
  CHECK(text.find("prove job/0") != std::string::npos);
  CHECK(text.find("- reserved 149 B") != std::string::npos);
  for (const FrameSize size : {FrameSize{40, 10}, FrameSize{1, 1}, FrameSize{200, 3}}) {
    const auto lines = frame_of(busy_daemon(), size);
    CHECK(lines.size() <= size.rows);
    for (const auto& line : lines) CHECK(line.size() <= size.columns);
  }
}
