// The memory wall: peak memory by the number of partitions in flight, where the prove stage is ten times slower than
// synthesis, so that sealed partitions pile up in front of it. What is predicted (the budget's own numbers) stands
// beside what is measured (the kernel's), and the bars between the two are asserted.
//
// Measured memory: allocated bytes of the supervisor's memfds, and of every worker its share of what is no shared
// memory (Pss without Pss_Shmem). The short form is a test; the whole form also writes memory_wall.csv beside the
// build's programs, from which bench/memory_wall.gp makes the plot of docs/.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "tests/faults/boolean_circuit.hpp"
#include "tests/faults/daemon.hpp"

using namespace groth16d;
using namespace groth16d::faults;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

constexpr char kCircuit[] = "bits";
constexpr char kWordsName[] = "groth16d-words";  // a worker's page of last words, which no budget counts
constexpr double kQueueTolerance = 0.02;         // of a longer queue at the same concurrency
constexpr std::uint64_t kPrivateTolerance = 20;  // one part in so many of a worker's private memory, or
constexpr std::uint64_t kPrivateSlack_bytes = 8 << 20;
constexpr std::uint64_t kResting_bytes = 6 << 20;  // that the budget charges for an idle worker
constexpr auto kSamplePause = 15ms;
constexpr auto kFreeing = 100ms;  // at most, of one segment
constexpr std::uint64_t kPage = 4096;

struct Plan {
  std::uint32_t domain_log2;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;  // {in flight, queue}
};

struct Row {
  std::uint32_t in_flight = 0, queue = 0;
  std::uint64_t resident_bytes = 0;                                        // counted, with nothing in flight
  std::uint64_t reservation_bytes = 0;                                     // of one partition
  std::uint64_t counted_bytes = 0;                                         // peak of the budget's use
  std::uint64_t segment_bytes = 0, private_bytes = 0, measured_bytes = 0;  // peaks, by the kernel
  std::uint64_t steady_bytes = 0;  // peak of segments and private memory once the first partitions in flight are done
  std::uint64_t supervisor_bytes = 0;   // peak of its private memory; outside the budget
  std::uint64_t comparisons = 0;        // moments at which the segments' counters met the kernel's
  std::vector<std::string> mismatches;  // and differed
  double seconds = 0;
  struct Worker {
    std::string slot;
    std::uint64_t predicted_bytes = 0, measured_bytes = 0;  // private, at its peak
  };
  std::vector<Worker> workers;  // that worked on partitions

  std::uint64_t predicted_bytes() const { return resident_bytes + in_flight * reservation_bytes; }
};

// ---------------------------------------------------------------- the kernel's numbers

std::uint64_t segments_of(pid_t supervisor) {
  std::uint64_t bytes = 0;
  for (const auto& [inode, memfd] : memfds_of(supervisor))
    if (memfd.name != kWordsName) bytes += memfd.bytes;
  return bytes;
}

// Looks at the process tree until it is told to stop, and keeps the peaks.
class Sampler {
 public:
  Sampler(const Daemon& daemon, const ProgramFolder& programs)
      : supervisor_(daemon.pid()), programs_(programs), thread_([this](const std::stop_token& stop) { run(stop); }) {}

  // From now on the peak is the steady state's, too: the mix of inputs and rows while the first partitions arrive hangs
  // on how fast a client submits.
  void enter_steady_state() { steady_state_ = true; }

  // Returns each worker's peak of private memory.
  std::map<pid_t, std::uint64_t> finish(Row& row) {
    thread_.request_stop();
    thread_.join();
    row.segment_bytes = segments_;
    row.private_bytes = workers_;
    row.measured_bytes = together_;
    row.steady_bytes = steady_;
    row.supervisor_bytes = supervisor_private_;
    return by_worker_;
  }

 private:
  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const std::uint64_t segments = segments_of(supervisor_);
      std::uint64_t workers = 0;
      for (const pid_t pid : programs_.processes()) {
        if (pid == supervisor_) continue;
        const std::uint64_t bytes = private_bytes_of(pid);
        workers += bytes;
        by_worker_[pid] = std::max(by_worker_[pid], bytes);
      }
      segments_ = std::max(segments_, segments);
      workers_ = std::max(workers_, workers);
      together_ = std::max(together_, segments + workers);
      if (steady_state_) steady_ = std::max(steady_, segments + workers);
      supervisor_private_ = std::max(supervisor_private_, private_bytes_of(supervisor_));
      std::this_thread::sleep_for(kSamplePause);
    }
  }

  const pid_t supervisor_;
  const ProgramFolder& programs_;
  std::map<pid_t, std::uint64_t> by_worker_;
  std::uint64_t segments_ = 0, workers_ = 0, together_ = 0, steady_ = 0, supervisor_private_ = 0;
  std::atomic<bool> steady_state_{false};
  std::jthread thread_;  // last: it uses all of the above
};

