// StepClock: what the steps of queued work took, by events between them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/device_array.cuh"

namespace groth16::device {

class StepClock {
 public:
  // The step that is queued from here on; nullptr ends the last.
  void mark(const char* step, cudaStream_t stream) {
    marks_.push_back({step == nullptr ? "" : step, std::make_unique<Event>()});
    marks_.back().second->record(stream);
  }
  // After the stream has been waited for: steps of the same name added up, in the order of their first marks.
  std::vector<std::pair<std::string, double>> milliseconds() const {
    std::vector<std::pair<std::string, double>> out;
    for (std::size_t i = 0; i + 1 < marks_.size(); ++i) {
      if (marks_[i].first.empty()) continue;
      const double ms = marks_[i + 1].second->since(*marks_[i].second);
      auto at = out.begin();
      while (at != out.end() && at->first != marks_[i].first) ++at;
      if (at == out.end()) {
        out.emplace_back(marks_[i].first, ms);
      } else {
        at->second += ms;
      }
    }
    return out;
  }

 private:
  std::vector<std::pair<std::string, std::unique_ptr<Event>>> marks_;
};

inline void mark(StepClock* clock, const char* step, cudaStream_t stream) {
  if (clock != nullptr) clock->mark(step, stream);
}

}  // namespace groth16::device
