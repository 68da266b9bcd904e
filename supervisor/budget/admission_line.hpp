// Who is admitted next: FIFO inside each priority class, higher classes first, and a bound on waiting.
//
// Only the fronts of the classes are candidates, so nothing overtakes inside its class. A front that has waited longer
// than the ageing bound comes before every class; among several aged fronts the longest wait wins. The caller stops at
// the first candidate that cannot be admitted: it waits alone, and whatever comes free is kept for it.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "supervisor/core/types.hpp"

namespace groth16d::supervisor {

template <class Entry>
class AdmissionLine {
 public:
  // Order inside a class: acceptance of the job, then the partition.
  using Place = std::pair<std::uint64_t, std::uint32_t>;

  struct Candidate {
    Priority priority;
    Place place;
    Entry* entry;
    bool aged;
  };

  explicit AdmissionLine(Millis ageing) : ageing_(ageing) {}

  void insert(Priority priority, Place place, TimePoint waiting_since, Entry* entry) {
    line(priority)[place] = Waiting{waiting_since, entry};
  }
  bool erase(Priority priority, Place place) { return line(priority).erase(place) > 0; }
  bool contains(Priority priority, Place place) const { return line(priority).contains(place); }

  std::optional<Candidate> head(TimePoint now) const {
    std::optional<Candidate> best;
    TimePoint best_since{};
    for (std::size_t c = kPriorities; c-- > 0;) {
      if (lines_[c].empty()) continue;
      const auto& [place, waiting] = *lines_[c].begin();
      const bool aged = now - waiting.since >= ageing_;
      const bool better = !best || (aged && (!best->aged || waiting.since < best_since));
      if (!better) continue;
      best = Candidate{static_cast<Priority>(c + 1), place, waiting.entry, aged};
      best_since = waiting.since;
    }
    return best;
  }

  Entry* front(Priority priority) const {
    const auto& waiting = lines_[index(priority)];
    return waiting.empty() ? nullptr : waiting.begin()->second.entry;
  }

  std::size_t size() const {
    std::size_t sum = 0;
    for (const auto& waiting : lines_) sum += waiting.size();
    return sum;
  }

 private:
  struct Waiting {
    TimePoint since;
    Entry* entry;
  };
  static std::size_t index(Priority priority) { return static_cast<std::size_t>(priority) - 1; }
  std::map<Place, Waiting>& line(Priority priority) { return lines_[index(priority)]; }
  const std::map<Place, Waiting>& line(Priority priority) const { return lines_[index(priority)]; }

  Millis ageing_;
  std::array<std::map<Place, Waiting>, kPriorities> lines_;
};

}  // namespace groth16d::supervisor
