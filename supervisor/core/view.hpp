// Read-only snapshots for STATUS, LIST, RESULT, metrics and `groth16ctl top`. Taking one changes nothing.
#pragma once

#include <map>

#include "supervisor/budget/budget.hpp"
#include "supervisor/core/types.hpp"

namespace groth16d::supervisor {

struct PartitionView {
  std::uint32_t partition = 0;
  PartitionState state = PartitionState::waiting;
  std::uint32_t attempt = 0;  // assignments so far of the stage that had most
  std::uint32_t progress_permille = 0;
  std::vector<SlotId> slots;  // working on it now
  std::optional<BG2> b_g2;    // who sums B2: cpu or gpu; none: not decided yet
};

// One stage's time on one slot, in milliseconds since the job was accepted.
struct StageSpan {
  std::uint32_t partition = 0;
  Stage stage = Stage::inspect;
  SlotId slot;
  std::uint32_t attempt = 0;
  std::uint64_t begin_ms = 0;
  std::uint64_t end_ms = 0;  // 0: still running
  std::string outcome;       // "" running, "done", "failed", "died", "cancelled"
  Charge held;               // by the partition when the stage began, reservations included
};

struct JobView {
  JobId job;
  CircuitName circuit;
  JobState state = JobState::received;
  Priority priority = Priority::normal;
  std::vector<PartitionView> partitions;
  std::optional<Error> failure;
  std::uint64_t age_ms = 0;
  std::string waiting_for;  // "": working
  std::vector<std::string> warnings;
  std::vector<StageSpan> timeline;
};

// Which jobs are wanted, and in which order.
struct JobFilter {
  std::vector<JobState> states;  // empty: all
  std::string name_contains;     // "": all
  std::size_t limit = 0;
  bool newest_first = false;  // else in order of acceptance
};

// Only of a job whose results are committed.
struct ResultView {
  std::vector<Proof> proofs;  // by partition
  std::string key_digest, vk_digest, curve;
};

// One stage's private memory, beyond its worker's resting size.
struct PrivateNeedView {
  Stage stage = Stage::load;
  std::uint64_t formula_bytes = 0;   // from the circuit's sizes
  std::uint64_t observed_bytes = 0;  // the highest peak; 0: none yet
  std::uint64_t reserved_bytes = 0;  // what the next admission reserves for it
};

struct CircuitView {
  CircuitName circuit;
  CircuitState state = CircuitState::registered;
  CircuitSource source;
  CircuitFacts facts;                   // zeros until inspected
  std::uint64_t partition_bytes = 0;    // what one partition reserves, beside its input segment
  std::uint64_t loads = 0;              // times the segments were filled since the daemon started
  std::uint64_t cache_hits = 0;         // of these, from the cache; the others converted the files
  std::uint64_t adoptions = 0;          // times it was taken over from an earlier daemon, without a load
  std::uint64_t source_bytes_read = 0;  // of the client's files, to inspect and to load
  std::optional<Error> failure;
  std::vector<PrivateNeedView> needs;  // load, synth, prove, b2, assemble; empty until inspected
};

struct WorkerView {
  SlotId slot;
  Epoch epoch = 0;
  std::uint32_t pid = 0;
  SlotState state = SlotState::starting;
  JobId job;
  std::uint32_t partition = 0;
  std::optional<Stage> stage;
  std::uint32_t progress_permille = 0;
  std::uint64_t rss_bytes = 0;
  std::uint32_t restarts = 0;
  std::string last_death;  // "": none
  std::optional<Death> last_cause;
  std::string build;
};

struct BufferCount {
  BufferKind kind = BufferKind::input;
  BufferStage stage = BufferStage::none;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  bool operator==(const BufferCount&) const = default;
};

// Admitted, and not proven yet.
struct InFlightView {
  JobId job;
  PartitionView partition;
};

// What a monitor counts by circuit. Taking it looks at every job.
struct Tally {
  struct Counts {
    std::array<std::uint32_t, kJobStateCount> jobs{};              // finished ones that nobody closed too
    std::array<std::uint32_t, kPartitionStateCount> partitions{};  // of unfinished jobs
  };
  std::map<CircuitName, Counts> circuits;  // "": jobs by key path
  std::uint64_t waiting_bytes = 0;         // what the head of the line needs, if it waits for memory
  std::vector<InFlightView> in_flight;     // in order of acceptance
};

struct DaemonView {
  DaemonState state = DaemonState::starting;
  std::uint64_t budget_total_bytes = 0;
  std::uint64_t budget_used_bytes = 0;  // reserved, pooled, resident and resting together
  std::vector<BufferCount> buffers;     // only where count > 0
  // Of unfinished jobs: partitions by state, and what is not admitted yet by priority (low first).
  std::array<std::uint32_t, kPartitionStateCount> partitions{};
  std::array<std::uint32_t, kPriorities> queued_jobs{}, queued_partitions{};
  std::array<std::optional<TimePoint>, kPriorities> oldest_queued_job{};  // when it was accepted
  std::uint32_t jobs_queued = 0;                                          // accepted, none of it running
  std::uint32_t jobs_running = 0;
  std::uint64_t jobs_done = 0;  // since the start
  std::uint64_t jobs_failed = 0;
  std::uint64_t syntheses = 0;         // SYNTH assignments given
  std::uint64_t stale_events = 0;      // fenced off
  std::uint64_t private_overruns = 0;  // assignments that took more private memory than was reserved for them
};

}  // namespace groth16d::supervisor
