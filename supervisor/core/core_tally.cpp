// Answers that look at every job: lists by a filter, and the counts of a monitor.
#include <algorithm>

#include "supervisor/core/machine.hpp"

namespace groth16d::supervisor {
namespace {

bool is_wanted(const JobFilter& filter, const Job& job, JobState state) {
  if (!job.durable) return false;
  if (!filter.states.empty() && std::find(filter.states.begin(), filter.states.end(), state) == filter.states.end())
    return false;
  return job.record.job.find(filter.name_contains) != JobId::npos;
}

// The holder of a reservation, until its proof is committed.
bool is_in_flight(const Partition& partition) {
  return partition.admitted && partition.phase >= Phase::allocating && partition.phase < Phase::proven;
}

}  // namespace

std::vector<JobView> Machine::jobs(const JobFilter& filter, TimePoint now) const {
  std::vector<JobView> views;
  const auto take = [&](const Job& job) {
    if (views.size() < filter.limit && is_wanted(filter, job, state_of(job)))
      views.push_back(job_view(job, now, false));
  };
  if (filter.newest_first)
    std::for_each(jobs_.rbegin(), jobs_.rend(), [&](const auto& entry) { take(entry.second); });
  else
    std::for_each(jobs_.begin(), jobs_.end(), [&](const auto& entry) { take(entry.second); });
  return views;
}

Tally Machine::tally(std::size_t most_in_flight) const {
  Tally tally;
  tally.waiting_bytes = memory_wait_.empty() ? 0 : memory_wait_bytes_;
  for (const auto& [uid, job] : jobs_) {
    if (!job.durable) continue;
    const JobState state = state_of(job);
    Tally::Counts& counts = tally.circuits[job.record.by_path ? CircuitName() : job.record.circuit];
    ++counts.jobs[static_cast<std::size_t>(state)];
    if (is_final(state)) continue;
    for (const Partition& partition : job.partitions) {
      const PartitionView view = partition_view(partition);
      ++counts.partitions[static_cast<std::size_t>(view.state)];
      if (is_in_flight(partition) && tally.in_flight.size() < most_in_flight)
        tally.in_flight.push_back({job.record.job, view});
    }
  }
  return tally;
}

}  // namespace groth16d::supervisor