// ---------------------------------------------------------------- the daemon's numbers

std::uint64_t counted_segments(const v1::DaemonStatus& status) {
  std::uint64_t bytes = 0;
  for (const char* kind : {"input", "witness", "ab", "key", "r1cs", "pool"}) bytes += counted_bytes(status, kind);
  return bytes;
}

// A partition that was just admitted is counted before the kernel has allocated it.
bool is_allocating(const v1::DaemonStatus& status) {
  return std::any_of(status.buffers().begin(), status.buffers().end(),
                     [](const v1::BufferCount& buffer) { return buffer.stage() == "queued"; });
}

// Compares the two counts at a moment at which neither moves for `pause`.
void compare_segments(client::Client& client, pid_t supervisor, Row& row, std::chrono::milliseconds pause = 2ms) {
  const auto before = daemon_status(client);
  const std::uint64_t kernel = segments_of(supervisor);
  std::this_thread::sleep_for(pause);
  const std::uint64_t kernel_again = segments_of(supervisor);
  const auto after = daemon_status(client);
  const std::uint64_t counted = counted_segments(before);
  row.counted_bytes = std::max({row.counted_bytes, before.budget_used_bytes(), after.budget_used_bytes()});
  if (kernel != kernel_again || counted != counted_segments(after) || is_allocating(before) || is_allocating(after))
    return;
  ++row.comparisons;
  if (counted == kernel) return;
  // A descriptor vanishes when its close begins, and is counted until the last page is gone: that takes a while on a
  // loaded machine, but it ends.
  if (pause < kFreeing)
    compare_segments(client, supervisor, row, kFreeing);
  else
    row.mismatches.push_back("counted " + std::to_string(counted) + ", kernel " + std::to_string(kernel) + " bytes");
}

// ---------------------------------------------------------------- one run

std::uint64_t synthesis_ms(const v1::JobStatus& job) {
  for (const auto& span : job.timeline())
    if (span.stage() == "synth") return std::max<std::uint64_t>(1, span.end_ms() - span.begin_ms());
  FAIL("no synthesis in the timeline");
  return 0;
}

std::uint64_t reservation_of(client::Client& client, const e2e::CircuitFiles& files) {
  const auto circuits = client.circuits(kCircuit);
  REQUIRE((circuits && circuits->size() == 1));
  const std::uint64_t input = fs::file_size(files.witnesses[0]);
  return circuits->front().partition_bytes() + kPage + (input + kPage - 1) / kPage * kPage;
}

void await_all(client::Client& client, std::uint32_t jobs, pid_t supervisor, Sampler& sampler, Row& row) {
  while (true) {
    compare_segments(client, supervisor, row);
    const auto status = daemon_status(client);
    REQUIRE(status.jobs_failed() == 0);
    if (status.jobs_done() > row.in_flight) sampler.enter_steady_state();
    if (status.jobs_done() == jobs) return;
    std::this_thread::sleep_for(kSamplePause);
  }
}

// What the budget holds for each worker that works on partitions, beside what the kernel saw.
std::vector<Row::Worker> compare_workers(client::Client& client, const std::map<pid_t, std::uint64_t>& peaks) {
  const auto circuits = client.circuits(kCircuit);
  const auto workers = client.workers();
  REQUIRE((circuits && circuits->size() == 1 && workers));
  const auto need = [&](std::string_view stage) {
    for (const v1::PrivateNeed& each : circuits->front().needs())
      if (each.stage() == stage) return each.reserved_bytes();
    FAIL("no need of stage " << stage);
    return std::uint64_t{0};
  };
  std::vector<Row::Worker> compared;
  for (const v1::WorkerStatus& worker : *workers) {
    const std::string role = worker.slot().substr(0, worker.slot().find('-'));
    if (role == "load") continue;
    const std::uint64_t most = role == "synth" ? need("synth")
                               : role == "cpu" ? need("prove")
                                               : std::max(need("b2"), need("assemble"));
    compared.push_back({worker.slot(), kResting_bytes + most, peaks.at(static_cast<pid_t>(worker.pid()))});
  }
  return compared;
}

