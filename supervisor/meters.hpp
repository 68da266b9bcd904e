// What the daemon has done, counted beside the core from what passes between it and the shell: how long stages and
// commits took, who died of what, whose sums did not verify, and the recent past as spans of a timeline.
//
// The core knows nothing of it, and nothing is decided by it. Main thread only; no clock inside.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "ipc/metrics.pb.h"
#include "supervisor/core/action.hpp"
#include "supervisor/core/event.hpp"
#include "supervisor/core/view.hpp"

namespace groth16d::supervisor {

// From a commit on a good disk (1.6 ms) to the prove stage of 130 million rows on a host's cores.
inline constexpr std::array<double, 20> kBoundsSeconds{0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5,
                                                       1,      2,     5,     10,    20,   60,   120,  300, 600, 1800};

class DurationHistogram {
 public:
  void add(double seconds);
  void write(v1::Histogram* message) const;
  std::uint64_t count() const;

 private:
  std::array<std::uint64_t, kBoundsSeconds.size() + 1> counts_{};
  double sum_seconds_ = 0;
};

// The clocks of one moment: durations from the first, dates from the second.
struct Moment {
  std::uint64_t monotonic_us = 0;
  std::uint64_t wall_ms = 0;
};

class Meters {
 public:
  static constexpr std::size_t kMostSpans = 2'048;  // 10 minutes of 3 finished assignments a second
  static constexpr std::size_t kMostDeaths = 256;

  // Before the core hears of it.
  void observe(const Event& event, const Moment& now);
  // Of the core, before it is carried out.
  void observe(const Action& action, const Moment& now);
  // After the core has classified an ExitObserved: the slot as it is then.
  void died(const ExitObserved& exit, const WorkerView& slot, const Moment& now);

  // Everything counted, and what is newer than the asker has.
  void write(const v1::MetricsRequest& request, v1::MetricsReply* reply) const;

 private:
  struct Running {
    Epoch epoch = 0;
    AssignmentId assignment = 0;
    Stage stage = Stage::inspect;
    Work work;
    Moment begin;
  };
  struct OfStage {
    DurationHistogram done;
    std::uint64_t failed = 0, died = 0, cancelled = 0;
  };
  using Sums = std::pair<std::string, std::uint32_t>;  // job, partition

  void begin(const Assign& action, const Moment& now);
  void end(SlotId slot, const Running& running, const char* outcome, const Moment& now);
  void end(const WorkerToken& from, const char* outcome, const Moment& now);
  void begin_commit(std::string entry, const Moment& now) { commits_[std::move(entry)] = now.monotonic_us; }
  void end_commit(const std::string& entry, bool stored, const Moment& now);
  std::optional<Running> running_of(const WorkerToken& from) const;

  std::map<SlotId, Running> running_;
  std::map<Sums, SlotId> provers_;  // who made the sums of an unfinished partition
  std::array<OfStage, kStages> stages_{};
  std::map<std::string, std::uint64_t> commits_;  // entries under way, by what they are about
  DurationHistogram journal_;
  std::uint64_t journal_failures_ = 0;
  std::array<std::uint64_t, kJobStateCount> ended_{};
  std::map<std::pair<SlotId, Death>, std::uint64_t> deaths_;
  std::map<SlotId, std::uint64_t> verification_failures_;
  std::map<SlotId, Running> last_work_;  // what a slot had on board when its process ended
  std::deque<v1::FinishedWork> spans_;
  std::deque<v1::DeathRecord> recent_deaths_;
  std::uint64_t next_span_ = 1, next_death_ = 1;
};

}  // namespace groth16d::supervisor
