// Which events met which states: the simulation's reach, as a table.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>

#include "supervisor/core/event.hpp"
#include "supervisor/core/subject.hpp"

namespace groth16d::supervisor::test {

// Plain numbers only: it may lie in memory that processes share.
class Coverage {
 public:
  void count(Subject subject, const Event& event) { ++counts_[row(subject)][event.index()]; }
  void add(const Coverage& other);
  std::size_t pairs() const;          // that were reached
  void print(std::FILE* file) const;  // a line a state, with the events that found it

 private:
  static constexpr std::size_t kEvents = std::variant_size_v<Event>;
  static constexpr std::size_t kRows = Subject::kKinds * Subject::kStates;
  static std::size_t row(Subject subject) {
    return static_cast<std::size_t>(subject.kind) * Subject::kStates + subject.state;
  }

  std::array<std::array<std::uint64_t, kEvents>, kRows> counts_{};
};

}  // namespace groth16d::supervisor::test