Row run_wall(const e2e::CircuitFiles& files, std::uint32_t in_flight, std::uint32_t queue) {
  Settings settings;
  settings.budget = "12 GiB";
  settings.deadlines = {};
  settings.lines = {"max_in_flight = " + std::to_string(in_flight)};
  ProgramFolder programs(ProveStage::scripted);
  Daemon daemon(programs, files.zkey.parent_path(), settings);
  daemon.start();
  auto client = daemon.client();
  e2e::add_circuit(client, kCircuit, files);
  await_resident(client, kCircuit);
  const auto alone = e2e::run_job(client, e2e::request_for("alone", kCircuit, {files.witnesses[0]}));
  REQUIRE(alone.state() == v1::DONE);
  programs.script("always slow " + std::to_string(10 * synthesis_ms(alone)) + "\n");

  Row row;
  row.in_flight = in_flight;
  row.queue = queue;
  row.resident_bytes = daemon_status(client).budget_used_bytes();
  row.reservation_bytes = reservation_of(client, files);
  Sampler sampler(daemon, programs);
  const auto begin = Clock::now();
  for (std::uint32_t job = 0; job < queue; ++job) {
    const auto& witness = files.witnesses[job % files.witnesses.size()];
    REQUIRE(client.submit(e2e::request_for("job-" + std::to_string(job), kCircuit, {witness})).has_value());
    compare_segments(client, daemon.pid(), row);
  }
  await_all(client, queue + 1, daemon.pid(), sampler, row);
  row.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  row.workers = compare_workers(client, sampler.finish(row));
  for (std::uint32_t job = 0; job < queue; ++job) e2e::checked_result(client, "job-" + std::to_string(job), files.vk);
  CHECK(daemon.stop() == 0);
  return row;
}

// ---------------------------------------------------------------- the bars

std::string csv_of(const std::vector<Row>& rows) {
  std::ostringstream out;
  out << "in_flight,queue,predicted_bytes,counted_bytes,measured_bytes,segment_bytes,private_bytes,steady_bytes,"
         "supervisor_bytes,"
         "resident_bytes,reservation_bytes,comparisons,seconds\n";
  for (const Row& row : rows)
    out << row.in_flight << ',' << row.queue << ',' << row.predicted_bytes() << ',' << row.counted_bytes << ','
        << row.measured_bytes << ',' << row.segment_bytes << ',' << row.private_bytes << ',' << row.steady_bytes << ','
        << row.supervisor_bytes << ',' << row.resident_bytes << ',' << row.reservation_bytes << ',' << row.comparisons
        << ',' << row.seconds << '\n';
  return out.str();
}

void check_one(const Row& row) {
  INFO("in flight " << row.in_flight << ", queue " << row.queue);
  CHECK(row.counted_bytes <= row.predicted_bytes());
  CHECK(row.measured_bytes <= row.predicted_bytes());
  CHECK(row.comparisons > 10);
  CHECK(row.mismatches == std::vector<std::string>{});
  for (const Row::Worker& worker : row.workers) {
    INFO(worker.slot << ": private memory, predicted " << worker.predicted_bytes << ", measured "
                     << worker.measured_bytes);
    const auto allowed = std::max(worker.predicted_bytes / kPrivateTolerance, kPrivateSlack_bytes);
    CHECK(worker.measured_bytes <= worker.predicted_bytes + allowed);
    CHECK(worker.predicted_bytes <= worker.measured_bytes + allowed);
  }
}

void check_growth(const Row& fewer, const Row& more) {
  INFO("from " << fewer.in_flight << " to " << more.in_flight << " in flight");
  CHECK(more.measured_bytes <= fewer.measured_bytes + (more.in_flight - fewer.in_flight) * more.reservation_bytes);
}

void check_queue(const Row& shorter, const Row& longer) {
  INFO("in flight " << shorter.in_flight << ": queue " << shorter.queue << " and " << longer.queue);
  const auto a = static_cast<double>(shorter.steady_bytes), b = static_cast<double>(longer.steady_bytes);
  CHECK(std::abs(a - b) <= kQueueTolerance * a);
}

std::vector<Row> run_plan(const Plan& plan) {
  const TemporaryFolder folder;
  const auto files = make_boolean_circuit(folder.path(), groth16::CurveId::bls12_381, plan.domain_log2, 4);
  std::vector<Row> rows;
  for (const auto& [in_flight, queue] : plan.runs) {
    rows.push_back(run_wall(files, in_flight, queue));
    check_one(rows.back());
    for (std::size_t before = 0; before + 1 < rows.size(); ++before) {
      const Row& row = rows[before];
      if (row.queue == queue && row.in_flight < in_flight) check_growth(row, rows.back());
      if (row.in_flight == in_flight) check_queue(row, rows.back());
    }
  }
  std::cout << csv_of(rows) << std::flush;
  return rows;
}

}  // namespace

TEST_CASE("memory is what the budget says, at two concurrencies of a small system") {
  run_plan({13, {{2, 12}, {4, 12}}});
}

TEST_CASE("memory is what the budget says, at every concurrency and queue of a system of 2^18 rows", "[.slow]") {
  const auto rows = run_plan({18, {{2, 40}, {4, 40}, {8, 40}, {12, 40}, {16, 40}, {8, 200}, {16, 200}}});
  std::ofstream file(GROTH16D_MEMORY_WALL_CSV);
  file << csv_of(rows);
  REQUIRE(file.flush());
}
