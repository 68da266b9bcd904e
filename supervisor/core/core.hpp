// The supervisor's mind as a pure state machine: actions = core.on(event, now).
//
// No system call, clock, thread or random number inside (the jitter of restarts comes from a generator seeded by the
// configuration), so a simulation can run a day of failures in a second and replay it from its seed. The shell around
// it turns descriptors into events (event.hpp) and actions into system calls (action.hpp). Not thread-safe: one thread
// owns it, and with it every count of memory.
#pragma once

#include <memory>

#include "supervisor/core/action.hpp"
#include "supervisor/core/config.hpp"
#include "supervisor/core/event.hpp"
#include "supervisor/core/subject.hpp"
#include "supervisor/core/view.hpp"

namespace groth16d::supervisor {

class Machine;

class Core {
 public:
  // A configuration that cannot work (a role of the chain without slots, resting workers beyond the budget) is an error
  // of code malformed whose text names the setting.
  static Result<Core> create(const CoreConfig& config);
  Core(Core&&) noexcept;
  Core& operator=(Core&&) noexcept;
  ~Core();

  // The one way in. `now` never decreases. The first event must be Recovered; before it every client request gets 503.
  std::vector<Action> on(const Event& event, TimePoint now);

  // When TimerExpired is wanted next; ask again after every on(). nullopt: not at all.
  std::optional<TimePoint> next_timer() const;

  DaemonView daemon() const;
  std::optional<JobView> job(const JobId& job, TimePoint now) const;
  // Without timelines.
  std::vector<JobView> jobs(const JobFilter& filter, TimePoint now) const;
  Tally tally(std::size_t most_in_flight) const;
  std::optional<ResultView> result(const JobId& job) const;  // nullopt unless DONE and committed
  std::vector<CircuitView> circuits() const;                 // registered ones and those of jobs by path
  std::vector<WorkerView> workers() const;

  // What `event` would find, were it passed now.
  Subject subject(const Event& event) const;

  // Invariants I1 to I13 of docs/DESIGN.md; each line names one that does not hold. For tests and debug builds.
  std::vector<std::string> check_invariants() const;

 private:
  explicit Core(const CoreConfig& config);
  std::unique_ptr<Machine> machine_;
};

}  // namespace groth16d::supervisor
