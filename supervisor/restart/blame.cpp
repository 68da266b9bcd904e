#include "supervisor/restart/blame.hpp"

#include <algorithm>

namespace groth16d::supervisor {

void BlameMatrix::acquit_slot(SlotId slot) {
  for (auto it = slots_of_.begin(); it != slots_of_.end();) {
    it->second.erase(slot);
    it = it->second.empty() ? slots_of_.erase(it) : std::next(it);
  }
}

std::size_t BlameMatrix::jobs_failed_only_on(SlotId slot) const {
  return static_cast<std::size_t>(std::count_if(slots_of_.begin(), slots_of_.end(), [slot](const auto& row) {
    return row.second.size() == 1 && row.second.contains(slot);
  }));
}

}  // namespace groth16d::supervisor
