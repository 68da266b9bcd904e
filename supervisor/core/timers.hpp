// The core's alarm clock: at most one alarm a key, earliest first.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "supervisor/core/types.hpp"

namespace groth16d::supervisor {

struct TimerKey {
  enum class Kind {
    slot,
    job_deadline,
    job_store,
    job_retention,
    partition_memory,
    partition_card,
    result_store,
    circuit_memory,
    drain
  };
  Kind kind = Kind::slot;
  std::uint64_t id = 0;  // index of a slot, uid of a job, partition or circuit
  auto operator<=>(const TimerKey&) const = default;
};

class Timers {
 public:
  void arm(TimerKey key, TimePoint at) {
    const auto [alarm, fresh] = at_.try_emplace(key, at);
    if (!fresh) {
      if (alarm->second == at) return;  // most often: every event re-arms every slot
      due_.erase({alarm->second, key});
      alarm->second = at;
    }
    due_.emplace(at, key);
  }
  void disarm(TimerKey key) {
    const auto it = at_.find(key);
    if (it == at_.end()) return;
    due_.erase({it->second, key});
    at_.erase(it);
  }
  std::optional<TimePoint> next() const {
    return due_.empty() ? std::nullopt : std::optional<TimePoint>(due_.begin()->first);
  }
  // Takes the earliest alarm that is due, if one is.
  std::optional<TimerKey> pop_due(TimePoint now) {
    if (due_.empty() || due_.begin()->first > now) return std::nullopt;
    const TimerKey key = due_.begin()->second;
    disarm(key);
    return key;
  }

 private:
  std::map<TimerKey, TimePoint> at_;
  std::set<std::pair<TimePoint, TimerKey>> due_;
};

}  // namespace groth16d::supervisor
