// Partitions that are ready for one stage and wait for a slot.
//
// Order is that of admission, so no stage can starve a partition that holds memory; partitions of CRITICAL jobs go
// first, unless an ordinary one has been ready for longer than the ageing bound.
#pragma once

#include <map>

#include "supervisor/core/types.hpp"

namespace groth16d::supervisor {

template <class Entry>
class ReadyLine {
 public:
  explicit ReadyLine(Millis ageing) : ageing_(ageing) {}

  void insert(Entry* entry, std::uint64_t order, bool urgent, TimePoint now) {
    (urgent ? urgent_ : ordinary_)[{order, entry->uid}] = Ready{now, entry};
  }
  bool erase(const Entry* entry, std::uint64_t order) {
    const std::pair<std::uint64_t, std::uint64_t> key{order, entry->uid};
    return urgent_.erase(key) + ordinary_.erase(key) > 0;
  }
  bool contains(const Entry* entry, std::uint64_t order) const {
    const std::pair<std::uint64_t, std::uint64_t> key{order, entry->uid};
    return urgent_.contains(key) || ordinary_.contains(key);
  }
  std::size_t size() const { return urgent_.size() + ordinary_.size(); }

  // The first entry, in order, that `fits`; nullptr without one.
  template <class Fits>
  Entry* pick(TimePoint now, Fits&& fits) const {
    const Ready* urgent = first(urgent_, fits);
    const Ready* ordinary = first(ordinary_, fits);
    if (!urgent && !ordinary) return nullptr;
    const bool ordinary_first = !urgent || (ordinary && now - ordinary->since >= ageing_);
    return (ordinary_first ? ordinary : urgent)->entry;
  }

 private:
  struct Ready {
    TimePoint since;
    Entry* entry;
  };
  using Line = std::map<std::pair<std::uint64_t, std::uint64_t>, Ready>;

  template <class Fits>
  static const Ready* first(const Line& line, Fits& fits) {
    for (const auto& [key, ready] : line)
      if (fits(*ready.entry)) return &ready;
    return nullptr;
  }

  Millis ageing_;
  Line urgent_, ordinary_;
};

}  // namespace groth16d::supervisor
